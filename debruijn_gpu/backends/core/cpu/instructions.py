"""Machine instructions for kernels, as numba's intrinsics; kernels take them from `intrinsics`."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_READ, _KEEP, _DATA = 0, 3, 1  # what for, how long, and in which cache


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


@intrinsic
def count_ones(typingctx, word):
    """Number of bits that are set: one instruction."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


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


@intrinsic
def load_unaligned(typingctx, text, at):
    """``text[at:at + 8]`` as one little-endian uint64, without a bounds check."""
    signature = types.uint64(text, types.int64)

    def codegen(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = cgutils.gep_inbounds(builder, array.data, args[1])
        return builder.load(builder.bitcast(pointer, ir.IntType(64).as_pointer()), align=1)

    return signature, codegen


@intrinsic
def store_unaligned(typingctx, text, at, word):
    """Write one little-endian uint64 to ``text[at:at + 8]``, without a bounds check."""
    signature = types.void(text, types.int64, types.uint64)

    def codegen(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = cgutils.gep_inbounds(builder, array.data, args[1])
        builder.store(args[2], builder.bitcast(pointer, ir.IntType(64).as_pointer()), align=1)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def match_eight(typingctx, array, at, word, mask):
    """Compare ``array[at:at + 8]`` with a word under a mask; without a bounds check.

    The bits in which equal ones differ from the word, of all of them in one word; 0 if there is none. As vectors: of a
    loop, LLVM makes none, as numba leaves out its pass for short ones.
    """
    signature = types.uint64(array, types.uint64, types.uint64, types.uint64)

    def codegen(context, builder, signature, args):
        words = ir.VectorType(ir.IntType(64), 8)
        index, none = ir.IntType(32), ir.Constant(words, ir.Undefined)

        def repeated(value):
            first = builder.insert_element(none, value, index(0))
            return builder.shuffle_vector(first, none, ir.Constant(ir.VectorType(index, 8), [0] * 8))

        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        pointer = builder.bitcast(cgutils.gep(builder, data, args[1]), words.as_pointer())
        difference = builder.xor(builder.load(pointer, align=8), repeated(args[2]))
        zeros = ir.Constant(words, [0] * 8)
        is_equal = builder.icmp_unsigned("==", builder.and_(difference, repeated(args[3])), zeros)
        reduce_type = ir.FunctionType(ir.IntType(64), [words])
        reduce = cgutils.get_or_insert_function(builder.module, reduce_type, "llvm.vector.reduce.or.v8i64")
        return builder.call(reduce, [builder.select(is_equal, difference, zeros)])

    return signature, codegen


@intrinsic
def trailing_zeros(typingctx, flags):
    """Number of zero bits below the lowest set one; 64 if there is none."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], cgutils.false_bit)

    return types.uint64(types.uint64), codegen


@intrinsic
def multiply_to_128_bits(typingctx, a, b):
    """High and low word of the product of two words."""
    signature = types.UniTuple(types.uint64, 2)(types.uint64, types.uint64)

    def codegen(context, builder, signature, args):
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(factor, wide) for factor in args))
        high = builder.lshr(product, ir.Constant(wide, 64))
        words = [builder.trunc(half, ir.IntType(64)) for half in (high, product)]
        return context.make_tuple(builder, signature.return_type, words)

    return signature, codegen


@intrinsic
def leading_zeros(typingctx, word):
    """Number of zero bits above the highest set one; the word must not be 0."""

    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], cgutils.true_bit)

    return types.uint64(types.uint64), codegen


@intrinsic
def bit_length(typingctx, word):
    """Number of bits of a word that is not 0."""

    def codegen(context, builder, signature, args):
        n_zeros = builder.ctlz(args[0], context.get_constant(types.boolean, True))
        return builder.sub(context.get_constant(types.int64, 64), n_zeros)

    return types.int64(types.uint64), codegen
