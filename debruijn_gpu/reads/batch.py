"""The container of reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ReadBatch:
    """Some reads in input order, their bases packed one after another.

    Attributes
    ----------
    bases : ndarray, dtype=uint64, shape=(ceil(n_bases / 32),)
        Two-bit codes (A 0, C 1, G 2, T 3), 32 a word, the first base in the most significant bits; reads follow each
        other without a gap. An ambiguous base is stored as A and named in ``breaks``. Unused low bits are 0.
    offsets : ndarray, dtype=int64, shape=(n_reads + 1,)
        Read i holds the bases ``offsets[i]:offsets[i + 1]``; ``offsets[0]`` is 0.
    breaks : ndarray, dtype=int64, shape=(n_breaks,)
        Positions of bases that are not A, C, G or T, ascending.
    """

    bases: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    breaks: NDArray[np.int64]

    @property
    def n_reads(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_bases(self) -> int:
        return int(self.offsets[-1])

    @property
    def nbytes(self) -> int:
        return self.bases.nbytes + self.offsets.nbytes + self.breaks.nbytes
