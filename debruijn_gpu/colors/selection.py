"""Select k-mers of a colour index by their samples; a condition is tested once per distinct colour set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.colors.color_sets import ColorSets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.colors.options import ColorPredicate, number_samples
from debruijn_gpu.sets.source import SortedKmers


def matching_sets(sets: ColorSets, names: tuple[str, ...], predicate: ColorPredicate) -> NDArray[np.bool_]:
    """Compute which colour sets (bool (m,)) meet a condition.

    Raises
    ------
    ParameterError
        If it names a sample that is not in the index.
    """
    any_of, all_of, none_of = (
        number_samples(getattr(predicate, name), names, f"--{name.replace('_', '-')}")
        for name in ("any_of", "all_of", "none_of")
    )
    found = np.ones(len(sets), np.bool_)
    if any_of:
        found &= sets.count_members(any_of) > 0
    if all_of:
        found &= sets.count_members(all_of) == len(all_of)
    if none_of:
        found &= sets.count_members(none_of) == 0
    if predicate.min_samples is not None:
        found &= sets.sizes >= predicate.min_samples
    if predicate.max_samples is not None:
        found &= sets.sizes <= predicate.max_samples
    return found


@dataclass(frozen=True)
class _SelectedKmers:
    """The k-mers of a source whose marks are selected, with other marks; see `ColorIndex.colored`."""

    source: SortedKmers
    new_marks: NDArray[np.uint32]
    n_kmers: int

    @property
    def name(self) -> str:
        """For messages."""
        return self.source.name

    @property
    def k(self) -> int:
        """Length of the k-mers."""
        return self.source.k

    @property
    def canonical(self) -> bool:
        """Whether a k-mer stands for its reverse complement, too."""
        return self.source.canonical

    def __len__(self) -> int:
        return self.n_kmers

    def marks(self) -> list[tuple[int, int]]:
        """See `SortedKmers.marks`; numbers of k-mers are those of the source."""
        return list(self.source.marks())

    def read(self, low: int, high: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """See `SortedKmers.read`."""
        codes, marks = self.source.read(low, high)
        marks = self.new_marks[marks]
        kept = marks > 0
        return codes[:, kept], marks[kept]

    def check(self) -> None:
        """See `SortedKmers.check`."""
        self.source.check()

    def close(self) -> None:
        """See `SortedKmers.close`."""
        self.source.close()


def select_kmers(index: ColorIndex, is_kept: NDArray[np.bool_], renumber: bool) -> ColorIndex:
    """Return an index of the k-mers whose colour sets are kept; it reads the other one.

    Parameters
    ----------
    index : ColorIndex
    is_kept : ndarray, dtype=bool, shape=(m,)
    renumber : bool
        Whether the result holds the kept colour sets alone, numbered anew; else all have the numbers that they had.
    """
    n_of_set = count_kmers_of_sets(index)
    new_marks = np.zeros(len(is_kept) + 1, np.uint32)
    sets, kept = index.color_sets.rows(is_kept), np.flatnonzero(is_kept)
    new_marks[1 + kept] = 1 + (np.arange(len(kept)) if renumber else kept)
    kmers = _SelectedKmers(index.colored, new_marks, int(n_of_set[is_kept].sum()))
    n_kmers = np.zeros(len(index.names), np.int64)
    np.add.at(n_kmers, sets.samples, np.repeat(n_of_set[is_kept], sets.sizes))
    return ColorIndex(index.k, index.canonical, kmers, sets if renumber else index.color_sets, index.names, n_kmers)


def count_kmers_of_sets(index: ColorIndex) -> NDArray[np.int64]:
    """Count the k-mers of each colour set, shape (m,)."""
    found = np.zeros(len(index.color_sets) + 1, np.int64)
    for _, marks in index.parts():
        np.add.at(found, marks, 1)
    return found[1:]
