"""Machine instructions for kernels: compare and swap, bit counts, prefetch, words at any address.

What they do is told in `instructions`, which compilers import.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel
from debruijn_gpu.backends.core.deferred import Deferred

(
    bit_length,
    compare_and_swap,
    count_ones,
    leading_zeros,
    load_unaligned,
    match_eight,
    multiply_to_128_bits,
    prefetch,
    store_unaligned,
    trailing_zeros,
) = (
    Deferred("debruijn_gpu.backends.core.cpu.instructions", name)
    for name in (
        "bit_length",
        "compare_and_swap",
        "count_ones",
        "leading_zeros",
        "load_unaligned",
        "match_eight",
        "multiply_to_128_bits",
        "prefetch",
        "store_unaligned",
        "trailing_zeros",
    )
)
#: A tuple with an element replaced: tuple, index, value.
with_word = Deferred("numba.cpython.unsafe.tuple", "tuple_setitem")

_ONE = np.uint64(1)


@inlined_kernel
def copy_items(items, to):
    """Copy an array to another one of its length. (Assigning to a slice would bring along an error with text.)"""
    for i in range(items.size):
        to[i] = items[i]


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
