"""Contigs as walks over segments of the assembly graph, and scaffolds as contigs in order with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.links import links_at_ends
from debruijn_gpu.assembly.statistics import nx_lx
from debruijn_gpu.run.plain_text import counted

#: Shorter gaps are written with this many N, the least that NCBI accepts for an estimated gap.
LEAST_GAP_BP = 10


@dataclass(frozen=True)
class ContigPaths:
    """Walks of contigs over the segments of the assembly graph.

    Attributes
    ----------
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        The walk of contig i is ``steps[offsets[i]:offsets[i + 1]]``, one step or more. That of a circular contig
        closes upon itself; its first step is not repeated.
    steps : ndarray, dtype=int64, shape=(m,)
        2 * segment + strand (1: reverse complement), as segments are numbered in the `Contigs` of the graph.
    """

    offsets: NDArray[np.int64]
    steps: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def first(self, n: int) -> ContigPaths:
        """The walks of the first n contigs."""
        return ContigPaths(self.offsets[: n + 1], self.steps[: self.offsets[n]])

    def ends(self) -> NDArray[np.int64]:
        """First and last step of each walk, shape (n, 2)."""
        return np.column_stack((self.steps[self.offsets[:-1]], self.steps[self.offsets[1:] - 1]))

    def links_at_ends(self, links: NDArray[np.int64], n_segments: int) -> NDArray[np.int64]:
        """Count the links of the graph at the end and at the start of each contig, shape (n, 2).

        Parameters
        ----------
        links : ndarray, dtype=int64, shape=(n_links, 2)
            As `Contigs.links` of the graph.
        n_segments : int
        """
        at_ends = links_at_ends(links, n_segments).ravel()
        first, last = self.ends().T
        return np.column_stack((at_ends[last], at_ends[first ^ 1]))


def paths_of_segments(n: int) -> ContigPaths:
    """Build the walks of n contigs that are the first n segments themselves."""
    return ContigPaths(np.arange(n + 1), 2 * np.arange(n))


@dataclass(frozen=True)
class Scaffolds:
    """Contigs in order and orientation, with estimated gaps between them.

    Each reported contig is in one scaffold, a circular contig in one of its own. `ordered_scaffolds` gives the order
    and the strands in which scaffolds are reported.

    Attributes
    ----------
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Scaffold i is the contigs of ``steps[offsets[i]:offsets[i + 1]]``, one or more.
    steps : ndarray, dtype=int64, shape=(m,)
        2 * contig + strand (1: reverse complement).
    gaps : ndarray, dtype=int64, shape=(m,)
        Estimated bases between a step and the next one, negative where contigs seem to overlap; 0 behind the last
        step of a scaffold.
    n_pairs : ndarray, dtype=int64, shape=(m,)
        Number of pairs that link a step to the next one; 0 behind the last step of a scaffold.
    """

    offsets: NDArray[np.int64]
    steps: NDArray[np.int64]
    gaps: NDArray[np.int64]
    n_pairs: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def is_gap(self) -> NDArray[np.bool_]:
        """Whether a gap follows a step, shape (m,)."""
        found = np.ones(len(self.steps), np.bool_)
        found[self.offsets[1:] - 1] = False
        return found

    @property
    def written_gaps(self) -> NDArray[np.int64]:
        """Number of N behind each step, at least `LEAST_GAP_BP` in a gap, shape (m,)."""
        found: NDArray[np.int64] = np.where(self.is_gap, np.maximum(self.gaps, LEAST_GAP_BP), 0)
        return found

    def lengths(self, contigs: Contigs) -> NDArray[np.int64]:
        """Lengths in bases with the written gaps, shape (n,)."""
        return self._sums(self._sizes(contigs))

    def starts(self, contigs: Contigs) -> NDArray[np.int64]:
        """Position of the first base of each step in its scaffold, from 0 on, shape (m,)."""
        sizes = self._sizes(contigs)
        before = np.cumsum(sizes) - sizes
        found: NDArray[np.int64] = before - np.repeat(before[self.offsets[:-1]], np.diff(self.offsets))
        return found

    def sequence(self, i: int, contigs: Contigs) -> bytes:
        """Sequence of scaffold i, with its gaps as N."""
        return b"".join(self.part(i, i + 1)._texts(contigs))

    def spelled(self, start: int, stop: int, contigs: Contigs) -> Contigs:
        """Spell scaffolds start..stop as contigs with N, with the sums of the k-mer counts of their contigs."""
        some = self.part(start, stop)
        ids = some.steps >> 1
        return Contigs(
            k=contigs.k,
            text=np.frombuffer(b"".join(some._texts(contigs)), np.uint8),
            offsets=np.concatenate((np.zeros(1, np.int64), np.cumsum(some.lengths(contigs)))),
            kmer_counts=some._sums(contigs.kmer_counts[ids]),
            n_kmers=some._sums(contigs.n_kmers[ids]),
            circular=contigs.circular[some.steps[some.offsets[:-1]] >> 1] & (np.diff(some.offsets) == 1),
            links=np.zeros((0, 2), np.int64),
        )

    def part(self, start: int, stop: int) -> Scaffolds:
        """Scaffolds start..stop."""
        steps = slice(self.offsets[start], self.offsets[stop])
        offsets = self.offsets[start : stop + 1] - self.offsets[start]
        return Scaffolds(offsets, self.steps[steps], self.gaps[steps], self.n_pairs[steps])

    def _sizes(self, contigs: Contigs) -> NDArray[np.int64]:
        """Bases of each step with the gap behind it, shape (m,)."""
        ids = self.steps >> 1
        sizes: NDArray[np.int64] = contigs.offsets[ids + 1] - contigs.offsets[ids] + self.written_gaps
        return sizes

    def _texts(self, contigs: Contigs) -> Iterator[bytes]:
        """Yield the sequence of each step, and the N behind it."""
        for step, gap in zip(self.steps.tolist(), self.written_gaps.tolist(), strict=True):
            sequence = contigs.sequence(step >> 1)
            yield reverse_complement(sequence) if step & 1 else sequence
            yield gap * b"N"

    def _sums(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum a value of each step over each scaffold, shape (n,)."""
        sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(values)))
        found: NDArray[np.int64] = np.diff(sums[self.offsets])
        return found


