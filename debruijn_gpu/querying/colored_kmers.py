"""Sorted k-mers with the samples that have each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.joint import join_sets
from debruijn_gpu.sets.ranges import check_alike
from debruijn_gpu.sets.source import SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Codes, Counts, Longs


@dataclass(frozen=True)
class ColoredKmers:
    """Sorted k-mers of samples, each with the number of its colour set.

    Attributes
    ----------
    k : int
    canonical : bool
        Whether a k-mer stands for its reverse complement, too.
    names : sequence of str
        Of the samples.
    codes : ndarray, dtype=uint64, shape=(words, n)
        Ascending and distinct, see `KmerTable`.
    color_ids : ndarray, dtype=uint32, shape=(n,)
        Colour set of each k-mer.
    set_ptr : ndarray, dtype=int64, shape=(n_sets + 1,)
        Colour set i is ``members[set_ptr[i]:set_ptr[i + 1]]``: samples, ascending.
    members : ndarray, dtype=uint32
    """

    k: int
    canonical: bool
    names: Sequence[str]
    codes: Codes
    color_ids: Counts
    set_ptr: Longs
    members: Counts

    def __len__(self) -> int:
        return len(self.color_ids)

    @property
    def n_bytes(self) -> int:
        """Bytes of the k-mers and of the numbers of their colour sets."""
        return bytes_of(self.k, len(self))


def bytes_of(k: int, n: int) -> int:
    """Bytes of n k-mers and of the numbers of their colour sets."""
    return (8 * words_per_kmer(k) + 4) * n


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
        colors = np.zeros(codes.shape[1], np.uint32)
        return ColoredKmers(k, canonical, names, codes, colors, np.array([0, 1]), np.zeros(1, np.uint32))
    parts = list(join_sets(sets, run, backends.host()))
    sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.row_ptr) for part in parts)])
    codes = np.concatenate([part.kmers for part in parts], axis=1)
    members = np.concatenate([part.samples for part in parts])
    colors = np.arange(codes.shape[1], dtype=np.uint32)
    return ColoredKmers(k, canonical, names, codes, colors, np.cumsum(sizes), members)
