"""Find the least canonical k-mer of an interval of packed bases: scalar code of both backends, in plain Python."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import (
    append_base,
    base_at,
    kmer_at,
    less,
    prepend_base,
    reverse_complement,
)

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def least_kmer_of(bases, k, start, stop, top_bits, zero):
    """Least canonical k-mer of those at start..stop-1, and its place: 2p, or 2p + 1 if it is reversed there.

    Parameters
    ----------
    bases : uint64
    k, start, stop : int64
        start < stop.
    top_bits : uint64
        Bits that word 0 of a k-mer uses.
    zero : tuple of uint64
        Only its length counts.
    """
    mask = ALL >> (np.uint64(64) - top_bits)
    forward = kmer_at(bases, np.uint64(start), top_bits, zero)
    reverse = reverse_complement(forward, top_bits)
    least, place = forward, 2 * start
    if less(reverse, forward):
        least, place = reverse, 2 * start + 1
    for position in range(start + 1, stop):
        base = base_at(bases, np.uint64(position + k - 1))
        forward = append_base(forward, base, mask)
        reverse = prepend_base(reverse, np.uint64(3) - base, top_bits - np.uint64(2))
        if less(forward, least):
            least, place = forward, 2 * position
        if less(reverse, least):
            least, place = reverse, 2 * position + 1
    return least, place