def single_scaffolds(n_contigs: int) -> Scaffolds:
    """Build a scaffold of each of the first contigs."""
    none = np.zeros(n_contigs, np.int64)
    return Scaffolds(np.arange(n_contigs + 1), 2 * np.arange(n_contigs), none, none)


def ordered_scaffolds(scaffolds: Scaffolds, contigs: Contigs) -> Scaffolds:
    """Sort scaffolds, longest first with gaps, then by sequence; orient each by its first contig.

    In each scaffold the contig with the smallest number is forward, so that the result depends neither on the order
    nor on the strands of the input. Scaffolds with equal sequences are sorted by their contigs.

    Parameters
    ----------
    scaffolds : Scaffolds
        In any order and strands.
    contigs : Contigs
        Those of the steps.
    """
    found = _oriented(scaffolds)
    lengths = found.lengths(contigs)
    order: NDArray[np.int64] = np.lexsort((_smallest_contigs(found), -lengths))
    sizes = np.diff(found.offsets)
    for start, stop in _ties(lengths[order], sizes[order] > 1):
        order[start:stop] = sorted(order[start:stop].tolist(), key=lambda i: found.sequence(i, contigs))
    sizes = sizes[order]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    rows = np.repeat(found.offsets[:-1][order] - offsets[:-1], sizes) + np.arange(len(found.steps))
    return Scaffolds(offsets, found.steps[rows], found.gaps[rows], found.n_pairs[rows])


