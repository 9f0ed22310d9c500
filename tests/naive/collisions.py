"""Inputs chosen to collide in hash tables whose seed is known: inverses of the hashes of `backends`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.kmer_scalars import EVEN_BITS

#: Seed that an attacker knows: any odd integer serves.
KNOWN_SEED = 0x9E3779B97F4A7C15

_LETTERS = np.frombuffer(b"ACGT", np.uint8)
_WORD = (1 << 64) - 1


def colliding_kmers(n: int, k: int, low_bits: int = 0, seed: int = KNOWN_SEED) -> NDArray[np.uint64]:
    """Make canonical k-mers, of at most 32 bases, whose `hash_kmer` begins with 20 bits and ends with some bits 0.

    Parameters
    ----------
    n : int
        Number of k-mers.
    k : int
        Length of the k-mers: 24 to 32.
    low_bits : int
        Number of the lowest bits of the hash that are 0.
    seed : int
        Seed of the hash.

    Returns
    -------
    ndarray, dtype=uint64, shape=(n,)
        Two-bit codes.
    """
    second, first = pow(seed ^ int(EVEN_BITS), -1, 1 << 64), pow(seed, -1, 1 << 64)
    found: list[NDArray[np.uint64]] = []
    n_found, start = 0, 1
    while n_found < n:
        hashes = np.arange(start, start + (1 << 20), dtype=np.uint64) << np.uint64(low_bits)
        start += 1 << 20
        values = hashes * np.uint64(second & _WORD)
        values ^= values >> np.uint64(32)
        codes = values * np.uint64(first & _WORD)
        codes = codes[codes >> np.uint64(2 * k - 1) >> np.uint64(1) == 0]
        codes = codes[codes < _reverse_complements(codes, k)]
        found.append(codes)
        n_found += len(codes)
    return np.concatenate(found)[:n]


def _reverse_complements(codes: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
    flipped = np.zeros_like(codes)
    for i in range(k):
        base = (codes >> np.uint64(2 * i)) & np.uint64(3)
        flipped = (flipped << np.uint64(2)) | (np.uint64(3) - base)
    return flipped


def spell(codes: NDArray[np.uint64], k: int) -> list[str]:
    """Spell k-mers (uint64 (n,), two-bit codes) as letters."""
    shifts = np.arange(2 * (k - 1), -1, -2, dtype=np.uint64)
    letters = _LETTERS[((codes[:, None] >> shifts) & np.uint64(3)).astype(np.int64)]
    return [row.tobytes().decode() for row in letters]
