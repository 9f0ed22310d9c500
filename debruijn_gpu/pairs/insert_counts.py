"""Count insert sizes of pairs within one unitig, and the insert sizes and orientation of a library from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.insert_sizes import TOO_FEW, UNRELATED, InsertSizes, SizeSummary

Longs = NDArray[np.int64]

#: The last two are on one strand: the second mate ahead of the first, or behind it.
ORIENTATIONS = ("FR", "RF", "FF", "RR")
#: Longer inserts are not told apart.
MOST_INSERT_BP = 1 << 15
#: Pairs are counted by the room from their leftmost first base to the end of the unitig, in powers of 2 from the first
#: of these on. Which mate that is does not matter.
_LEAST_ROOM_BITS, _N_ROOMS = 8, 9
#: So many pairs describe a distribution; with fewer, those with less room are taken.
_ENOUGH_PAIRS = 1_000
#: With fewer pairs of one orientation a median says little.
LEAST_PAIRS = 20
_MAD = 1.4826  # a median deviation times this is the standard deviation of a normal distribution
_BINS = 100  # rows of a histogram, at most


class InsertCounts:
    """Counts insert sizes of pairs by orientation, and by the room that each pair had.

    Short unitigs hold no long inserts. Pairs with much room tell the distribution without that bias.
    """

    def __init__(self) -> None:
        self._counts = np.zeros((len(ORIENTATIONS), _N_ROOMS, MOST_INSERT_BP), np.int64)

    def add(self, anchors: Longs, lengths: Longs, around: Longs) -> None:
        """Count pairs.

        Parameters
        ----------
        anchors : ndarray, dtype=int64, shape=(4, n)
            Vertex and start of first mates, and of second mates on the same unitig.
        lengths, around : ndarray, dtype=int64, shape=(n,)
            Length of the unitig; that of its circle, or 0 if it is not circular.
        """
        is_circular = around > 0
        if is_circular.any():
            self._count(*_of_circular(anchors[:, is_circular], lengths[is_circular], around[is_circular]))
            anchors, lengths = anchors[:, ~is_circular], lengths[~is_circular]
        self._count(*_of_linear(anchors, lengths))

    def _count(self, kind: Longs, size: Longs, room: Longs) -> None:
        bits = np.frexp(room.astype(np.float64))[1] - 1 - _LEAST_ROOM_BITS
        rank = np.clip(bits, 0, _N_ROOMS - 1)
        # A mate may begin beyond the end of a unitig that it runs into.
        known = (size > 0) & (room > 0)
        place = (kind * _N_ROOMS + rank) * MOST_INSERT_BP + np.minimum(size, MOST_INSERT_BP - 1)
        np.add.at(self._counts.reshape(-1), place[known], 1)

    def by_orientation(self) -> dict[str, int]:
        """Count all pairs by orientation."""
        return dict(zip(ORIENTATIONS, self._counts.sum(axis=(1, 2)).tolist(), strict=True))

    def sizes(self, orientation: str) -> Longs:
        """Count the pairs of an orientation by insert size, shape (longest + 1,), with as much room as possible."""
        by_room = self._counts[ORIENTATIONS.index(orientation)]
        with_room = np.cumsum(by_room[::-1], axis=0)[::-1]
        totals = with_room.sum(axis=1)
        enough = np.flatnonzero(totals >= min(_ENOUGH_PAIRS, int(totals[0] + 1) // 2))
        counts: Longs = with_room[enough[-1] if len(enough) else 0]
        seen = np.flatnonzero(counts[:-1])
        return counts[: int(seen[-1]) + 1 if len(seen) else 1]

    def orientation(self) -> str:
        """Return the commonest orientation; of equal ones the first."""
        numbers = self.by_orientation()
        return max(numbers, key=lambda name: numbers[name])

    def why_unusable(self) -> str | None:
        """Return why these pairs cannot be used; see `InsertSizes`.

        Of unrelated mates, each orientation has a quarter: none has two fifths.
        """
        if int(self.sizes(self.orientation()).sum()) < LEAST_PAIRS:
            return TOO_FEW
        numbers = self.by_orientation().values()
        return UNRELATED if 5 * max(numbers) < 2 * sum(numbers) else None


def _of_linear(anchors: Longs, lengths: Longs) -> tuple[Longs, Longs, Longs]:
    """Compute orientation, insert size and room of pairs on unitigs that are not circular."""
    vertex, start, other_vertex, other_start = anchors
    same = vertex == other_vertex
    ahead = lengths - other_start - start  # from the first base of one mate to that of the other, both included
    distance = other_start - start
    size = np.where(same, np.abs(distance) + 1, np.where(ahead > 0, ahead, 2 - ahead))
    kind = 2 * same + np.where(same, distance < 0, ahead <= 0)
    room, other_room = (
        np.where(vertices & 1, starts + 1, lengths - starts) for vertices, starts in (anchors[:2], anchors[2:])
    )
    return kind, size, np.maximum(room, other_room)


def _of_circular(anchors: Longs, lengths: Longs, around: Longs) -> tuple[Longs, Longs, Longs]:
    """Compute orientation, insert size and room of pairs on circular unitigs: the shorter way around, all room."""
    vertex, start, other_vertex, other_start = anchors
    same = vertex == other_vertex
    ahead = (lengths - other_start - start) % around
    behind = (start + other_start - lengths + 2) % around
    gap = np.abs(other_start - start)
    size = np.where(same, np.minimum(gap, around - gap) + 1, np.minimum(ahead, behind))
    kind = 2 * same + np.where(same, 2 * ((other_start - start) % around) > around, ahead > behind)
    return kind, size, around


def insert_sizes(n_pairs: int, counts: InsertCounts) -> InsertSizes:
    """Summarise the insert sizes of a paired input of ``n_pairs`` pairs."""
    numbers, why = counts.by_orientation(), counts.why_unusable()
    orientation = counts.orientation() if why is None else None
    return InsertSizes(
        n_pairs=n_pairs,
        n_placed=sum(numbers.values()),
        n_inward=numbers["FR"],
        n_outward=numbers["RF"],
        n_same=numbers["FF"] + numbers["RR"],
        orientation=orientation,
        sizes=None if orientation is None else _summary(counts.sizes(orientation)),
        why_unusable=why,
    )


def _summary(numbers: Longs) -> SizeSummary:
    """Summarise the numbers of pairs of each insert size."""
    lower, median, upper = (quantile(numbers, part, 4) for part in (1, 2, 3))
    spread = deviation(numbers, median)
    total = int(numbers.sum())
    n_left_out = total // 1000  # at each end
    upto = np.cumsum(numbers)
    first = int(np.searchsorted(upto, n_left_out, side="right"))
    last = int(np.searchsorted(upto, total - 1 - n_left_out, side="right"))
    last = min(last, int(median + 8 * max(spread, median / 8)))
    width = max(1, -(-(last - first + 1) // _BINS))
    shown = numbers[first : last + 1]
    rows = np.bincount(np.arange(len(shown)) // width, weights=shown).astype(np.int64)
    return SizeSummary(median, lower, upper, spread, first, width, tuple(rows.tolist()))


def quantile(numbers: Longs, part: int, of: int) -> int:
    """Return the insert size that ``part / of`` of the pairs do not reach, by the numbers of pairs of each size."""
    upto = np.cumsum(numbers)
    return int(np.searchsorted(upto, int(upto[-1]) * part // of, side="right"))


def deviation(numbers: Longs, median: int) -> float:
    """Estimate the standard deviation by the median of the deviations from a median."""
    deviations = np.bincount(np.abs(np.arange(len(numbers)) - median), weights=numbers).astype(np.int64)
    return _MAD * quantile(deviations, 1, 2)
