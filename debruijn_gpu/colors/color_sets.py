"""Distinct colour sets: which samples hold a k-mer, stored once for all k-mers of the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ColorSets:
    """Distinct sets of samples, numbered in order of their first k-mer.

    Attributes
    ----------
    row_ptr : ndarray, dtype=int64, shape=(m + 1,)
        Set i is ``samples[row_ptr[i]:row_ptr[i + 1]]``; none is empty.
    samples : ndarray, dtype=uint32, shape=(nnz,)
        Numbers of samples, ascending within a set.
    """

    row_ptr: NDArray[np.int64]
    samples: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.row_ptr) - 1

    def members(self, i: int) -> NDArray[np.uint32]:
        """Return the samples of a set."""
        return self.samples[self.row_ptr[i] : self.row_ptr[i + 1]]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Samples of each set, shape (m,)."""
        return np.diff(self.row_ptr)

    def count_members(self, chosen: Sequence[int]) -> NDArray[np.int64]:
        """Count the chosen samples (distinct numbers) in each set, shape (m,)."""
        if not len(self):
            return np.zeros(0, np.int64)
        is_chosen = np.zeros(1 + max([0, int(self.samples.max()), *chosen]), np.int64)
        is_chosen[list(chosen)] = 1
        return np.add.reduceat(is_chosen[self.samples], self.row_ptr[:-1])

    def rows(self, chosen: NDArray[np.bool_]) -> ColorSets:
        """Return some sets, in their order."""
        sizes = self.sizes
        return ColorSets(
            np.concatenate(([0], np.cumsum(sizes[chosen], dtype=np.int64))), self.samples[np.repeat(chosen, sizes)]
        )


def no_color_sets() -> ColorSets:
    """Return the colour sets of no k-mers."""
    return ColorSets(np.zeros(1, np.int64), np.zeros(0, np.uint32))
