"""Estimate insert sizes and the orientation of mates from their positions on the contigs.

A mate is placed by its first 31 bases if these occur exactly once in the contigs, without an alignment: the contigs are
scanned once, against a table of the mates. The insert size of a pair on one contig is the distance between the first
bases of its mates, both included; for mates that face each other, this is the fragment length. On a circular contig,
the shorter of the two distances counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.reads.read_statistics import NO_START, START_BP, PairStarts

#: Contigs that are shorter hold few pairs, and none that lie far apart.
LEAST_CONTIG_BP = 500
#: So much of the contigs is looked at, the longest first: enough to place most of a sample of a large genome too.
MOST_CONTIG_BP = 20_000_000
#: With fewer pairs a median says little.
LEAST_PAIRS = 20
#: Rows of a histogram, at most
_BINS = 100

_CHUNK_BP = 1 << 18  # arrays of k-mers of so many bases stay in the cache
_FILTER_BITS = 22
_HASH = np.uint64(0x9E3779B97F4A7C15)
_PAIRS, _NIBBLES = np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_CODES = np.full(256, 255, np.uint8)
_CODES[np.frombuffer(b"ACGT", np.uint8)] = np.arange(4)

Codes = NDArray[np.uint64]


@dataclass(frozen=True)
class SizeSummary:
    """Insert sizes of some pairs.

    Attributes
    ----------
    median_bp, lower_bp, upper_bp : int
        Half, a quarter and three quarters of the pairs are below.
    spread_bp : float
        Median of the deviations from the median, times 1.4826: what the standard deviation is without outliers.
    first_bp, bin_bp : int
        The histogram's first insert size, and the width of its bins.
    numbers : tuple of int
        Pairs in each bin. The one in a thousand that is shorter than all others, and those that are far longer, are
        left out.
    """

    median_bp: int
    lower_bp: int
    upper_bp: int
    spread_bp: float
    first_bp: int
    bin_bp: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class InsertSizes:
    """Insert sizes and orientations of the sampled pairs of one paired input.

    Attributes
    ----------
    n_pairs : int
        In the sample.
    n_placed : int
        Pairs whose mates were both placed, on the same contig.
    n_inward, n_outward, n_same : int
        Of these, pairs that face each other (FR), away from each other (RF), and those with mates on the same
        strand (FF).
    orientation : str or None
        The commonest: ``FR``, ``RF`` or ``FF``; None if fewer than 20 pairs are placed in it.
    sizes : SizeSummary or None
        Of the pairs of this orientation.
    """

    n_pairs: int
    n_placed: int
    n_inward: int
    n_outward: int
    n_same: int
    orientation: str | None
    sizes: SizeSummary | None


@dataclass(frozen=True)
class _Places:
    """Where mates start: position in the contigs' text, strand, contig; all of shape=(n,), -1 where not known."""

    position: NDArray[np.int64]
    reverse: NDArray[np.bool_]
    contig: NDArray[np.int64]


def insert_sizes(contigs: Contigs, pairs: Sequence[PairStarts]) -> list[InsertSizes]:
    """Measure the insert sizes of each paired input.

    Parameters
    ----------
    contigs : Contigs
        The longest first, arrays on the host.
    pairs : sequence of PairStarts
        As of `PairSample.pairs`.
    """
    mates = [mate for pair in pairs for mate in pair]
    if not mates:
        return []
    places = _placed(contigs, np.concatenate(mates))
    ends = np.cumsum([0, *map(len, mates)])
    parts = [
        _Places(places.position[start:end], places.reverse[start:end], places.contig[start:end])
        for start, end in pairwise(ends.tolist())
    ]
    return [_measured(contigs, first, second) for first, second in zip(parts[0::2], parts[1::2], strict=True)]


def _measured(contigs: Contigs, first: _Places, second: _Places) -> InsertSizes:
    together = np.flatnonzero((first.contig == second.contig) & (first.contig >= 0))
    contig = first.contig[together]
    around = np.where(contigs.circular[contig], contigs.lengths[contig], 0)
    a, b = first.position[together], second.position[together]
    turned = first.reverse[together]
    forward, backward = np.where(turned, b, a), np.where(turned, a, b)
    facing, averted = _on_circular(backward - forward + 1, around), _on_circular(forward - backward + 1, around)
    same = turned == second.reverse[together]
    inward = ~same & np.where(around > 0, facing <= averted, facing > 0)
    distance = np.where(inward, facing, averted)
    gap = np.abs(a - b)
    distance[same] = np.where(around > 0, np.minimum(gap, around - gap), gap)[same] + 1
    kinds = {"FR": inward, "RF": ~same & ~inward, "FF": same}
    counts = {name: int(np.count_nonzero(kind)) for name, kind in kinds.items()}
    commonest = max(counts, key=lambda name: counts[name])
    sizes = np.sort(distance[kinds[commonest]])
    few = len(sizes) < LEAST_PAIRS
    return InsertSizes(
        n_pairs=len(first.position),
        n_placed=len(together),
        n_inward=counts["FR"],
        n_outward=counts["RF"],
        n_same=counts["FF"],
        orientation=None if few else commonest,
        sizes=None if few else _summary(sizes),
    )


