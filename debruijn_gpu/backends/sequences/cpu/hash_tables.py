"""Look up nonzero words in hash tables with open addressing."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import mix

_HALF = np.uint64(32)


@kernel
def find_slot(keys, key):
    """The slot of a key (uint64) in a table (uint64 (2^b,), b up to 32, 0 where free), or the free one for it."""
    mask = np.uint64(keys.size - 1)
    slot = (mix(key) >> _HALF) & mask
    while keys[slot] != np.uint64(0) and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot
