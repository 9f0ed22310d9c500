"""Machine instructions for kernels: compare and swap, bit counts, prefetch."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel


@intrinsic
def compare_and_swap(typing_context, array, index, expected, new):
    """Store ``new`` at an index (integer) of a one-dimensional array if ``expected`` is there; what was there.

    ``compare_and_swap(array, index, expected, new)``; the two values are of the array's dtype, an integer. Relaxed: it
    orders no other memory access.
    """
    signature = array.dtype(array, index, array.dtype, array.dtype)

    def generate(context, builder, signature, arguments):
        array_type = signature.args[0]
        struct = context.make_array(array_type)(context, builder, arguments[0])
        address = cgutils.get_item_pointer(context, builder, array_type, struct, (arguments[1],), wraparound=False)
        pair = builder.cmpxchg(address, arguments[2], arguments[3], "monotonic", "monotonic")
        return builder.extract_value(pair, 0)

    return signature, generate


_ONE = np.uint64(1)


@intrinsic
def count_ones(typingctx, word):
    """Number of bits that are set: one instruction."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@inlined_kernel
def nth_one(word, n, half):
    """Find the place of the n-th set bit, from 0 and from below; all uint64. Halves the range without branches.

    ``half`` is a power of two; twice ``half`` is more than any place.
    """
    place = word & np.uint64(0)
    while half:
        below = count_ones(word & ((_ONE << half) - _ONE))
        step = half if n >= below else np.uint64(0)
        n -= below if n >= below else np.uint64(0)
        word >>= step
        place += step
        half >>= _ONE
    return place


_READ, _KEEP, _DATA = 0, 3, 1  # what for, how long, and in which cache


@intrinsic
def prefetch(typingctx, array, at):
    """Have ``array[at]`` come into the cache; `at` need not be within the array."""
    signature = types.void(array, types.uint64)

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte_pointer = ir.IntType(8).as_pointer()
        pointer = builder.bitcast(cgutils.gep(builder, data, args[1]), byte_pointer)
        number = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte_pointer], function_type)
        builder.call(function, [pointer, *(number(n) for n in (_READ, _KEEP, _DATA))])
        return context.get_dummy_value()

    return signature, codegen
