"""Sorted k-mers with the samples that have each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.screens.containers import SampleSets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.sets.ranges import split_codes
from debruijn_gpu.sets.source import SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Codes, Counts


_KMERS_AT_ONCE = 1 << 19  # the codes of a part fit the cache


@dataclass(frozen=True)
class ColoredKmers:
    """Sorted k-mers of samples, each with the number of its colour set.

    Attributes
    ----------
    names : sequence of str
        Of the samples.
    kmers : SortedKmers
        In place of a count, each has the number of its colour set. They are read when they are indexed.
    sets : SampleSets
    """

    names: Sequence[str]
    kmers: SortedKmers
    sets: SampleSets

    def __len__(self) -> int:
        return len(self.kmers)

    @property
    def k(self) -> int:
        """Length of the k-mers."""
        return self.kmers.k

    @property
    def canonical(self) -> bool:
        """Whether a k-mer stands for its reverse complement, too."""
        return self.kmers.canonical


@dataclass(frozen=True)
class ColoredParts:
    """K-mers of samples with codes in a range, read in parts on some threads; see `KmerParts`.

    Attributes
    ----------
    colored : ColoredKmers
    threads : int
    low, high : int
        Codes of at least ``low`` and below ``high``.
    n_kmers : int
    """

    colored: ColoredKmers
    threads: int
    low: int
    high: int
    n_kmers: int

    def __len__(self) -> int:
        return self.n_kmers

    @property
    def largest(self) -> int:
        """See `KmerParts.largest`."""
        return max(0, len(self.colored.sets) - 1)

    def read(self, n_bits: int) -> Iterator[tuple[Codes, Counts]]:
        """See `KmerParts.read`."""
        kmers = self.colored.kmers
        shift = 2 * kmers.k - n_bits
        ends = (-(-end >> shift) << shift for _, end in split_codes([kmers], _KMERS_AT_ONCE))
        bounds = sorted({self.low, *(end for end in ends if self.low < end < self.high), self.high})
        return ordered_map(lambda edges: kmers.read(*edges), pairwise(bounds), self.threads)


def parts_of(colored: ColoredKmers, n_parts: int, threads: int) -> list[ColoredParts]:
    """Cut k-mers into about ``n_parts`` ranges of codes with as many each; at least one."""
    found: list[ColoredParts] = []
    low = n = n_before = 0
    for code, n_more in colored.kmers.marks():
        if n and (n_before + n) * n_parts >= len(colored) * (len(found) + 1):
            found.append(ColoredParts(colored, threads, low, code, n))
            low, n, n_before = code, 0, n_before + n
        n += n_more
    return [*found, ColoredParts(colored, threads, low, 1 << (2 * colored.k), n)]


def colored_by_index(index: ColorIndex) -> ColoredKmers:
    """Return the samples of a colour index: its sets are numbered from 1, as in the index, and set 0 is empty."""
    sets = index.color_sets
    set_ptr = np.concatenate([np.zeros(1, np.int64), sets.row_ptr])
    members = np.require(sets.samples, requirements=["C", "W"])
    sample_sets = backends.host().screens.index_sets(set_ptr, members, len(index.names))
    return ColoredKmers(index.names, index.colored, sample_sets)


def colored_by_set(name: str, kmers: SortedKmers) -> ColoredKmers:
    """Return a set of k-mers as the only sample."""
    sample_sets = backends.host().screens.index_sets(np.array([0, 1]), np.zeros(1, np.uint32), 1)
    return ColoredKmers([name], _OneColor(kmers), sample_sets)


@dataclass(frozen=True)
class _OneColor:
    """K-mers of one colour set, number 0; see `SortedKmers`."""

    kmers: SortedKmers

    @property
    def name(self) -> str:
        return self.kmers.name

    @property
    def k(self) -> int:
        return self.kmers.k

    @property
    def canonical(self) -> bool:
        return self.kmers.canonical

    def __len__(self) -> int:
        return len(self.kmers)

    def marks(self) -> Sequence[tuple[int, int]]:
        """See `SortedKmers.marks`."""
        return self.kmers.marks()

    def read(self, low: int, high: int) -> tuple[Codes, Counts]:
        """See `SortedKmers.read`."""
        codes, counts = self.kmers.read(low, high)
        return codes, np.zeros_like(counts)

    def check(self) -> None:
        """See `SortedKmers.check`."""
        self.kmers.check()

    def close(self) -> None:
        """See `SortedKmers.close`."""
        self.kmers.close()
