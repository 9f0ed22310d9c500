"""Contig statistics with the names and definitions of QUAST, so that both can stand in one table."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.run.plain_text import counted

#: The lengths for which QUAST counts contigs and bases, whatever the minimum of the other rows.
THRESHOLDS_BP = (0, 1000, 5000, 10000, 25000, 50000)

_NOT_DEFINED = "-"
_LONG_ROW = 1000  # bases of a contig, on average
_LONG_BP = 2000  # of longer sequences NumPy counts letters faster than bytes do


@dataclass(frozen=True)
class ContigStats:
    """The statistics that QUAST reports without a reference; None if there is no such contig.

    Attributes
    ----------
    n_contigs_from, total_bp_from : tuple of int
        Number and bases of the contigs of at least ``THRESHOLDS_BP[i]`` bases, among all contigs.
    n_contigs, largest_bp, total_bp : int
        These and all that follow are of the contigs of at least the minimum length.
    gc_percent : float or None
        G and C among A, C, G and T.
    n50_bp, n90_bp : int or None
        Length of the shortest of the longest contigs that together hold 50 (90) % of the bases.
    l50, l90 : int or None
        Number of these contigs.
    aun_bp : float or None
        Mean length of the contig that a random base is in (area under the Nx curve).
    ns_per_100_kbp : float or None
        Bases that are not A, C, G or T.
    """

    n_contigs_from: tuple[int, ...]
    total_bp_from: tuple[int, ...]
    n_contigs: int
    largest_bp: int
    total_bp: int
    gc_percent: float | None
    n50_bp: int | None
    n90_bp: int | None
    aun_bp: float | None
    l50: int | None
    l90: int | None
    ns_per_100_kbp: float | None

    def sentence(self) -> str:
        """The figures that matter most."""
        return (
            f"{counted(self.n_contigs, 'contig')}, {self.total_bp:,} bp, largest {self.largest_bp:,}, "
            f"N50 {_text(self.n50_bp, ',')}, GC {_text(self.gc_percent, '.2f')} %"
        )

    def rows(self) -> list[tuple[str, str]]:
        """Names and values as QUAST writes them, in its order."""
        return [
            *_threshold_rows("# contigs", self.n_contigs_from),
            *_threshold_rows("Total length", self.total_bp_from),
            ("# contigs", str(self.n_contigs)),
            ("Largest contig", str(self.largest_bp)),
            ("Total length", str(self.total_bp)),
            ("GC (%)", _text(self.gc_percent, ".2f")),
            ("N50", _text(self.n50_bp)),
            ("N90", _text(self.n90_bp)),
            ("auN", _text(self.aun_bp, ".1f")),
            ("L50", _text(self.l50)),
            ("L90", _text(self.l90)),
            ("# N's per 100 kbp", _text(self.ns_per_100_kbp, ".2f")),
        ]


def _threshold_rows(name: str, values: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(f"{name} (>= {t} bp)", str(value)) for t, value in zip(THRESHOLDS_BP, values, strict=True)]


def _text(value: float | None, spec: str = "d") -> str:
    return _NOT_DEFINED if value is None else format(value, spec)


def contig_stats(
    lengths_bp: ArrayLike, gc_counts: ArrayLike, n_counts: ArrayLike, min_contig_bp: int = 0
) -> ContigStats:
    """Compute statistics from the composition of each contig.

    Parameters
    ----------
    lengths_bp, gc_counts, n_counts : array_like of int, shape=(n,)
        Bases of each contig, those that are G or C, and those that are not A, C, G or T.
    min_contig_bp : int
        Shorter contigs count only in the rows that name a length.
    """
    lengths = np.asarray(lengths_bp, dtype=np.int64)
    kept = lengths >= min_contig_bp
    chosen = np.sort(lengths[kept])[::-1]
    total_bp = int(chosen.sum())
    n_bp = int(np.asarray(n_counts, dtype=np.int64)[kept].sum())
    gc_bp = int(np.asarray(gc_counts, dtype=np.int64)[kept].sum())
    n50_bp, l50 = nx_lx(chosen, 50)
    n90_bp, l90 = nx_lx(chosen, 90)
    return ContigStats(
        n_contigs_from=tuple(int((lengths >= t).sum()) for t in THRESHOLDS_BP),
        total_bp_from=tuple(int(lengths[lengths >= t].sum()) for t in THRESHOLDS_BP),
        n_contigs=len(chosen),
        largest_bp=int(chosen[0]) if len(chosen) else 0,
        total_bp=total_bp,
        gc_percent=100 * gc_bp / (total_bp - n_bp) if total_bp > n_bp else None,
        n50_bp=n50_bp,
        n90_bp=n90_bp,
        aun_bp=_sum_of_squares(chosen) / total_bp if total_bp else None,
        l50=l50,
        l90=l90,
        ns_per_100_kbp=100_000 * n_bp / total_bp if total_bp else None,
    )


def nx_lx(lengths: NDArray[np.int64], percent: int, genome_bp: int | None = None) -> tuple[int | None, int | None]:
    """Nx and Lx of lengths in falling order, or NGx and LGx of a genome; None where there are too few bases."""
    if not lengths.any():
        return None, None
    sums = np.cumsum(lengths)
    needed = -(-(int(sums[-1]) if genome_bp is None else genome_bp) * percent // 100)
    if needed > sums[-1]:
        return None, None
    i = int(np.searchsorted(sums, needed))
    return int(lengths[i]), i + 1


def _sum_of_squares(lengths: NDArray[np.int64]) -> int:
    """In Python's integers: two chromosomes of 3 Gbp are too much for 64 bits."""
    values, counts = np.unique(lengths, return_counts=True)
    return sum(v * v * n for v, n in zip(values.tolist(), counts.tolist(), strict=True))


