"""Scalar functions of both backends, in plain Python.

Each backend compiles them with its own decorator.

A k-mer is a tuple of uint64 words as in `KmerTable`: right-aligned, word 0 most significant, the last base in the
lowest two bits of the last word. All integers are uint64; constants are typed because uint64 + int is a float in numba.

`compile_scalars` gives a namespace in which each function below is compiled and calls its compiled siblings.
"""

from __future__ import annotations

import types

import numpy as np

ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)
SIXTY_TWO = np.uint64(62)
SIXTY_FOUR = np.uint64(64)
MIX_1 = np.uint64(0x9E3779B97F4A7C15)
MIX_2 = np.uint64(0xD6E8FEB86659FD93)
PAIRS = np.uint64(0x3333333333333333)
NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES = np.uint64(0x00FF00FF00FF00FF)
HALVES = np.uint64(0x0000FFFF0000FFFF)
THIRTY_TWO = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
SALT = np.uint64(0x5851F42D4C957F2D)  # so that poly-A, whose code is 0, is not every poly-A-rich window's minimizer
LETTERS = np.uint64(0x54474341)  # T, G, C, A
BYTE = np.uint64(0xFF)


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


def hash_kmer(kmer):
    """64-bit hash of a k-mer; its high bits are good."""
    h = kmer[0] * MIX_1
    for i in range(1, len(kmer)):
        h = (h ^ (h >> np.uint64(32)) ^ kmer[i]) * MIX_1
    return (h ^ (h >> np.uint64(32))) * MIX_2


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


def least_minimizer_hash(bases, position, k, m):
    """Hash of the minimizer, of m bases, of the k-mer that begins at a position (uint64; k and m are int64)."""
    mask = (ONE << np.uint64(2 * m)) - ONE
    top = np.uint64(2 * (m - 1))
    forward = np.uint64(0)
    reverse = np.uint64(0)
    least = ~np.uint64(0)
    for i in range(k):
        base = base_at(bases, position + np.uint64(i))
        forward = ((forward << TWO) | base) & mask
        reverse = (reverse >> TWO) | ((THREE - base) << top)
        if i >= m - 1:
            least = min(least, minimizer_hash(forward, reverse))
    return least


def without_mate(text, start, end):
    """Where a name ends without the 1 or 2 (after / . or _) that tells mates apart."""
    if end - start > 2 and (text[end - 1] == ord("1") or text[end - 1] == ord("2")):
        mark = text[end - 2]
        if mark == ord("/") or mark == ord(".") or mark == ord("_"):
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


def compile_scalars(decorate, tuple_setitem):
    """Compile every function above.

    Parameters
    ----------
    decorate : callable
        The backend's decorator for functions called by kernels.
    tuple_setitem : callable
        What the backend's compiler offers in the place of `with_word`.

    Returns
    -------
    dict
        Compiled functions by name.
    """
    namespace = dict(globals())
    namespace["with_word"] = tuple_setitem
    compiled = {}
    for name, function in list(globals().items()):
        if isinstance(function, types.FunctionType) and name not in ("with_word", "compile_scalars"):
            rebound = types.FunctionType(function.__code__, namespace, name)
            namespace[name] = compiled[name] = decorate(rebound)
    return compiled
