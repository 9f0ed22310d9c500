"""K-mers of the reads around one gap, in a hash table; see `HostUnitigOperations.index_gap`.

A k-mer (odd k, at most 61) is two uint64 words, ``high`` and ``low``, right-aligned. Vertex 2i is canonical k-mer i,
2i + 1 its reverse complement.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes, Longs
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel, lean_function
from debruijn_gpu.backends.core.cpu.scalars import hash_kmer
from debruijn_gpu.backends.unitigs.containers import GapKmers
from debruijn_gpu.run.hash_seed import hash_seed

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_0, _1, _2, _3, _20, _62, _64 = (np.uint64(n) for n in (0, 1, 2, 3, 20, 62, 64))


@inlined_kernel
def append(high, low, base, k):
    """Drop the first base of a k-mer, append one at the end."""
    bits = np.uint64(2 * k)
    if bits < _64:
        return _0, ((low << _2) | base) & ((_1 << bits) - _1)
    return ((high << _2) | (low >> _62)) & ((_1 << (bits - _64)) - _1), (low << _2) | base


@inlined_kernel
def prepend(high, low, base, k):
    """Drop the last base of a k-mer, put one in front."""
    shift = np.uint64(2 * k - 2)
    if shift < _64:
        return _0, (low >> _2) | (base << shift)
    return (high >> _2) | (base << (shift - _64)), (low >> _2) | (high << _62)


@lean_function
def _find(slots, seed, words, high, low):
    """Find the number of a canonical k-mer, or -1 - its free slot."""
    mask = np.uint64(slots.size - 1)
    slot = (hash_kmer((high, low), seed) >> _20) & mask
    while slots[slot]:
        number = np.int64(slots[slot]) - 1
        if words[2 * number, 1] == low and words[2 * number, 0] == high:
            return number
        slot = (slot + _1) & mask
    return -1 - np.int64(slot)


@lean_function
def successor(kmers, vertex, base):
    """Find the vertex that follows a vertex by a base (uint64); -1 if the k-mer does not occur."""
    k, slots, seed, words = kmers[0], kmers[1], kmers[2], kmers[3]
    high, low = append(words[vertex, 0], words[vertex, 1], base, k)
    other_high, other_low = prepend(words[vertex ^ 1, 0], words[vertex ^ 1, 1], _3 - base, k)
    if high < other_high or (high == other_high and low < other_low):
        number = _find(slots, seed, words, high, low)
        return 2 * number if number >= 0 else -1
    number = _find(slots, seed, words, other_high, other_low)
    return 2 * number + 1 if number >= 0 else -1


@lean_function
def add_kmers(sequence, begin, end, k, slots, seed, words, n_kmers, vertices):
    """Insert the k-mers of bases begin..end of a sequence; store the vertex of each, or -1, where it begins.

    Returns
    -------
    int64
        Number of distinct k-mers from then on.
    """
    high, low, other_high, other_low = _0, _0, _0, _0
    n_valid = 0
    for i in range(begin, end):
        if i >= begin + k - 1:
            vertices[i - k + 1] = -1
        if sequence[i] > 3:
            n_valid = 0
            continue
        base = np.uint64(sequence[i])
        high, low = append(high, low, base, k)
        other_high, other_low = prepend(other_high, other_low, _3 - base, k)
        n_valid += 1
        if n_valid < k:
            continue
        is_reverse = other_high < high or (other_high == high and other_low < low)
        number = (
            _find(slots, seed, words, other_high, other_low) if is_reverse else _find(slots, seed, words, high, low)
        )
        if number < 0:
            slot = -1 - number
            number = n_kmers
            n_kmers += 1
            slots[slot] = n_kmers
            strand = 1 if is_reverse else 0
            words[2 * number + strand, 0], words[2 * number + strand, 1] = high, low
            words[2 * number + 1 - strand, 0], words[2 * number + 1 - strand, 1] = other_high, other_low
        vertices[i - k + 1] = 2 * number + (1 if is_reverse else 0)
    return n_kmers


@kernel
def _index(codes, offsets, left, right, k, slots, seed, words, vertices, left_vertices, right_vertices):
    """Insert the k-mers of all reads and of both ends; return the number of distinct ones."""
    n_kmers = 0
    for read in range(offsets.size - 1):
        n_kmers = add_kmers(codes, offsets[read], offsets[read + 1], k, slots, seed, words, n_kmers, vertices)
    n_kmers = add_kmers(left, 0, left.size, k, slots, seed, words, n_kmers, left_vertices)
    return add_kmers(right, 0, right.size, k, slots, seed, words, n_kmers, right_vertices)


@kernel
def _count(vertices, counts):
    """Count the vertices of reads by their k-mers."""
    for vertex in vertices:
        if vertex >= 0:
            counts[vertex >> 1] += 1


def index_gap(left: Bytes, right: Bytes, codes: Bytes, offsets: Longs, k: int) -> GapKmers:
    """See `HostUnitigOperations.index_gap`."""
    n_windows = int(np.maximum(0, np.diff(offsets) - k + 1).sum()) + len(left) + len(right)
    slots = np.zeros(1 << (2 * n_windows).bit_length(), np.int32)
    words = np.empty((2 * n_windows, 2), np.uint64)
    vertices = np.full(len(codes), -1, np.int32)
    left_vertices = np.empty(max(0, len(left) - k + 1), np.int32)
    right_vertices = np.empty(max(0, len(right) - k + 1), np.int32)
    seed = np.uint64(hash_seed())
    n_kmers = _index(codes, offsets, left, right, k, slots, seed, words, vertices, left_vertices, right_vertices)
    counts, is_end = np.zeros(n_kmers, np.int32), np.zeros(n_kmers, np.bool_)
    _count(vertices, counts)
    is_end[left_vertices >> 1] = True
    is_end[right_vertices >> 1] = True
    return GapKmers(k, slots, seed, words, counts, is_end, vertices, left_vertices, right_vertices)
