"""Tell unitigs of single-copy sequence from those of repeats, by the number of reads that begin in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.quantiles import weighted_median
from debruijn_gpu.assembly.rarer_genomes import border, is_less
from debruijn_gpu.pairs.placed_reads import END_BP

Longs = NDArray[np.int64]
Nearby = Callable[[Longs, Longs], NDArray[np.float64]]

#: Unitigs of this length and more show how many reads begin at a base of single-copy sequence.
_LONG_BP = 2_000
#: Odds, as a logarithm, that a unitig has two copies rather than one: below the negative it is taken for single-copy,
#: above for a repeat, and in between it is neither.
SURE = 2.0
#: A genome of a mixture is at least so many times as deep as a rarer one, and deeper sequence is of another genome from
#: so many times on. Copies of a repeat are fewer, or are less than a tenth of the sequence.
_LESS, _MORE = 2.25, 4
#: Depths of two unitigs of one genome differ by less than this factor.
_ALIKE = 1.6
#: Long unitigs of a genome of a mixture, at least; a replicon of fewer may be in many copies
_LEAST_UNITIGS = 10
#: Of a rarer genome also so many unitigs of `_LONG_BP` and more, with so many bases: it is no replicon in many copies
_LEAST_LONG, _LEAST_BP = 3, 50_000
#: Less deep unitigs are thin parts of a genome if their median is more than such a part of its depth: 0.41 to 0.58 of
#: genomes with GC bias
_MOST_THIN = 0.3


@dataclass(frozen=True)
class CopyNumbers:
    """Copy numbers of unitigs.

    Attributes
    ----------
    rate : float
        Reads that begin at a base of most single-copy sequence.
    copies : ndarray, dtype=float64, shape=(n,)
        Relative to single-copy sequence of the genome that a unitig is of.
    expected : ndarray, dtype=float64, shape=(n,)
        Reads that begin in one copy of a unitig, by the rate; 0 if nothing is known.
    shares : ndarray, dtype=float64, shape=(n,)
        Depth of this genome relative to `rate`: 1, but for the genomes of a mixture.
    """

    rate: float
    copies: NDArray[np.float64]
    expected: NDArray[np.float64]
    shares: NDArray[np.float64]

    @cached_property
    def odds(self) -> NDArray[np.float64]:
        """Odds, as a logarithm, of two copies rather than one; 0 if nothing is known."""
        found: NDArray[np.float64] = self.expected * (self.copies * math.log(2.0) - 1.0)
        return found

    @cached_property
    def is_single(self) -> NDArray[np.bool_]:
        """Whether unitigs certainly have one copy."""
        found: NDArray[np.bool_] = self.odds < -SURE
        return found

    @cached_property
    def is_repeat(self) -> NDArray[np.bool_]:
        """Whether unitigs certainly have more."""
        found: NDArray[np.bool_] = self.odds > SURE
        return found

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Copy numbers as integers, 1 or more."""
        return np.maximum(1, np.rint(self.copies)).astype(np.int64)

    @property
    def is_mixture(self) -> bool:
        """Whether unitigs are of several genomes."""
        return bool(np.any(self.shares != 1.0))

    @property
    def rates(self) -> NDArray[np.float64]:
        """Reads that begin at a base of single-copy sequence of the genome that a vertex is of."""
        return np.repeat(self.rate * self.shares, 2)

    @property
    def depths(self) -> NDArray[np.float64]:
        """Depths of unitigs, relative to `rate`."""
        found: NDArray[np.float64] = self.copies * self.shares
        return found

    def reads_of(self, unitig: int, n_kmers: int) -> tuple[float, float]:
        """Reads that begin in a unitig, and those expected of one copy: by its k-mers if nothing else is known."""
        expected = float(self.expected[unitig]) or float(self.rate * self.shares[unitig]) * n_kmers
        return float(self.copies[unitig]) * expected, expected

    def n_bases_of(self, unitigs: Iterable[int], n_kmers: Longs) -> float:
        """Bases of some unitigs in all of their copies, by the k-mers of each vertex."""
        return sum(float(self.copies[unitig]) * int(n_kmers[2 * unitig]) for unitig in unitigs)

    def of(self, unitigs: Longs) -> CopyNumbers:
        """The same for unitigs by number, which may repeat."""
        return CopyNumbers(self.rate, self.copies[unitigs], self.expected[unitigs], self.shares[unitigs])

    def doubted(self, unitigs: Longs) -> CopyNumbers:
        """The same but for some unitigs, of whose copies nothing is certain."""
        expected = self.expected.copy()
        expected[unitigs] = 0.0
        return replace(self, expected=expected)

    def extended(self, n: int) -> CopyNumbers:
        """The same for n unitigs; further ones are single-copy."""
        more = n - len(self.copies)
        return CopyNumbers(
            self.rate,
            np.append(self.copies, np.ones(more)),
            np.append(self.expected, np.full(more, np.inf)),
            np.append(self.shares, np.ones(more)),
        )