def _on_circular(gap: NDArray[np.int64], around: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return gaps modulo the length of circular contigs, ``around`` (0 for linear ones); shape=(n,)."""
    return np.where(around > 0, gap % np.maximum(around, 1), gap)


def _summary(sizes: NDArray[np.int64]) -> SizeSummary:
    """Of ascending sizes."""
    n_left_out = len(sizes) // 1000  # at each end
    lower, median, upper = (int(sizes[len(sizes) * i // 4]) for i in (1, 2, 3))
    spread = 1.4826 * float(np.median(np.abs(sizes - median)))
    first = int(sizes[n_left_out])
    last = min(int(sizes[-1 - n_left_out]), int(median + 8 * max(spread, median / 8)))
    width = max(1, -(-(last - first + 1) // _BINS))
    numbers = np.bincount((sizes[(sizes >= first) & (sizes <= last)] - first) // width)
    return SizeSummary(median, lower, upper, spread, first, width, tuple(numbers.tolist()))


def _placed(contigs: Contigs, codes: Codes) -> _Places:
    """Where each start is, if it is in the contigs once, in either strand."""
    distinct, which = np.unique(codes, return_inverse=True)
    distinct = distinct[: np.searchsorted(distinct, NO_START)]
    found_at, hits = _occurrences(contigs, distinct)
    position = np.append(np.where(hits == 1, found_at, -1), -1)[np.minimum(which, len(distinct))]
    known = position >= 0
    reverse = known & (position % 2 == 1)
    # The first base of a mate on the other strand is the last one of the k-mer that was found.
    position = np.where(known, position // 2 + np.where(reverse, START_BP - 1, 0), -1)
    contig = np.where(known, np.searchsorted(contigs.offsets, position, side="right") - 1, -1)
    return _Places(position, reverse, contig)


def _occurrences(contigs: Contigs, distinct: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find for each start 2 * position + strand of its last occurrence in the contigs, and its count."""
    both = np.concatenate([distinct, _reverse_complement(distinct)])
    order = np.argsort(both, kind="stable")
    table = both[order]
    may_be = np.zeros(1 << _FILTER_BITS, np.bool_)
    may_be[_hash(table)] = True
    found_at, hits = np.full(len(distinct), -1), np.zeros(len(distinct), np.int64)
    for start, kmers in _kmers(contigs) if len(distinct) else ():
        candidates = np.flatnonzero(may_be[_hash(kmers)])
        sought = kmers[candidates]
        row = np.searchsorted(table, sought)
        # A start that is its own reverse complement cannot be: 31 is odd. But two starts may be each other's.
        for shift in (0, 1):
            at = np.minimum(row + shift, len(table) - 1)
            match = np.flatnonzero((table[at] == sought) & (row + shift < len(table)))
            strand, index = np.divmod(order[at[match]], len(distinct))
            found_at[index] = 2 * (start + candidates[match]) + strand
            np.add.at(hits, index, 1)
    return found_at, hits


def _hash(codes: Codes) -> Codes:
    return (codes * _HASH) >> np.uint64(64 - _FILTER_BITS)


def _kmers(contigs: Contigs) -> Iterator[tuple[int, Codes]]:
    """K-mers of the longest contigs, a chunk of the text at a time: where it starts, and the k-mer at each place."""
    n_contigs = int(np.count_nonzero(contigs.lengths >= LEAST_CONTIG_BP))
    end = min(int(contigs.offsets[n_contigs]), MOST_CONTIG_BP)
    for start in range(0, end - START_BP + 1, _CHUNK_BP):
        codes = _CODES[contigs.text[start : min(end, start + _CHUNK_BP + START_BP - 1)]]
        kmers = _rolled(codes)
        kmers[_broken(contigs, codes, start)] = NO_START
        yield start, kmers


def _broken(contigs: Contigs, codes: NDArray[np.uint8], start: int) -> NDArray[np.int64]:
    """Places at which a k-mer would hold an ambiguous base or go beyond the end of its contig."""
    before = np.arange(1 - START_BP, 1)
    first, last = np.searchsorted(contigs.offsets, [start + 1, start + len(codes)])
    ends, odd = contigs.offsets[first:last] - start, np.flatnonzero(codes > 3)
    bad = np.concatenate([np.add.outer(ends, before[:-1]).ravel(), np.add.outer(odd, before).ravel()])
    return bad[(bad >= 0) & (bad <= len(codes) - START_BP)]


def _rolled(codes: NDArray[np.uint8]) -> Codes:
    """All 31-mers of a text of codes, by doubling: 1, 2, 4, 8, 16, 31 bases."""
    rolled: Any = codes & np.uint8(3)
    for n_bases, dtype in ((1, np.uint8), (2, np.uint8), (4, np.uint16), (8, np.uint32)):
        wide: NDArray[Any] = rolled.astype(dtype)
        rolled = (wide[:-n_bases] << (2 * n_bases)) | wide[n_bases:]
    last: Codes = rolled.astype(np.uint64)
    return (last[:-15] << np.uint64(30)) | (last[15:] & np.uint64(2**30 - 1))


def _reverse_complement(codes: Codes) -> Codes:
    """Of 31 bases in the lower 62 bits."""
    two, four = np.uint64(2), np.uint64(4)
    swapped = ((codes >> two) & _PAIRS) | ((codes & _PAIRS) << two)
    swapped = ((swapped >> four) & _NIBBLES) | ((swapped & _NIBBLES) << four)
    return ~swapped.byteswap() >> np.uint64(64 - 2 * START_BP)
