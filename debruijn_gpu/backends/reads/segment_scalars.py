"""Hash reads and gather segments of packed bases: scalar functions of both backends.

Bases are packed as in `ReadBatch`. Positions and numbers of bases are int64.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import bases_from
from debruijn_gpu.backends.core.scalars import mix

ALL_BASES = np.uint64(0xFFFFFFFFFFFFFFFF)
AMBIGUOUS_BASE = np.uint64(1 << 63)  # so that its position is no word of bases


def row_of(item, offsets):
    """Row that holds an item: the last one that starts at the item or before."""
    low, high = 0, offsets.size - 2
    while low < high:
        middle = (low + high + 1) >> 1
        if offsets[middle] <= item:
            low = middle
        else:
            high = middle - 1
    return low


def first_at_or_after(position, positions):
    """Index of the first of ascending positions that is not less than a position."""
    low, high = 0, positions.size
    while low < high:
        middle = (low + high) >> 1
        if positions[middle] < position:
            low = middle + 1
        else:
            high = middle
    return low


def packed_word(word, row, bases, starts, offsets):
    """Gather 32 bases of segments that follow each other; beyond the last one, A.

    Parameters
    ----------
    word : int64
        Number of the word.
    row : int64
        Segment of its first base.
    bases : in, uint64; packed bases
    starts : in, int64 (n,); first base of each segment
    offsets : in, int64 (n + 1,); of the result

    Returns
    -------
    uint64
    """
    value = np.uint64(0)
    place = 32 * word
    stop = min(place + 32, offsets[offsets.size - 1])
    while place < stop:
        while offsets[row + 1] <= place:
            row += 1
        n = min(stop, offsets[row + 1]) - place
        source = starts[row] + place - offsets[row]
        loaded = bases_from(bases, source) & (ALL_BASES << np.uint64(64 - 2 * n))
        value |= loaded >> np.uint64(2 * (place - 32 * word))
        place += n
    return value


def hash_read(bases, start, stop, ambiguous_positions, first_ambiguous):
    """Hash (uint64) of the content of a read: its length, its bases, and which of them are ambiguous.

    Parameters
    ----------
    bases : in, uint64
    start, stop : int64
        First base of the read, and of the next one.
    ambiguous_positions : in, int64
    first_ambiguous : int64
        Index of the first of these that is not before the read.
    """
    value = mix(np.uint64(stop - start))
    for at in range(start, stop, 32):
        n = min(32, stop - at)
        value = mix(value ^ (bases_from(bases, at) & (ALL_BASES << np.uint64(64 - 2 * n))))
    i = first_ambiguous
    while i < ambiguous_positions.size and ambiguous_positions[i] < stop:
        value = mix(value ^ AMBIGUOUS_BASE ^ np.uint64(ambiguous_positions[i] - start))
        i += 1
    return value
