"""The colour index: sorted k-mers, the colour set of each, and the names of the samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.colors.color_sets import ColorSets
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.sets.source import SortedKmers

_BLOCKS_AT_ONCE = 8


@dataclass(frozen=True)
class ColorIndex:
    """Colour sets of the k-mers of any number of samples.

    Attributes
    ----------
    k : int
    canonical : bool
        Whether a k-mer stands for its reverse complement, too.
    colored : SortedKmers
        The k-mers in ascending order, in memory or in a file. In place of a count, each has 1 + the number of its
        colour set, so that `KmerOperations.look_up_counts` returns 0 for absent k-mers.
    color_sets : ColorSets
    names : tuple of str
        Of the samples.
    n_kmers_of_sample : ndarray, dtype=int64, shape=(samples,)
        Distinct k-mers of each sample.
    """

    k: int
    canonical: bool
    colored: SortedKmers
    color_sets: ColorSets
    names: tuple[str, ...]
    n_kmers_of_sample: NDArray[np.int64]

    def __len__(self) -> int:
        """Number of distinct k-mers."""
        return len(self.colored)

    def parts(self) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        """Yield codes (words, n), ascending from part to part, and 1 + the colour sets (n,), in bounded memory."""
        bounds = [code for code, _ in self.colored.marks()]
        for low, high in pairwise([*bounds[::_BLOCKS_AT_ONCE], 1 << (2 * self.k)]):
            yield self.colored.read(low, high)

    @cached_property
    def colored_table(self) -> KmerTable:
        """All k-mers in memory; their counts are 1 + the numbers of their colour sets."""
        codes, marks = self.colored.read(0, 1 << (2 * self.k))
        return KmerTable(self.k, codes, marks, self.canonical)

    @property
    def kmers(self) -> NDArray[np.uint64]:
        """Codes of all k-mers, ascending, in memory: shape (words, n); see `KmerTable.codes`."""
        codes: NDArray[np.uint64] = self.colored_table.codes
        return codes

    @cached_property
    def color_ids(self) -> NDArray[np.uint32]:
        """Colour set of each k-mer, in memory: shape (n,)."""
        ids: NDArray[np.uint32] = self.colored_table.counts - np.uint32(1)
        return ids

    def close(self) -> None:
        """Free memory and scratch space."""
        self.colored.close()
