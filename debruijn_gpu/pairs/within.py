"""Places on sequences that are numbered one after another, and pairs on one sequence in 64 bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]

#: Sequences begin at multiples of this, so that bins of places belong to one sequence each.
BIN_BP = 16
_DISTANCE_BITS, _FLAG_BITS = 24, 3


class Coordinates:
    """Numbers the bases of sequences.

    Parameters
    ----------
    lengths : ndarray, dtype=int64, shape=(n,)
    around : ndarray, dtype=int64, shape=(n,), or None
        Length of the circle of circular ones, or 0.

    Attributes
    ----------
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Place of the first base of each sequence.
    """

    def __init__(self, lengths: Longs, around: Longs | None = None) -> None:
        self.lengths = lengths
        self.around = np.zeros_like(lengths) if around is None else around
        self.offsets = np.concatenate(([0], np.cumsum((lengths // BIN_BP + 1) * BIN_BP)))

    @property
    def n_bins(self) -> int:
        return int(self.offsets[-1]) // BIN_BP

    def place(self, vertices: Longs, starts: Longs) -> Longs:
        """Compute the place of the first base of reads on vertices, moved into the unitig if it is outside."""
        unitigs = vertices >> 1
        lengths, around = self.lengths[unitigs], self.around[unitigs]
        at = np.where(vertices & 1, lengths - 1 - starts, starts)
        at = np.where(around > 0, at % np.maximum(around, 1), np.clip(at, 0, lengths - 1))
        found: Longs = self.offsets[unitigs] + at
        return found

    def sequence_of(self, places: Longs) -> Longs:
        """Find the sequence of places."""
        found: Longs = np.searchsorted(self.offsets, places, side="right") - 1
        return found


def packed(low: Longs, distance: Longs, flags: Longs | int) -> Longs:
    """Pack pairs on one sequence so that they sort by place: lower place, distance to the higher one, three flags."""
    far = np.minimum(distance, (1 << _DISTANCE_BITS) - 1)
    return low << (_DISTANCE_BITS + _FLAG_BITS) | far << _FLAG_BITS | flags


def unpacked(pairs: Longs) -> tuple[Longs, Longs, Longs]:
    """Return lower places, distances and flags of packed pairs."""
    distance = pairs >> _FLAG_BITS & ((1 << _DISTANCE_BITS) - 1)
    return pairs >> (_DISTANCE_BITS + _FLAG_BITS), distance, pairs & ((1 << _FLAG_BITS) - 1)


def packed_anchors(anchors: Longs, at: Coordinates) -> Longs:
    """Pack pairs within unitigs.

    The flags are 1 if the second mate is the lower one, 2 and 4 if the lower and the higher mate are on the reverse
    strand.

    Parameters
    ----------
    anchors : ndarray, dtype=int64, shape=(4, n)
        Vertex and start of first mates, and of second mates on the same unitig.
    at : Coordinates
        Of the unitigs.
    """
    places = [at.place(anchors[row], anchors[row + 1]) for row in (0, 2)]
    strands = anchors[0] & 1, anchors[2] & 1
    swaps = (places[1] < places[0]) | ((places[1] == places[0]) & (strands[1] < strands[0]))
    low_strand, high_strand = np.where(swaps, strands[::-1], strands)
    return packed(np.minimum(*places), np.abs(places[1] - places[0]), swaps | low_strand << 1 | high_strand << 2)
