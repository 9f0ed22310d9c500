"""Prefetch memory: a random access then costs a tenth of waiting for it."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

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
