"""Inputs chosen to collide in hash tables whose seed is known: inverses of the hashes of `backends`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.kmer_scalars import EVEN_BITS
from debruijn_gpu.backends.core.scalars import MIX_1, MIX_2

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
        codes = _unfold(values, 32) * np.uint64(first & _WORD)
        codes = codes[codes >> np.uint64(2 * k - 1) >> np.uint64(1) == 0]
        codes = codes[codes < reverse_complements(codes, k)]
        found.append(codes)
        n_found += len(codes)
    return np.concatenate(found)[:n]


def reverse_complements(codes: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
    """Codes of the reverse complements of k-mers of at most 32 bases."""
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


def colliding_names(n: int, seed: int = KNOWN_SEED) -> bytes:
    """Make names of 8 bytes, one per line, whose `hash_name` begins with 20 bits 0."""
    second, first = pow(seed ^ int(EVEN_BITS), -1, 1 << 64), pow(seed, -1, 1 << 64)
    found: list[NDArray[np.uint8]] = []
    n_found, start = 0, 1
    while n_found < n:
        hashes = np.arange(start, start + (1 << 18), dtype=np.uint64) << np.uint64(8)
        start += 1 << 18
        values = _unfold(hashes, 29) * np.uint64(second)
        values = _unfold(values, 32) * np.uint64(first)
        names = (values ^ np.uint64(8 * seed & _WORD)).view(np.uint8).reshape(-1, 8)
        names = names[(names > ord(";")).all(axis=1)]  # beyond blanks and separators
        found.append(names)
        n_found += len(names)
    return b"".join(name.tobytes() + b"\n" for name in np.concatenate(found)[:n])


def colliding_numbers(n: int, seed: int = KNOWN_SEED) -> NDArray[np.uint64]:
    """Make integers that `core.scalars.mix`, of their products with the seed, takes to words of 15 low bits 0."""
    hashes = np.arange(1, n + 1, dtype=np.uint64) << np.uint64(15)
    values = _unfold(hashes, 29) * np.uint64(pow(int(MIX_2), -1, 1 << 64))
    values = _unfold(values, 32) * np.uint64(pow(int(MIX_1), -1, 1 << 64))
    return values * np.uint64(pow(seed, -1, 1 << 64))


def _unfold(folded: NDArray[np.uint64], shift: int) -> NDArray[np.uint64]:
    """Invert ``x ^ (x >> shift)``."""
    values = folded
    for _ in range(64 // shift):
        values = folded ^ (values >> np.uint64(shift))
    return values
