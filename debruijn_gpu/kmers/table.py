"""The container of counted k-mers, and k-mers as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES
from debruijn_gpu.backends.core.array_types import Array


def kmer_text(code: NDArray[np.uint64], k: int) -> str:
    """Letters of one k-mer.

    Parameters
    ----------
    code : ndarray, dtype=uint64, shape=(ceil(k / 32),)
        One column of `KmerTable.codes`.
    k : int
    """
    value = int.from_bytes(code.astype(">u8").tobytes(), "big")
    return bytes(BASES[value >> 2 * i & 3] for i in reversed(range(k))).decode()


@dataclass(frozen=True)
class KmerTable:
    """Distinct k-mers and their counts.

    Attributes
    ----------
    k : int
        1..255.
    codes : array of a backend, dtype=uint64, shape=(ceil(k / 32), n)
        Two-bit codes, right-aligned: word 0 is the most significant and holds the leading ``k % 32`` bases (32 if
        that is 0), the last base is in the lowest bits of the last word. Sorted ascending, unique.
    counts : array of a backend, dtype=uint32, shape=(n,)
        Occurrences; 2^32 - 1 stands for that many and more.
    canonical : bool
        Whether a k-mer stands for its reverse complement too (then each is the smaller of the two).
    """

    k: int
    codes: Array
    counts: Array
    canonical: bool = True

    def __len__(self) -> int:
        return len(self.counts)

    def moved(self, move: Callable[[Array], Array]) -> KmerTable:
        """The same with both arrays moved, by `to_device` or `to_host` of a backend."""
        return replace(self, codes=move(self.codes), counts=move(self.counts))
