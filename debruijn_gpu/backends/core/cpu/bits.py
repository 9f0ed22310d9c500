"""Count and find bits of a word (uint64)."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel

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
