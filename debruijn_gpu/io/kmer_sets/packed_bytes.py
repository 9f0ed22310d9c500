"""Convert k-mers of other formats, as bytes or letters, to codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.kmers.set_programs import MOST_COUNT
from debruijn_gpu.sets.source import Words

NOT_A_BASE = 255
#: Code of each byte; `NOT_A_BASE` for what is no base
BASE_CODES = np.full(256, NOT_A_BASE, np.uint8)
for _i, _letters in enumerate(("Aa", "Cc", "Gg", "Tt")):
    for _letter in _letters:
        BASE_CODES[ord(_letter)] = _i


def codes_of_bytes(packed: NDArray[np.uint8], k: int) -> NDArray[np.uint64]:
    """Return the codes (words, n) of big-endian bytes (n, any number), right-aligned; bits above 2 k are dropped."""
    n, width = packed.shape
    n_words = words_per_kmer(k)
    whole = np.zeros((n, 8 * n_words), np.uint8)
    used = min(width, 8 * n_words)
    whole[:, 8 * n_words - used :] = packed[:, width - used :]
    codes = np.ascontiguousarray(whole.view(">u8").T).astype(np.uint64)
    if k % 32:
        codes[0] &= np.uint64((1 << (2 * (k % 32))) - 1)
    return codes


def codes_of_bases(bases: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the codes (words, n) of k-mers as base codes (n, k), 0 to 3 each."""
    n, k = bases.shape
    padded = np.zeros((n, -(-k // 4) * 4), np.uint8)
    padded[:, padded.shape[1] - k :] = bases
    fours = padded.reshape(n, -1, 4)
    shifts = (np.uint8(6), np.uint8(4), np.uint8(2), np.uint8(0))
    packed = np.zeros(fours.shape[:2], np.uint8)
    for i, shift in enumerate(shifts):
        packed |= fours[:, :, i] << shift
    return codes_of_bytes(packed, k)


def bytes_of_codes(codes: NDArray[np.uint64], k: int) -> NDArray[np.uint8]:
    """Return the codes (words, n) as big-endian bytes (n, ceil(k / 4)), right-aligned."""
    whole = np.ascontiguousarray(codes.T).astype(">u8").view(np.uint8).reshape(codes.shape[1], -1)
    return whole[:, whole.shape[1] - -(-k // 4) :]


def counts_of_bytes(packed: NDArray[np.uint8], big_endian: bool) -> NDArray[np.uint32]:
    """Return the counts of bytes (n, 0 to 8), at most 2^32 - 1; 1 where there are none."""
    n, width = packed.shape
    if not width:
        return np.ones(n, np.uint32)
    whole = np.zeros((n, 8), np.uint8)
    whole[:, 8 - width :] = packed if big_endian else packed[:, ::-1]
    counts: NDArray[np.uint32] = np.minimum(whole.view(">u8")[:, 0], MOST_COUNT).astype(np.uint32)
    return counts


def canonical_codes(codes: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
    """Return the smaller of each k-mer and its reverse complement: codes (words, n)."""
    both = backends.host().kmers.both_strands(np.ascontiguousarray(codes), k)
    own, other = both[:, 0::2], both[:, 1::2]
    return np.where(_is_less(other, own), other, own)


def _is_less(one: Words, other: Words) -> NDArray[np.bool_]:
    """Return which k-mers of one array are smaller than those of another one."""
    is_less = np.zeros(len(one[0]), np.bool_)
    for word, against in zip(one[::-1], other[::-1], strict=True):
        is_less = (word < against) | ((word == against) & is_less)
    return is_less