def _ties(lengths: NDArray[np.int64], is_joined: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Find the intervals of scaffolds of equal length among which some have several contigs.

    Scaffolds of one contig are sorted already, as contigs are numbered by length and sequence.
    """
    bounds = np.concatenate(([0], np.flatnonzero(np.diff(lengths)) + 1, [len(lengths)]))
    n_joined = np.diff(np.concatenate(([0], np.cumsum(is_joined)))[bounds])
    chosen = (np.diff(bounds) > 1) & (n_joined > 0)
    yield from zip(bounds[:-1][chosen].tolist(), bounds[1:][chosen].tolist(), strict=True)


def _smallest_contigs(scaffolds: Scaffolds) -> NDArray[np.int64]:
    """Smallest number of a contig of each scaffold, shape (n,)."""
    if not len(scaffolds):
        return np.zeros(0, np.int64)
    return np.minimum.reduceat(scaffolds.steps >> 1, scaffolds.offsets[:-1])


def _oriented(scaffolds: Scaffolds) -> Scaffolds:
    """Reverse-complement the scaffolds in which the contig with the smallest number is not forward."""
    sizes = np.diff(scaffolds.offsets)
    is_smallest = scaffolds.steps >> 1 == np.repeat(_smallest_contigs(scaffolds), sizes)
    flips = np.repeat((scaffolds.steps & 1)[is_smallest].astype(np.bool_), sizes)
    firsts, lasts = np.repeat(scaffolds.offsets[:-1], sizes), np.repeat(scaffolds.offsets[1:] - 1, sizes)
    rows = np.arange(len(scaffolds.steps))
    steps = scaffolds.steps[np.where(flips, firsts + lasts - rows, rows)] ^ flips
    behind = np.where(flips & (rows < lasts), firsts + lasts - 1 - rows, rows)
    return Scaffolds(scaffolds.offsets, steps, scaffolds.gaps[behind], scaffolds.n_pairs[behind])


@dataclass(frozen=True)
class ScaffoldStats:
    """Statistics of scaffolds; lengths include gaps as they are written.

    Attributes
    ----------
    n_scaffolds, n_joined : int
        Number of scaffolds, and of those with several contigs.
    n_gaps, gap_bp : int
        Number of gaps, and their N.
    n_pairs : int
        Pairs that link contigs across gaps.
    total_bp, largest_bp : int
    n50_bp, n90_bp, l50, l90 : int or None
        As in `ContigStats`.
    """

    n_scaffolds: int
    n_joined: int
    n_gaps: int
    gap_bp: int
    n_pairs: int
    total_bp: int
    largest_bp: int
    n50_bp: int | None
    n90_bp: int | None
    l50: int | None
    l90: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the section of ``report.json``."""
        return asdict(self)

    def sentence(self) -> str:
        """The figures that matter most."""
        n50 = "-" if self.n50_bp is None else f"{self.n50_bp:,}"
        return (
            f"{counted(self.n_scaffolds, 'scaffold')}, {self.n_joined:,} of them of several contigs; "
            f"{counted(self.n_gaps, 'gap')} of {self.gap_bp:,} bp, largest {self.largest_bp:,}, N50 {n50}"
        )


def scaffold_stats(scaffolds: Scaffolds, contigs: Contigs) -> ScaffoldStats:
    """Compute statistics of scaffolds."""
    lengths = np.sort(scaffolds.lengths(contigs))[::-1]
    n50_bp, l50 = nx_lx(lengths, 50)
    n90_bp, l90 = nx_lx(lengths, 90)
    return ScaffoldStats(
        n_scaffolds=len(scaffolds),
        n_joined=int(np.count_nonzero(np.diff(scaffolds.offsets) > 1)),
        n_gaps=int(np.count_nonzero(scaffolds.is_gap)),
        gap_bp=int(scaffolds.written_gaps.sum()),
        n_pairs=int(scaffolds.n_pairs[scaffolds.is_gap].sum()),
        total_bp=int(lengths.sum()),
        largest_bp=int(lengths.max(initial=0)),
        n50_bp=n50_bp,
        n90_bp=n90_bp,
        l50=l50,
        l90=l90,
    )
