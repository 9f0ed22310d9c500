"""Compare and swap an element of an array that threads share.

Numba lacks this on the CPU.
"""

from __future__ import annotations

from numba.core import cgutils
from numba.extending import intrinsic


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
