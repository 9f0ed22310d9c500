"""Fill the gap between two contig ends that read pairs bring together: by their overlap, or by a walk over reads.

Sources: gap closer of SPAdes (Bankevich et al. 2012), connection of mates in SKESA (Souvorov et al. 2018), local
assembly of MEGAHIT (Li et al. 2015). No filling is better than a wrong one, so whatever is ambiguous stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.unitigs.containers import GapKmers, GapWalk
from debruijn_gpu.run.parallel import ordered_map

SHORTEST_OVERLAP_BP = 9
_BY_CHANCE = 2_000  # one in so many gaps may have an overlap by chance
_SURE_SPREADS, _SURE_BP = 2, 10  # deviation from the estimate of an overlap that no read spans
_APART_SPREADS = 3  # deviation at which the ends of a repeat must still overlap, and are not in two copies of it
_SHORTEST_UNLIKE_BP = 14  # of an overlap with one different base: by chance as rare as one of 11 without
_SPREADS, _SLACK_BP = 4, 20  # deviation from the estimate of what is filled
_MORE_SLACK_BP = 100  # other walks up to this deviation make one ambiguous
_FLANK_BP = 10  # of both sides of an overlap in a read that spans it
_ANCHOR_BP = 16  # last bases of an end in a read that may contradict an overlap
_MOST_OF_ONE_BASE = 0.8  # of an overlap (SPAdes)
_RECURRING_BP = 31  # around a shorter overlap that must not recur nearby
_RECURRING_SPREADS = 6  # bases in standard errors up to which it must not
_PARTS_UNLIKE = 7  # one base in so many may differ where an overlap recurs
BACK_BP = 50  # bases of an end that may be replaced
LONGEST_BP = 10_000  # of a filling
_KMER_SHARE, _SHORTEST_K, _LONGEST_K, _N_KMER_LENGTHS = 0.7, 21, 61, 4
_MIN_COUNTS = 2, 1


@dataclass(frozen=True)
class Gap:
    """A gap between two contig ends.

    Attributes
    ----------
    left : ndarray, dtype=uint8
        Two-bit codes of the last bases before the gap, in reading direction; up to 1000 are looked at.
    right : ndarray, dtype=uint8
        Two-bit codes of the first bases behind the gap.
    estimate_bp, spread_bp : float
        Estimated distance of the ends (negative: they overlap), and its standard error.
    codes : ndarray, dtype=uint8
        Bases of reads that may be in the gap, in any order and of either strand; codes from 4 on are ambiguous.
    offsets : ndarray, dtype=int64, shape=(n_reads + 1,)
        Where each read begins in ``codes``; its last element is their number.
    """

    left: NDArray[np.uint8]
    right: NDArray[np.uint8]
    estimate_bp: float
    spread_bp: float
    codes: NDArray[np.uint8]
    offsets: NDArray[np.int64]


@dataclass(frozen=True)
class Filling:
    """Sequence between two contig ends.

    Attributes
    ----------
    sequence : ndarray, dtype=uint8
        Two-bit codes of the bases between the ends, which are trimmed first; may be empty.
    overlap_bp : int
        Bases that the trimmed ends share; ``sequence`` is empty if there are any.
    left_trim_bp, right_trim_bp : int
        Bases to remove from the ends at the gap, at most `BACK_BP`.
    kind : str
        ``overlap`` or ``reads``: whether the ends overlap, or reads connect them.
    n_reads : int
        Reads that span the overlap, or that hold k-mers of the walk beyond the ends.
    k : int
        Length of the k-mers of the walk; 0 if the overlap alone was looked at.
    """

    sequence: NDArray[np.uint8]
    overlap_bp: int
    left_trim_bp: int
    right_trim_bp: int
    kind: str
    n_reads: int
    k: int


def fill_gaps(gaps: Sequence[Gap], threads: int = 1) -> list[Filling | None]:
    """Fill gaps where overlapping ends or reads determine the sequence; None for each gap that stays open.

    Fillings depend neither on the order and strand of the reads nor on threads, and those of reverse complements are
    reverse complements.
    """
    return list(ordered_map(_fill, gaps, threads))


def _fill(gap: Gap) -> Filling | None:
    """Fill one gap: by the first walk that is found, else by an overlap."""
    gap = _as_arrays(gap)
    lowest, highest = _window(gap, _SPREADS, _MORE_SLACK_BP)
    reads = _Reads(gap)
    attempts = [(min_count, k) for min_count in _MIN_COUNTS for k in reads.lengths] if lowest <= LONGEST_BP else []
    for min_count, k in attempts:
        walk = backends.host().unitigs.walk_gap(
            reads.kmers(k), gap.offsets, min_count, BACK_BP, lowest, min(highest, LONGEST_BP)
        )
        if walk.is_ambiguous:
            return _fill_by_long_overlap(gap)
        if len(walk.sequence):
            return _filling_of(reads, walk, k) or _fill_by_long_overlap(gap)
    return _fill_by_overlap(gap)


def _as_arrays(gap: Gap) -> Gap:
    """Bring the arrays of a gap into the types and layout that kernels take."""
    left, right, codes = (np.ascontiguousarray(part, np.uint8) for part in (gap.left, gap.right, gap.codes))
    offsets = np.ascontiguousarray(gap.offsets, np.int64)
    return Gap(left, right, float(gap.estimate_bp), float(gap.spread_bp), codes, offsets)


def _window(gap: Gap, spreads: int, slack_bp: int) -> tuple[int, int]:
    """Smallest and largest distance of the ends within a number of standard errors and some bases of the estimate."""
    deviation = spreads * gap.spread_bp + slack_bp
    return int(np.ceil(gap.estimate_bp - deviation)), int(np.floor(gap.estimate_bp + deviation))


class _Reads:
    """K-mers of the reads of a gap, indexed when they are first used."""

    def __init__(self, gap: Gap) -> None:
        longest = int(np.diff(gap.offsets).max(initial=0))
        most = min(_LONGEST_K, int(_KMER_SHARE * longest))
        sizes = np.linspace(_SHORTEST_K, most, _N_KMER_LENGTHS) if most >= _SHORTEST_K else ()
        self.gap, self.flank = gap, BACK_BP + _LONGEST_K + longest
        #: Values of k, from the largest
        self.lengths = sorted({int(k) - 1 + int(k) % 2 for k in sizes}, reverse=True)
        self._kmers: dict[int, GapKmers] = {}

    def kmers(self, k: int) -> GapKmers:
        """K-mers of the reads and of the ends."""
        if k not in self._kmers:
            gap, flank = self.gap, self.flank
            index_gap = backends.host().unitigs.index_gap
            self._kmers[k] = index_gap(gap.left[-flank:], gap.right[:flank], gap.codes, gap.offsets, k)
        return self._kmers[k]


def _is_doubtful(reads: _Reads, walk: GapWalk, of_left: int, of_right: int) -> bool:
    """Whether reads may continue otherwise than a walk, which begins ``of_left`` bases before the gap."""
    left, right = reads.gap.left[-reads.flank :], reads.gap.right[: reads.flank]
    before, behind = left[: len(left) - of_left], right[of_right:]
    sequence = np.concatenate((before, walk.sequence, behind))
    n_left, n_right = len(before) + walk.n_left, len(behind) + walk.n_right
    return backends.host().unitigs.is_doubtful_walk(reads.kmers(_SHORTEST_K), sequence, n_left, n_right)


def _filling_of(reads: _Reads, walk: GapWalk, k: int) -> Filling | None:
    """Turn a walk into a filling; None if it does not fit the estimate, or ends overlap that no read spans."""
    gap, n_bases = reads.gap, len(walk.sequence)
    of_left, of_right = min(len(gap.left), BACK_BP + k), min(len(gap.right), BACK_BP + k)
    lowest, highest = _window(gap, _SPREADS, _SLACK_BP)
    if not lowest <= n_bases - of_left - of_right <= highest or _is_doubtful(reads, walk, of_left, of_right):
        return None
    trims = of_left - walk.n_left, of_right - walk.n_right
    start, stop = walk.n_left, n_bases - walk.n_right
    if start <= stop:
        return Filling(walk.sequence[start:stop].copy(), 0, *trims, "reads", walk.n_reads, k)
    around = walk.sequence[max(0, stop - _FLANK_BP) : start + _FLANK_BP]
    n_spanning, _ = backends.host().unitigs.compare_reads(gap.codes, gap.offsets, around, min(_FLANK_BP, len(around)))
    if n_spanning:
        return Filling(_nothing(), start - stop, *trims, "overlap", n_spanning, k)
    other = _fill_by_overlap(gap)
    is_same = other is not None and trims == (0, 0) and other.overlap_bp == start - stop
    return other if is_same else None


def _nothing() -> NDArray[np.uint8]:
    return np.empty(0, np.uint8)


def _fill_by_overlap(gap: Gap) -> Filling | None:
    """Merge ends that share bases in only one way that fits the estimate, and that reads do not contradict."""
    n = _only_overlap(gap)
    if n is None:
        return _fill_by_unlike_overlap(gap)
    n_spanning, n_contradicting = _n_spanning(gap, n), _n_contradicting(gap, n)
    if n_spanning < 3 * n_contradicting:
        return _fill_by_long_overlap(gap)
    if not (n_spanning or (_is_sure(gap, n) and _is_alone(gap, n))):
        return None
    return Filling(_nothing(), n, 0, 0, "overlap", n_spanning, 0)


def _fill_by_long_overlap(gap: Gap) -> Filling | None:
    """Merge ends that share many bases, as many as the estimate says and no other number, whatever reads say.

    Such ends are in a repeat, and reads of its other copies contradict. The estimate has to rule out that the ends are
    in two copies, one behind the other.
    """
    _lowest, highest = _window(gap, _APART_SPREADS, 0)
    n = _only_overlap(gap) if highest < 0 else None
    if not n or not _is_sure(gap, n):
        return None
    n_spanning = _n_spanning(gap, n)
    return Filling(_nothing(), n, 0, 0, "overlap", n_spanning, 0) if n_spanning or _is_alone(gap, n) else None


def _fill_by_unlike_overlap(gap: Gap) -> Filling | None:
    """Merge ends that share all bases but one in only one way that fits the estimate, and that reads do not contradict.

    Where depth is low, one read makes up an end, with its errors. The base is taken from the contig whose end
    is farther away; the gap stays open if both are as far.
    """
    lowest, highest = _window(gap, _SPREADS, _SLACK_BP)
    longest = min(-lowest, 2 * BACK_BP, len(gap.left), len(gap.right))
    lengths = range(max(SHORTEST_OVERLAP_BP, -highest), longest + 1)
    unlike = [(n, np.flatnonzero(gap.left[len(gap.left) - n :] != gap.right[:n])) for n in lengths]
    unlike = [(n, places) for n, places in unlike if len(places) <= 1]
    if len(unlike) != 1:
        return None
    n, places = unlike[0]
    if n < _SHORTEST_UNLIKE_BP or not len(places) or _is_low_complexity(gap.right[:n]):
        return None
    to_right_end, to_left_end = int(places[0]), n - 1 - int(places[0])
    if to_left_end == to_right_end or not (_is_sure(gap, n) and _is_alone(gap, n)) or _n_contradicting(gap, n):
        return None
    trims = (to_left_end + 1, 0) if to_left_end < to_right_end else (0, to_right_end + 1)
    return Filling(_nothing(), n - sum(trims), *trims, "overlap", 0, 0)


def _only_overlap(gap: Gap) -> int | None:
    """Return the number of bases that the ends share if one number alone fits the estimate, unless they are simple."""
    lowest, highest = _window(gap, _SPREADS, _SLACK_BP)
    lengths = backends.host().unitigs.end_overlaps(gap.left, gap.right, max(SHORTEST_OVERLAP_BP, -highest), -lowest)
    n_lengths = -lowest - max(SHORTEST_OVERLAP_BP, -highest) + 1
    if (
        len(lengths) != 1
        or 4 ** int(lengths[0]) < _BY_CHANCE * n_lengths
        or _is_low_complexity(gap.right[: lengths[0]])
    ):
        return None
    return int(lengths[0])


def _is_sure(gap: Gap, n: int) -> bool:
    """Whether an overlap of n bases is as near to the estimate as one that no read spans has to be."""
    low, high = _window(gap, _SURE_SPREADS, _SURE_BP)
    return low <= -n <= high


def _is_alone(gap: Gap, n: int) -> bool:
    """Whether nothing near an overlap of n bases resembles it, as other copies of a tandem repeat do.

    The ends may then be in two copies that are not the same, unless the estimate tells these from each other.
    """
    joined, first = np.concatenate((gap.left, gap.right[n:])), len(gap.left) - n
    more = max(0, -(-(_RECURRING_BP - n) // 2))
    start, stop = max(0, first - more), min(len(joined), first + n + more)
    reach = int(_RECURRING_SPREADS * gap.spread_bp) + _SLACK_BP
    near = joined[max(0, start - reach) : stop + reach]
    windows = np.lib.stride_tricks.sliding_window_view(near, stop - start)
    n_unlike = np.count_nonzero(windows != joined[start:stop], axis=1)
    return int(np.count_nonzero(_PARTS_UNLIKE * n_unlike <= stop - start)) == 1


def _is_low_complexity(sequence: NDArray[np.uint8]) -> bool:
    """Whether one base makes up most of a sequence, or a unit of at most half of it is repeated."""
    n = len(sequence)
    if np.bincount(sequence).max() > _MOST_OF_ONE_BASE * n:
        return True
    return any(np.array_equal(sequence[period:], sequence[: n - period]) for period in range(1, n // 2 + 1))


def _n_spanning(gap: Gap, n: int) -> int:
    """Number of reads that hold an overlap of n bases and some bases of both sides."""
    around = np.concatenate((gap.left[-n - _FLANK_BP :], gap.right[n : n + _FLANK_BP]))
    if len(around) < n + 2 * _FLANK_BP:
        return 0
    return backends.host().unitigs.compare_reads(gap.codes, gap.offsets, around, _FLANK_BP)[0]


def _n_contradicting(gap: Gap, n: int) -> int:
    """Number of reads that hold the last bases of an end and continue otherwise than an overlap of n bases says."""
    compare = backends.host().unitigs.compare_reads
    behind = np.concatenate((gap.left[-_ANCHOR_BP:], gap.right[n : n + _ANCHOR_BP]))
    before = np.concatenate((gap.left[: len(gap.left) - n][-_ANCHOR_BP:], gap.right[:_ANCHOR_BP]))
    other = np.ascontiguousarray(3 - before[::-1])
    return sum(
        compare(gap.codes, gap.offsets, sequence, min(_ANCHOR_BP, len(sequence)))[1] for sequence in (behind, other)
    )
