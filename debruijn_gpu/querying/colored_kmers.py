"""Sorted k-mers with the samples that have each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer

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
        return (8 * words_per_kmer(self.k) + 4) * len(self)


def one_sample(k: int, canonical: bool, name: str, codes: NDArray[np.uint64]) -> ColoredKmers:
    """Give all k-mers of a set (words, n) the colour of one sample."""
    colors = np.zeros(codes.shape[1], np.uint32)
    return ColoredKmers(k, canonical, (name,), codes, colors, np.array([0, 1]), np.zeros(1, np.uint32))
