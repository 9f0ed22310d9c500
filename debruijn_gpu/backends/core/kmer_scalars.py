"""Scalar functions on k-mers and packed bases for both backends, in plain Python; see `scalars`.

A k-mer is a tuple of uint64 words as in `KmerTable`: right-aligned, word 0 most significant, the last base in the
lowest two bits of the last word.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.scalars import MIX_1, ONE, SIXTY_FOUR, THIRTY_TWO, THREE, mix, with_word

TWO = np.uint64(2)
SLOTS_SHIFT = np.uint64(6)
SIXTY_TWO = np.uint64(62)
PAIRS = np.uint64(0x3333333333333333)
NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES = np.uint64(0x00FF00FF00FF00FF)
HALVES = np.uint64(0x0000FFFF0000FFFF)
SALT = np.uint64(0x5851F42D4C957F2D)  # so that poly-A, whose code is 0, is not every poly-A-rich window's minimizer
LETTERS = np.uint64(0x54474341)  # T, G, C, A
BYTE = np.uint64(0xFF)
EVEN_BITS = np.uint64(0xD6E8FEB86659FD92)  # changes a random odd factor into another one


def append_base(kmer, base, top_mask):
    """Drop the first base, append one at the end. ``top_mask`` keeps the bits that word 0 uses."""
    last = len(kmer) - 1
    shifted = kmer
    for i in range(last):
        shifted = with_word(shifted, i, (kmer[i] << TWO) | (kmer[i + 1] >> SIXTY_TWO))
    shifted = with_word(shifted, last, (kmer[last] << TWO) | base)
    return with_word(shifted, 0, shifted[0] & top_mask)


def prepend_base(kmer, base, top_shift):
    """Drop the last base, put one in front. ``top_shift`` is 2 * ((k - 1) % 32)."""
    shifted = kmer
    for i in range(len(kmer) - 1, 0, -1):
        shifted = with_word(shifted, i, (kmer[i] >> TWO) | (kmer[i - 1] << SIXTY_TWO))
    return with_word(shifted, 0, (kmer[0] >> TWO) | (base << top_shift))


def less(a, b):
    """Whether k-mer a is before b."""
    for i in range(len(a)):
        if a[i] != b[i]:
            return a[i] < b[i]
    return False


def smaller(a, b):
    """The smaller of two k-mers, without a branch: which one it is cannot be predicted."""
    is_less = np.uint64(0)
    for i in range(len(a) - 1, -1, -1):
        is_less = np.uint64(a[i] < b[i]) | (np.uint64(a[i] == b[i]) & is_less)
    take_a = np.uint64(0) - is_less
    chosen = b
    for i in range(len(a)):
        chosen = with_word(chosen, i, b[i] ^ ((a[i] ^ b[i]) & take_a))
    return chosen


def equal(a, b):
    """Whether two k-mers are the same."""
    difference = a[0] ^ b[0]
    for i in range(1, len(a)):
        difference |= a[i] ^ b[i]
    return difference == np.uint64(0)


def hash_kmer(kmer, seed):
    """64-bit hash of a k-mer for hash tables; its high bits are good.

    Multiply-shift with a random odd factor (Dietzfelbinger et al. 1997): who does not know the seed (uint64, odd; see
    `run.hash_seed`) cannot choose k-mers that collide.
    """
    h = kmer[0] * seed
    for i in range(1, len(kmer)):
        h = (h ^ (h >> np.uint64(32)) ^ kmer[i]) * seed
    return (h ^ (h >> np.uint64(32))) * (seed ^ EVEN_BITS)


def first_slot(kmer, seed, n_slots):
    """First slot (uint64) to look for a k-mer in a hash table of a multiple of 64 slots, at most 2^38.

    The share of the slots before it is that of the hash of all hashes (Lemire, ACM TOMACS 2019).
    """
    return ((hash_kmer(kmer, seed) >> THIRTY_TWO) * (np.uint64(n_slots) >> SLOTS_SHIFT)) >> (THIRTY_TWO - SLOTS_SHIFT)


def next_slot(slot, n_slots):
    """The slot (uint64) behind another; the first one behind the last."""
    slot += ONE
    return slot if slot < np.uint64(n_slots) else np.uint64(0)


def identify_kmer(kmer):
    """64-bit hash of a k-mer that tells apart any that are alike, too: two k-mers that differ in three bases at certain
    distances may have one `hash_kmer`."""
    h = mix(kmer[0])
    for i in range(1, len(kmer)):
        h = mix(h ^ kmer[i])
    return h


def reverse_complement_word(word):
    """Reverse complement of 32 bases."""
    word = ((word >> TWO) & PAIRS) | ((word & PAIRS) << TWO)
    word = ((word >> np.uint64(4)) & NIBBLES) | ((word & NIBBLES) << np.uint64(4))
    word = ((word >> np.uint64(8)) & BYTES) | ((word & BYTES) << np.uint64(8))
    word = ((word >> np.uint64(16)) & HALVES) | ((word & HALVES) << np.uint64(16))
    return ~((word >> np.uint64(32)) | (word << np.uint64(32)))


def reverse_complement(kmer, top_bits):
    """Reverse complement of a k-mer whose word 0 uses ``top_bits`` (2..64) bits."""
    n = len(kmer)
    flipped = kmer
    for i in range(n):
        flipped = with_word(flipped, i, reverse_complement_word(kmer[n - 1 - i]))
    if top_bits == SIXTY_FOUR:
        return flipped
    shift = SIXTY_FOUR - top_bits
    shifted = flipped
    for i in range(n - 1, 0, -1):
        shifted = with_word(shifted, i, (flipped[i] >> shift) | (flipped[i - 1] << top_bits))
    return with_word(shifted, 0, flipped[0] >> shift)


def minimizer_hash(forward, reverse):
    """Hash of an m-mer of at most 32 bases and its reverse complement; the minimizer of a k-mer is the m-mer in it with
    the least."""
    return (smaller((forward,), (reverse,))[0] ^ SALT) * MIX_1


def bucket_of(minimum, shift):
    """Bucket (uint64) of the k-mers whose minimizer has that hash, of ``2 ** (64 - shift)`` buckets."""
    return (minimum * MIX_1) >> shift


def base_letter(code):
    """ASCII (uint64) of a two-bit code."""
    return (LETTERS >> (code << THREE)) & BYTE


def base_at(bases, position):
    """Two-bit code at a position of packed bases (32 a word, first base in the highest bits)."""
    p = np.uint64(position)
    return (bases[p >> np.uint64(5)] >> (SIXTY_TWO - ((p & np.uint64(31)) << ONE))) & THREE


def bases_from(bases, position):
    """The 32 bases from a position on, as a word; those beyond the end are A."""
    p = np.uint64(position)
    word = p >> np.uint64(5)
    shift = (p & np.uint64(31)) << ONE
    value = bases[word] << shift
    if shift != np.uint64(0) and np.int64(word) + 1 < bases.size:
        value |= bases[word + ONE] >> (SIXTY_FOUR - shift)
    return value


def kmer_at(bases, position, top_bits, kmer):
    """Extract the k-mer of packed bases that begins at a position (uint64).

    ``kmer`` only gives the number of words; the first word uses ``top_bits`` (2..64) bits.
    """
    kmer = with_word(kmer, 0, bases_from(bases, position) >> (SIXTY_FOUR - top_bits))
    position += top_bits >> ONE
    for i in range(1, len(kmer)):
        kmer = with_word(kmer, i, bases_from(bases, position))
        position += THIRTY_TWO
    return kmer


def leading_bits(kmer, top_bits, n_bits):
    """The first ``n_bits`` (at most 64, and those of the k-mer) bits of a k-mer whose word 0 uses ``top_bits`` bits."""
    if top_bits >= n_bits:
        return kmer[0] >> (top_bits - n_bits)
    rest = n_bits - top_bits
    return (kmer[0] << rest) | (kmer[min(1, len(kmer) - 1)] >> (SIXTY_FOUR - rest))
