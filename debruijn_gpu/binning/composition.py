"""Composition of contigs: windows, and centred log-ratios of the frequencies of canonical words of four bases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.vectors.protocol import N_WORDS
from debruijn_gpu.binning.fixed_point import log2_of

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import VectorBackend

Longs = NDArray[np.int64]

#: Words of four bases that do not come after their reverse complement
N_CANONICAL = 136
_OVERLAP_BP = 3  # of neighbouring windows, so that each word of a contig is in one of them


@dataclass(frozen=True)
class Windows:
    """Windows of contigs.

    Attributes
    ----------
    contigs, starts, ends : ndarray, dtype=int64, shape=(n,)
        Contig of each window, in ascending order, and its positions in the codes of all contigs.
    """

    contigs: Longs
    starts: Longs
    ends: Longs

    def __len__(self) -> int:
        return len(self.contigs)


def cut_windows(offsets: Longs, chosen: Longs, window_bp: int) -> Windows:
    """Cut contigs into windows of equal size, at least ``window_bp`` unless the contig is shorter.

    Parameters
    ----------
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Contig i has the codes offsets[i]..offsets[i + 1] - 1.
    chosen : ndarray, dtype=int64
        Contigs, in ascending order.
    window_bp : int
    """
    lengths = offsets[chosen + 1] - offsets[chosen]
    n_windows = np.maximum(1, lengths // window_bp)
    contigs = np.repeat(chosen, n_windows)
    first = np.cumsum(n_windows) - n_windows
    number = np.arange(len(contigs), dtype=np.int64) - np.repeat(first, n_windows)
    length, parts = np.repeat(lengths, n_windows), np.repeat(n_windows, n_windows)
    starts = offsets[contigs] + length * number // parts
    ends = offsets[contigs] + np.minimum(length, length * (number + 1) // parts + _OVERLAP_BP)
    return Windows(contigs, starts, ends)


@cache
def canonical_columns() -> Longs:
    """Return the column of each word of four bases among the canonical ones, shape=(N_WORDS,)."""
    words = np.arange(N_WORDS)
    complements = sum((3 - (words >> 2 * i & 3)) << 2 * (3 - i) for i in range(4))
    return np.unique(np.minimum(words, complements), return_inverse=True)[1].astype(np.int64)


def count_canonical(codes: NDArray[np.uint8], windows: Windows, backend: VectorBackend) -> Longs:
    """Count canonical words of four bases in windows, shape=(n, N_CANONICAL)."""
    arrays = map(backend.to_device, (codes, windows.starts, windows.ends))
    both = backend.to_host(backend.vectors.count_words(*arrays))
    columns = canonical_columns()
    counts = np.zeros((len(windows), N_CANONICAL), np.int64)
    for word in range(N_WORDS):
        counts[:, columns[word]] += both[:, word]
    return counts


def log_ratios(counts: Longs) -> Longs:
    """Compute centred log-ratios (Aitchison 1982) of counts, each with 1/2 more, in units of 2^-LOG_BITS.

    Parameters
    ----------
    counts : ndarray, dtype=int64, shape=(n, d)

    Returns
    -------
    ndarray, dtype=int64, shape=(n, d)
        Binary logarithms less their mean of each row.
    """
    logarithms = log2_of(2 * counts + 1)
    centred: Longs = logarithms - (logarithms.sum(axis=1, keepdims=True) + counts.shape[1] // 2) // counts.shape[1]
    return centred