def estimate_copies(
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    depths: NDArray[np.float64],
    n_open: NDArray[np.int64],
    k: int,
    anchor_bp: int,
    parts: Longs | None = None,
    may_be_thin: NDArray[np.bool_] | None = None,
    nearby: Nearby | None = None,
) -> CopyNumbers:
    """Estimate the copy number of unitigs by reads, or by k-mers where they have no anchor.

    Reads that enter a unitig from a neighbour have an anchor there before; those that begin in the bases that it shares
    with a neighbour have their first one within.

    Parameters
    ----------
    starts : ndarray, dtype=int64, shape=(n,)
        Reads whose first anchor is on the unitig.
    lengths : ndarray, dtype=int64, shape=(n,)
    depths : ndarray, dtype=float64, shape=(n,)
        k-mer depths.
    n_open : ndarray, dtype=int64, shape=(n,)
        Ends, of two, that lead on to other unitigs and share k - 1 bases with them, where no read has an anchor.
    k, anchor_bp : int
        Length of the k-mers of the graph, and of those by which reads are placed.
    parts : ndarray, dtype=int64, shape=(n,), or None
        Of a mixture whose genomes are known, the genome of each unitig, see `Genomes.parts_of`.
    may_be_thin : ndarray, dtype=bool, shape=(n,), or None
        Of a genome with thin parts, the unitigs that may be such parts, and are no repeats by the graph.
    nearby : callable or None
        Where depths vary so much that those nearby count: returns the reads that begin at a base of single-copy
        sequence near each unitig, or 0, by bases of unitigs where reads may begin, and by the reads that do.
    """
    k = max(k, anchor_bp)  # neighbours share fewer bases than an anchor has at a smaller k
    room = np.maximum(1, lengths - anchor_bp + 1 - (k - anchor_bp) * n_open // 2)
    has_anchors = lengths - anchor_bp + 1 > (k - anchor_bp + 1) * n_open
    long = has_anchors & (lengths >= min(_LONG_BP, int(np.median(lengths))))
    rate = max(1e-9, weighted_median(starts[long] / room[long], room[long]))
    by_depth = depths / max(1e-9, weighted_median(depths[long], room[long])) * rate
    begun = np.where(has_anchors, starts / room, by_depth)
    is_known = has_anchors
    if nearby is not None:
        rates = nearby(np.where(has_anchors, room, 0), np.where(has_anchors, starts, 0))
        is_known = has_anchors & (rates > 0.0)
        rates = np.maximum(np.where(rates > 0.0, rates, begun), 1e-9)
    elif parts is not None:
        rates = _known_rates(begun, room, long, parts)
    else:
        rates = _rates(begun, room, long)
    if may_be_thin is not None and _are_thin_parts(begun, room, long):
        rates[may_be_thin] = rates.max()
    if parts is not None or nearby is not None:
        rate = float(rates[is_known].max(initial=1e-9))
    expected = rates * room
    return CopyNumbers(
        rate,
        np.where(has_anchors, starts / expected, by_depth / rates),
        np.where(is_known, expected, 0.0),
        rates / rate,
    )


def are_alike(shares: NDArray[np.float64], one: int, other: int) -> bool:
    """Whether two unitigs, or vertices, are of one genome by its depth; see `CopyNumbers.shares`."""
    return bool(shares[one] <= _ALIKE * shares[other] and shares[other] <= _ALIKE * shares[one])


def _rates(starts: NDArray[np.float64], room: Longs, long: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the reads that begin at a base of single-copy sequence of the genome that each unitig is of.

    The deepest genome of a mixture is found first. Long unitigs that are much less deep are of rarer ones. A unitig
    belongs to the deepest genome that is at most twice as deep, and closer to it than the next (geometric mean).

    Parameters
    ----------
    starts : ndarray, dtype=float64, shape=(n,)
        Reads that begin at a base of a unitig.
    room : ndarray, dtype=int64, shape=(n,)
    long : ndarray, dtype=bool, shape=(n,)
    """
    rate = max(1e-9, _deepest(starts, room, long))
    rates = np.full(len(starts), rate)
    while True:
        rare = long & (_LESS * starts < rate)
        deeper, rate = rate, _deepest(starts, room, rare)
        if not _are_genome(room[rare]) or rate <= 0.0:
            return rates
        rates[starts < border(deeper, rate)] = rate


def _are_thin_parts(starts: NDArray[np.float64], room: Longs, long: NDArray[np.bool_]) -> bool:
    """Whether long unitigs that are less deep than single-copy sequence are thin parts, rather than a rarer genome."""
    rate = _deepest(starts, room, long)
    return _deepest(starts, room, long & is_less(starts, np.full(len(starts), rate))) > _MOST_THIN * rate


def _known_rates(
    starts: NDArray[np.float64], room: Longs, long: NDArray[np.bool_], parts: Longs
) -> NDArray[np.float64]:
    """Return the same as `_rates` by the genomes of unitigs, or by depth where that is rarer.

    The median of a genome is that of its own long unitigs, as that of all may be of none.
    """
    rates = np.zeros(len(starts))
    deeper = 0.0
    for part in np.unique(parts)[::-1].tolist():
        is_own = parts == part
        rate = weighted_median(starts[long & is_own], room[long & is_own])
        if rate > 0.0:
            is_rare = (starts < border(deeper, rate)) & is_less(starts, np.full(len(starts), deeper))
            rates[is_own | is_rare | (rates == 0.0)] = rate
            deeper = rate
    return np.maximum(rates, 1e-9)


def _are_genome(room: Longs) -> bool:
    """Whether unitigs that are less deep are of another genome: many, or some long ones, whose depth is certain."""
    long = room[room >= _LONG_BP]
    return len(room) >= _LEAST_UNITIGS or (len(long) >= _LEAST_LONG and int(long.sum()) >= _LEAST_BP)


def _deepest(starts: NDArray[np.float64], room: Longs, chosen: NDArray[np.bool_]) -> float:
    """Return the rate of the deepest of several genomes: one that a tenth of the sequence has at least."""
    while True:
        middle = weighted_median(starts[chosen], room[chosen])
        deeper = chosen & (starts > _MORE * middle)
        is_share = 10 * int(room[deeper].sum()) >= int(room[chosen].sum())
        if middle <= 0.0 or not is_share or int(np.count_nonzero(deeper)) < _LEAST_UNITIGS:
            return middle
        chosen = deeper


def end_odds(end_starts: Longs, lengths: Longs, k: int, rate: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the odds, as a logarithm, that a vertex ends in two copies rather than one.

    Where copies of a repeat differ by little, cleaning leaves one sequence of them, which may begin at the end of a
    single-copy unitig.

    Parameters
    ----------
    end_starts : ndarray, dtype=int64, shape=(n_vertices,)
        See `PlacedReads`.
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
    k : int
    rate : float or ndarray of float64, shape=(n_vertices,)
        See `CopyNumbers`; half of these reads run along a vertex.

    Returns
    -------
    ndarray, dtype=float64, shape=(n_vertices,)
        0 where a vertex is too short.
    """
    odds = end_starts * math.log(2.0) - rate / 2 * END_BP
    return np.where(lengths >= k + END_BP, odds, 0.0)
