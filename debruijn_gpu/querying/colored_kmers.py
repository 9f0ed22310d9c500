"""Sorted k-mers with the samples that have each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.screens.containers import SampleSets
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.sets.joint import join_sets
from debruijn_gpu.sets.ranges import check_alike
from debruijn_gpu.sets.source import HeldKmers, SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Codes, Counts


_BLOCKS_AT_ONCE = 32  # of 16,384 k-mers: the codes of a part fit the cache


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
        firsts = [code for code, _ in kmers.marks()[_BLOCKS_AT_ONCE::_BLOCKS_AT_ONCE]]
        bounds = sorted({0, *(-(-code >> shift) << shift for code in firsts), 1 << (2 * kmers.k)})
        return ordered_map(lambda edges: kmers.read(*edges), pairwise(bounds), self.threads)


def colored_by_set(names: Sequence[str], sets: Sequence[SortedKmers], run: RunOptions) -> ColoredKmers:
    """Load sets of k-mers as samples.

    Colour sets of several samples are not compared with each other: each k-mer has one of its own.

    Raises
    ------
    ParameterError
        If the sets differ in k, or only some of them are canonical.
    FormatError
        If one is damaged.
    """
    check_alike(sets)
    k, canonical = sets[0].k, sets[0].canonical
    if len(sets) == 1:
        codes, _counts = sets[0].read(0, 1 << (2 * k))
        colors, set_ptr, members = np.zeros(codes.shape[1], np.uint32), np.array([0, 1]), np.zeros(1, np.uint32)
    else:
        parts = list(join_sets(sets, run, backends.host()))
        set_ptr = np.cumsum(np.concatenate([np.zeros(1, np.int64), *(np.diff(part.row_ptr) for part in parts)]))
        codes = np.concatenate([part.kmers for part in parts], axis=1)
        members = np.concatenate([part.samples for part in parts])
        colors = np.arange(codes.shape[1], dtype=np.uint32)
    sample_sets = backends.host().screens.index_sets(set_ptr, members, len(names))
    return ColoredKmers(names, HeldKmers("k-mers", KmerTable(k, codes, colors, canonical)), sample_sets)
