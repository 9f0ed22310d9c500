"""The container of counted k-mers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class KmerTable:
    """Distinct k-mers and how often each occurs.

    Attributes
    ----------
    k : int
        Odd, 3..127.
    codes : ndarray, dtype=uint64, shape=(ceil(k / 32), n)
        Two-bit codes, right-aligned: word 0 is the most significant and holds the leading ``k % 32`` bases (32 if
        that is 0), the last base is in the lowest bits of the last word. Sorted ascending, unique.
    counts : ndarray, dtype=uint32, shape=(n,)
        Occurrences; 2^32 - 1 stands for that many and more.
    canonical : bool
        Whether a k-mer stands for its reverse complement too (then each is the smaller of the two).
    """

    k: int
    codes: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    canonical: bool = True

    def __len__(self) -> int:
        return len(self.counts)
