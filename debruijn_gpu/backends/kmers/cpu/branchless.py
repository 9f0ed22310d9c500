"""Load and compare k-mers in merges, without branches that depend on them and without counting references."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import with_word


@inlined_kernel
def load(codes, i, kmer):
    """K-mer i of codes (words, n), as `load_kmer` loads it, without counting references to the array."""
    for word in range(len(kmer)):
        kmer = with_word(kmer, word, codes[np.uint64(word), i])
    return kmer


@inlined_kernel
def is_less(one, other):
    """1 if k-mer ``one`` is before the other, else 0 (uint64), without a branch."""
    found = np.uint64(0)
    for i in range(len(one) - 1, -1, -1):
        found = np.uint64(one[i] < other[i]) | (np.uint64(one[i] == other[i]) & found)
    return found
