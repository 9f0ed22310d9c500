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
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.sets.ranges import split_codes
from debruijn_gpu.sets.source import HeldKmers, SortedKmers

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
    """The k-mers of samples in parts, read on some threads; see `KmerParts`.

    Attributes
    ----------
    colored : ColoredKmers
    threads : int
    """

    colored: ColoredKmers
    threads: int

    def __len__(self) -> int:
        return len(self.colored)

    @property
    def largest(self) -> int:
        """See `KmerParts.largest`."""
        return max(0, len(self.colored.sets) - 1)

    def read(self, n_bits: int) -> Iterator[tuple[Codes, Counts]]:
        """See `KmerParts.read`."""
        kmers = self.colored.kmers
        shift = 2 * kmers.k - n_bits
        ends = [high for _, high in split_codes([kmers], _KMERS_AT_ONCE)]
        bounds = sorted({0, *(-(-code >> shift) << shift for code in ends)})
        return ordered_map(lambda edges: kmers.read(*edges), pairwise(bounds), self.threads)


def colored_by_index(index: ColorIndex) -> ColoredKmers:
    """Return the samples of a colour index: its sets are numbered from 1, as in the index, and set 0 is empty."""
    sets = index.color_sets
    set_ptr = np.concatenate([np.zeros(1, np.int64), sets.row_ptr])
    members = np.require(sets.samples, requirements=["C", "W"])
    sample_sets = backends.host().screens.index_sets(set_ptr, members, len(index.names))
    return ColoredKmers(index.names, index.colored, sample_sets)


def colored_by_set(name: str, kmers: SortedKmers) -> ColoredKmers:
    """Load a set of k-mers as the only sample.

    Raises
    ------
    FormatError
        If it is damaged.
    """
    codes, _counts = kmers.read(0, 1 << (2 * kmers.k))
    table = KmerTable(kmers.k, codes, np.zeros(codes.shape[1], np.uint32), kmers.canonical)
    sample_sets = backends.host().screens.index_sets(np.array([0, 1]), np.zeros(1, np.uint32), 1)
    return ColoredKmers([name], HeldKmers("k-mers", table), sample_sets)
