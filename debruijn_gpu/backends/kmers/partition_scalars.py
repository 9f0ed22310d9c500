"""Assign (k-1)-mers to partitions by minimizer: scalar functions of both backends, in plain Python.

All k-mers that share a (k-1)-mer at one of their ends meet in its partition, so that the edges there can be found in
that partition alone (Chikhi et al. 2016, BCALM 2). A (k-1)-mer and its reverse complement have the same minimizer.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import minimizer_hash
from debruijn_gpu.backends.core.scalars import MIX_1, ONE, THIRTY_TWO, THREE

TWO = np.uint64(2)
NO_HASH = np.uint64(0xFFFFFFFFFFFFFFFF)


def partition_of(minimum, n_partitions):
    """Partition (uint64, below ``n_partitions``) of the (k-1)-mers whose minimizer has that hash."""
    return (((minimum * MIX_1) >> THIRTY_TWO) * n_partitions) >> THIRTY_TWO


def end_partitions_of(kmer, k, m, n_partitions):
    """Partitions (uint64) of the first and of the last k - 1 bases of a k-mer.

    Parameters
    ----------
    kmer : tuple of uint64
    k, m : int64
        m, the length of the minimizer, is less than k.
    n_partitions : uint64
        At most 2^32.
    """
    mask = (ONE << np.uint64(2 * m)) - ONE
    top = np.uint64(2 * (m - 1))
    forward = np.uint64(0)
    reverse = np.uint64(0)
    first = NO_HASH  # of the first m bases; that of the last m bases comes last
    shared = NO_HASH  # least one of those between
    found = NO_HASH
    for i in range(k):
        bit = 2 * (k - 1 - i)
        base = (kmer[len(kmer) - 1 - (bit >> 6)] >> np.uint64(bit & 63)) & THREE
        forward = ((forward << TWO) | base) & mask
        reverse = (reverse >> TWO) | ((THREE - base) << top)
        if i >= m - 1:
            if i == m:
                first = found
            elif i > m:
                shared = min(shared, found)
            found = minimizer_hash(forward, reverse)
    return partition_of(min(first, shared), n_partitions), partition_of(min(shared, found), n_partitions)
