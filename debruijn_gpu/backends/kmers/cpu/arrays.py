"""k-mers in arrays of shape (words, n)."""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem

from debruijn_gpu.backends.core.cpu.decorators import kernel


@kernel
def load_kmer(codes, i, kmer):
    """k-mer i; the value of ``kmer`` only gives the number of words."""
    for word in range(len(kmer)):
        kmer = tuple_setitem(kmer, word, codes[np.uint64(word), np.uint64(i)])
    return kmer
