"""Scalar functions of both backends, in plain Python.

Each backend compiles them with its own decorator.

All integers are uint64; constants are typed because uint64 + int is a float in numba.

`compile_module` compiles each function below and in `kmer_scalars`, so that it calls its compiled siblings.
"""

from __future__ import annotations

import numpy as np

ONE = np.uint64(1)
THREE = np.uint64(3)
SIXTY_FOUR = np.uint64(64)
MIX_1 = np.uint64(0x9E3779B97F4A7C15)
MIX_2 = np.uint64(0xD6E8FEB86659FD93)
THIRTY_TWO = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
BYTE_1, BYTE_2, SLASH, POINT, UNDERSCORE = b"12/._"


def with_word(kmer, i, word):
    """The k-mer with word i replaced (numba's tuple_setitem in compiled code)."""
    return (*kmer[:i], word, *kmer[i + 1 :])


def mix(x):
    """Scramble 64 bits: multiply, fold, multiply, fold (after MurmurHash3's finaliser)."""
    x = x * MIX_1
    x = x ^ (x >> np.uint64(32))
    x = x * MIX_2
    return x ^ (x >> np.uint64(29))


def splitter(block, shift, n):
    """The item of a block of 2^shift (shift: 1 or more) of n items from which a list is walked, chosen by hash."""
    item = (block << shift) + (mix(block) >> (SIXTY_FOUR - shift))
    return item if item < n else block << shift


def rotation(vertex, degree):
    """By how many places the pairing of edges at a vertex is rotated: 0 to degree - 1, by hash."""
    return ((mix(vertex) >> np.uint64(32)) * (degree & np.uint64(0xFFFFFFFF))) >> np.uint64(32)


def draw(key, i):
    """Random word i (uint64) of the sequence that a key (uint64) stands for: any one without those before it."""
    return mix(mix(i) ^ key)


def below(word, bound):
    """A random word as an integer from 0 to bound - 1 (both uint64): the high half of their product, so that no two
    integers differ in probability by more than 2^-64. (Lemire, ACM TOMACS 2019, without rejection.)"""
    low, high = word & LOW_HALF, word >> THIRTY_TWO
    bound_low, bound_high = bound & LOW_HALF, bound >> THIRTY_TWO
    middle = high * bound_low + ((low * bound_low) >> THIRTY_TWO)
    other = low * bound_high + (middle & LOW_HALF)
    return high * bound_high + (middle >> THIRTY_TWO) + (other >> THIRTY_TWO)


def permute(i, n, n_bits, keys):
    """Where a keyed permutation of 0..n-1 takes i.

    A round, a multiplication by an odd number and a shift to the right, is a bijection of 0..2^n_bits-1. Rounds are
    repeated while the value is outside 0..n-1, which makes a bijection of 0..n-1 (cycle walking: Black and Rogaway,
    CT-RSA 2002) and takes less than two turns on average.

    Parameters
    ----------
    i, n, n_bits : uint64
        i < n <= 2^n_bits < 2 n; at most 63 bits.
    keys : uint64 (8,)
        Random words: an addend and a factor for each round.
    """
    mask = (ONE << n_bits) - ONE
    shift = (n_bits + ONE) >> ONE
    while True:
        for turn in range(0, 8, 2):
            i = ((i + keys[turn]) * (keys[turn + 1] | ONE)) & mask
            i ^= i >> shift
        if i < n:
            return i


def digit_sum(word, n_symbols):
    """Sum of the letters of a word by number (uint64)."""
    total = np.uint64(0)
    while word > np.uint64(0):
        rest = word // n_symbols
        total += word - rest * n_symbols
        word = rest
    return total


def least_rotation(word, n_symbols, order, top):
    """Number (uint64) of the least rotation of a word of ``order`` letters; ``top`` is n_symbols^(order - 1)."""
    least = word
    for _ in range(order - 1):
        first = word // top
        word = (word - first * top) * n_symbols + first
        least = min(least, word)
    return least


def without_mate(text, start, end):
    """Where a name ends without the 1 or 2 (after / . or _) that tells mates apart."""
    if end - start > 2 and (text[end - 1] == BYTE_1 or text[end - 1] == BYTE_2):
        mark = text[end - 2]
        if mark in (SLASH, POINT, UNDERSCORE):
            return end - 2
    return end


def hash_more(value, chunk):
    """The hash (uint64) of a text with eight more bytes, the first in the lowest bits."""
    value = (value ^ chunk) * MIX_1
    return value ^ (value >> THIRTY_TWO)


def symbol_at(symbols, i, n_bits):
    """Symbol i of an array, as uint64: an element each if ``n_bits`` (uint64) is 0, else packed in bytes, ``n_bits``
    each, the first in the highest bits."""
    if n_bits == np.uint64(0):
        return np.uint64(symbols[i])
    place = np.uint64(i) * n_bits
    shift = np.uint64(8) - n_bits - (place & np.uint64(7))
    return (np.uint64(symbols[place >> THREE]) >> shift) & ((ONE << n_bits) - ONE)


def leading_word(symbols, first, length, n_bits, n_symbols):
    """The number (uint64) of the ``length`` symbols from ``first`` on; see `symbol_at`."""
    word = np.uint64(0)
    for i in range(first, first + length):
        word = word * n_symbols + symbol_at(symbols, i, n_bits)
    return word


def meets(row_ptr, col, edge, following):
    """Whether the head of an edge is the tail of another: whether that is in the row of the head.

    Parameters
    ----------
    row_ptr : int64 (n_vertices + 1,)
    col : uint32 or uint64 (n_edges,)
    edge, following : uint64
        Below n_edges.
    """
    head = np.uint64(col[edge])
    if head >= np.uint64(row_ptr.size - 1):
        return False
    at = np.int64(following)
    return row_ptr[head] <= at and at < row_ptr[head + ONE]


def add_elements(a, b, p, q):
    """The sum of two elements (int64, 0..q-1) of a finite field whose q is a power of p: digit by digit to the base
    p."""
    if p == 2:
        return a ^ b
    total = a + b
    if p == q:
        return total if total < p else total - p
    total, place = 0, 1
    while a > 0 or b > 0:
        digit = a % p + b % p
        total += place * (digit if digit < p else digit - p)
        a //= p
        b //= p
        place *= p
    return total
