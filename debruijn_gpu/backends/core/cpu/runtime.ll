; Memory of arrays that kernels allocate, as numba's compiled code asks for it: a block has the number of references to
; it, three words that are not used, the address of the data, the size, one more word, and the data.

declare ptr @malloc(i64)
declare void @free(ptr)

define linkonce_odr ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %alignment) {
  %align = zext i32 %alignment to i64
  %header = add i64 %align, 48
  %whole = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %size, i64 %header)
  %is_too_much = extractvalue { i64, i1 } %whole, 1
  br i1 %is_too_much, label %none, label %ask
ask:
  %bytes = extractvalue { i64, i1 } %whole, 0
  %block = call ptr @malloc(i64 %bytes)
  %is_null = icmp eq ptr %block, null
  br i1 %is_null, label %none, label %fill
fill:
  %address = ptrtoint ptr %block to i64
  %behind = add i64 %address, 47
  %at_least = add i64 %behind, %align
  %mask = sub i64 0, %align
  %aligned = and i64 %at_least, %mask
  store i64 1, ptr %block
  %data_field = getelementptr i8, ptr %block, i64 24
  store i64 %aligned, ptr %data_field
  %size_field = getelementptr i8, ptr %block, i64 32
  store i64 %size, ptr %size_field
  ret ptr %block
none:
  ret ptr null
}

declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64)

define linkonce_odr void @NRT_MemInfo_call_dtor(ptr %block) {
  call void @free(ptr %block)
  ret void
}

define linkonce_odr ptr @NRT_MemInfo_data_fast(ptr %block) {
  %field = getelementptr i8, ptr %block, i64 24
  %data = load ptr, ptr %field
  ret ptr %data
}

define linkonce_odr void @NRT_incref(ptr %block) {
  %is_null = icmp eq ptr %block, null
  br i1 %is_null, label %done, label %count
count:
  %before = atomicrmw add ptr %block, i64 1 monotonic
  br label %done
done:
  ret void
}

define linkonce_odr void @NRT_decref(ptr %block) {
  %is_null = icmp eq ptr %block, null
  br i1 %is_null, label %done, label %count
count:
  %before = atomicrmw sub ptr %block, i64 1 acq_rel
  %is_last = icmp eq i64 %before, 1
  br i1 %is_last, label %last, label %done
last:
  call void @free(ptr %block)
  br label %done
done:
  ret void
}
