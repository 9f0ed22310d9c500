"""K-mers as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES


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