def stats_of_contigs(contigs: Contigs, min_contig_bp: int = 0) -> ContigStats:
    """Compute statistics of assembled contigs."""
    return contigs.compositions.stats(min_contig_bp)


@dataclass(frozen=True)
class Compositions:
    """Composition of each contig: length, number of G and C, and of other than A, C, G or T; int64, shape=(n,)."""

    lengths_bp: NDArray[np.int64]
    gc_counts: NDArray[np.int64]
    n_counts: NDArray[np.int64]
    gap_counts: NDArray[np.int64] | None = None  # runs of N, if these were counted; of shape (n,), too

    def stats(self, min_contig_bp: int = 0) -> ContigStats:
        """Statistics of these contigs."""
        return contig_stats(self.lengths_bp, self.gc_counts, self.n_counts, min_contig_bp)


def compositions_of_contigs(contigs: Contigs) -> Compositions:
    """Count the letters of contigs; each has at least one base."""
    if len(contigs) == 0:
        return compositions([])
    gc_counts, at_counts = (
        _row_counts((contigs.text == letters[0]) | (contigs.text == letters[1]), contigs.offsets)
        for letters in (b"GC", b"AT")
    )
    return Compositions(contigs.lengths, gc_counts, contigs.lengths - gc_counts - at_counts)


def _row_counts(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the set elements of rows of at least one element; long rows one by one, which is ten times faster."""
    if len(mask) < _LONG_ROW * (len(offsets) - 1):
        return np.add.reduceat(mask, offsets[:-1], dtype=np.int64)
    return np.array([np.count_nonzero(mask[start:stop]) for start, stop in pairwise(offsets.tolist())], np.int64)


def compositions(sequences: Iterable[bytes]) -> Compositions:
    """Compositions of sequences in upper case, which are read one by one and not kept."""
    return compositions_of_parts((sequence, True) for sequence in sequences)


def compositions_of_parts(parts: Iterable[tuple[bytes, bool]]) -> Compositions:
    """Count the letters of sequences in parts; True beside a part starts a sequence."""
    lengths, gc_counts, n_counts, gap_counts = array("q"), array("q"), array("q"), array("q")
    ends_in_gap = False
    for letters, is_first in parts:
        if is_first:
            ends_in_gap = False
            for counts in (lengths, gc_counts, n_counts, gap_counts):
                counts.append(0)
        if letters:
            gap_counts[-1] += _count_gaps(letters, ends_in_gap)
            ends_in_gap = letters.endswith(b"N")
        n_gc, n_at = _count_bases(letters)
        lengths[-1] += len(letters)
        gc_counts[-1] += n_gc
        n_counts[-1] += len(letters) - n_gc - n_at
    return Compositions(*(np.array(counts, np.int64) for counts in (lengths, gc_counts, n_counts, gap_counts)))


def _count_gaps(letters: bytes, is_continued: bool) -> int:
    """Count runs of N that begin in a part of a sequence; whether the part before ended in one."""
    if b"N" not in letters:
        return 0
    is_unknown = np.frombuffer(letters, np.uint8) == ord("N")
    return int(np.count_nonzero(is_unknown[1:] & ~is_unknown[:-1])) + int(is_unknown[0] and not is_continued)


def _count_bases(sequence: bytes) -> tuple[int, int]:
    """Count the bases that are G or C, and A or T."""
    if len(sequence) < _LONG_BP:
        return sequence.count(b"G") + sequence.count(b"C"), sequence.count(b"A") + sequence.count(b"T")
    letters = np.frombuffer(sequence, np.uint8)
    # G and C differ in one bit, which no other letter has in common with them.
    n_gc = np.count_nonzero((letters & 0xFB) == ord("C"))
    n_at = np.count_nonzero(letters == ord("A")) + np.count_nonzero(letters == ord("T"))
    return int(n_gc), int(n_at)
