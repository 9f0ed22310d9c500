"""Build the node-centric de Bruijn graph: find which k-mers follow which.

Vertex ``2 * i`` is k-mer i as it stands, ``2 * i + 1`` its reverse complement. Vertex v *leaves* through its last
k - 1 bases. A vertex w is entered through its first k - 1 bases, which are the reverse complement of what ``w ^ 1``
leaves through. So v -> w exactly if v and ``w ^ 1`` leave through the same shared (k-1)-mer, a (k-1)-mer taken together
with its reverse complement, on opposite sides of it. Grouping the 2n vertices by shared (k-1)-mer gives all edges.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes, Codes, Longs, Vertices
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel, strided_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import with_word
from debruijn_gpu.backends.core.cpu.scalars import equal, hash_kmer, less, reverse_complement
from debruijn_gpu.backends.kmers.cpu.buckets import load_kmer
from debruijn_gpu.run.hash_seed import hash_seed

MAX_DEGREE = 4
_BUCKET = 1024  # vertices aimed at in a bucket: its shared (k-1)-mers stay in the L1 cache
_BYTES_PER_VERTEX = 13  # for ends that are grouped at once: then unitigs, which come after, take as much
_SUCCESSOR_BYTES = 17  # of a vertex: four successors, and their number
_PALINDROME = 2  # side of a shared (k-1)-mer that is its own reverse complement


@kernel
def _without_first(kmer, mask):
    """The last k - 1 bases."""
    return with_word(kmer, 0, kmer[0] & mask)


@kernel
def _without_last(kmer):
    """The first k - 1 bases."""
    shifted = kmer
    for i in range(len(kmer) - 1, 0, -1):
        shifted = with_word(shifted, i, (kmer[i] >> np.uint64(2)) | (kmer[i - 1] << np.uint64(62)))
    return with_word(shifted, 0, kmer[0] >> np.uint64(2))


@kernel
def _shared_mer(leaving, entering):
    """Compute the canonical shared (k-1)-mer and side of a (k-1)-mer and its reverse complement."""
    if less(leaving, entering):
        return leaving, 0
    if less(entering, leaving):
        return entering, 1
    return leaving, _PALINDROME


@kernel
def _bucket_of(shared_mer, bits, seed):
    return np.int64((hash_kmer(shared_mer, seed) >> np.uint64(32)) >> np.uint64(32 - bits))


@strided_kernel
def _count_ends(codes, k, start, stop, bits, seed, sizes, zero):
    """Add the vertices of k-mers start..stop to the sizes of their buckets (out, int64)."""
    top_bits = np.uint64(2 * k - 64 * (len(zero) - 1))
    mask = (np.uint64(1) << (top_bits - np.uint64(2))) - np.uint64(1)
    for i in range(start, stop):
        kmer = load_kmer(codes, i, zero)
        reverse = reverse_complement(kmer, top_bits)
        ahead, _side = _shared_mer(_without_first(kmer, mask), _without_last(reverse))
        behind, _side = _shared_mer(_without_first(reverse, mask), _without_last(kmer))
        sizes[_bucket_of(ahead, bits, seed)] += 1
        sizes[_bucket_of(behind, bits, seed)] += 1


@strided_kernel
def _scatter_ends(codes, k, start, stop, bits, seed, first, last, cursors, shared_mers, kmer_ends, zero):
    """Write the vertices of k-mers start..stop to their buckets, if these are among first..last.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    seed : uint64; of the hash, see `hash_kmer`
    cursors : in and out, int64 (n_buckets,)
    shared_mers : out, uint64 (words, n_ends); shared (k-1)-mers
    kmer_ends : out, uint64 (n_ends,); oriented k-mer ends: ``4 * vertex + side``
    """
    top_bits = np.uint64(2 * k - 64 * (len(zero) - 1))
    mask = (np.uint64(1) << (top_bits - np.uint64(2))) - np.uint64(1)
    for i in range(start, stop):
        kmer = load_kmer(codes, i, zero)
        reverse = reverse_complement(kmer, top_bits)
        for strand in range(2):
            shared_mer, side = _shared_mer(_without_first(kmer, mask), _without_last(reverse))
            bucket = _bucket_of(shared_mer, bits, seed)
            if first <= bucket < last:
                at = cursors[bucket]
                cursors[bucket] = at + 1
                for word in range(len(zero)):
                    shared_mers[word, at] = shared_mer[word]
                kmer_ends[at] = np.uint64(4 * (2 * i + strand) + side)
            kmer, reverse = reverse, kmer


@kernel
def _match_buckets(shared_mers, kmer_ends, bucket_ptr, origin, first, last, bits, seed, successors, degrees, zero):
    """Find the successors of the vertices in buckets first..last.

    Parameters
    ----------
    shared_mers, kmer_ends : in, as `_scatter_ends` gives them, from bucket ``origin`` on
    bucket_ptr : in, int64 (n_buckets + 1,)
    bits : int64; of the hash that choose the bucket; those behind them choose the slot
    seed : uint64; of the hash, see `hash_kmer`
    successors : out, uint32 or uint64 (2n, 4); ascending
    degrees : out, uint8 (2n,)
    """
    slots = np.empty(4096, np.int32)
    chain = np.empty(2048, np.int32)  # the next vertex of the same shared (k-1)-mer, or -1
    for bucket in range(first, last):
        start = bucket_ptr[bucket] - bucket_ptr[origin]
        size = bucket_ptr[bucket + 1] - bucket_ptr[bucket]
        if size > chain.size:
            chain = np.empty(2 * size, np.int32)
        n_slots = 1
        slot_bits = 0
        while n_slots < 2 * size:
            n_slots *= 2
            slot_bits += 1
        if n_slots > slots.size:
            slots = np.empty(n_slots, np.int32)
        slots[:n_slots] = -1
        mask = np.uint64(n_slots - 1)
        for i in range(size):
            shared_mer = load_kmer(shared_mers, start + i, zero)
            slot = (hash_kmer(shared_mer, seed) << np.uint64(bits)) >> np.uint64(64 - slot_bits)
            while slots[slot] >= 0 and not equal(load_kmer(shared_mers, start + slots[slot], zero), shared_mer):
                slot = (slot + np.uint64(1)) & mask
            chain[i] = slots[slot]
            slots[slot] = i
        for slot in range(n_slots):
            i = slots[slot]
            while i >= 0:
                _write_successors(kmer_ends, start, chain, slots[slot], i, successors, degrees)
                i = chain[i]


@kernel
def _write_successors(kmer_ends, start, chain, head, i, successors, degrees):
    """Write the successors of one vertex: reverse complements of the k-mers with the shared (k-1)-mer on the other
    side."""
    vertex = kmer_ends[start + i] >> np.uint64(2)
    side = kmer_ends[start + i] & np.uint64(3)
    degree = 0
    j = head
    while j >= 0:
        other = kmer_ends[start + j]
        if (other & np.uint64(3)) != side or side == np.uint64(_PALINDROME):
            successor = (other >> np.uint64(2)) ^ np.uint64(1)
            at = degree
            while at > 0 and successors[vertex, at - 1] > successor:
                successors[vertex, at] = successors[vertex, at - 1]
                at -= 1
            successors[vertex, at] = successor
            degree += 1
        j = chain[j]
    degrees[vertex] = degree


@kernel
def _fill_rows(successors, row_ptr, start, stop, col):
    """Copy the successors of vertices start..stop to their rows."""
    for v in range(start, stop):
        for i in range(row_ptr[v + 1] - row_ptr[v]):
            col[row_ptr[v] + i] = successors[v, i]


def _bucket_sizes(codes: Codes, k: int, bits: int) -> tuple[list[int], Longs]:
    """Count the vertices in each bucket, by range of k-mers: starts of the ranges, sizes (n_ranges, n_buckets)."""
    zero = (np.uint64(0),) * len(codes)
    seed = np.uint64(hash_seed())

    def count(start: int, stop: int) -> tuple[int, Longs]:
        sizes = np.zeros(1 << bits, np.int64)
        _count_ends(codes, k, start, stop, bits, seed, sizes, zero)
        return start, sizes

    ranges = threads.over_ranges(codes.shape[1], count)
    return [start for start, _sizes in ranges], np.array([sizes for _start, sizes in ranges], np.int64)


def _passes(bucket_ptr: Longs, n_words: int, room: int | None) -> list[tuple[int, int]]:
    """Cut the buckets into ranges whose ends about fit into some memory beside the successors, or take as much as
    unitigs."""
    n_ends = int(bucket_ptr[-1])
    per_vertex = max(_BYTES_PER_VERTEX, (room or 0) // max(1, n_ends) - _SUCCESSOR_BYTES)
    most = n_ends if room is None else max(1, n_ends * per_vertex // (8 * (n_words + 1)))
    n_passes = -(-n_ends // most)
    cuts = np.searchsorted(bucket_ptr, n_ends * np.arange(1, n_passes) // n_passes)
    return list(pairwise(sorted({0, *cuts.tolist(), len(bucket_ptr) - 1})))


def _find_successors(codes: Codes, k: int, vertex_type: Any, room: int | None) -> tuple[Vertices, Bytes]:
    """Successors and degrees of the vertices of k-mers, as `_match_buckets` writes them."""
    n = codes.shape[1]
    bits = min(20, (2 * n // _BUCKET).bit_length())
    starts, sizes = _bucket_sizes(codes, k, bits)
    bucket_ptr = np.concatenate(([0], np.cumsum(sizes.reshape(-1, 1 << bits).sum(axis=0))))
    first_of_range = bucket_ptr[:-1] + np.cumsum(sizes, axis=0) - sizes
    successors = np.empty((2 * n, MAX_DEGREE), vertex_type)
    degrees = np.empty(2 * n, np.uint8)
    for first, last in _passes(bucket_ptr, len(codes), room) if n else ():
        begin, n_ends = bucket_ptr[first], int(bucket_ptr[last] - bucket_ptr[first])
        cursors = {start: first_of_range[i] - begin for i, start in enumerate(starts)}
        _match(codes, k, bits, (first, last), bucket_ptr, n_ends, cursors, successors, degrees)
    return successors, degrees


def _match(
    codes: Codes,
    k: int,
    bits: int,
    buckets: tuple[int, int],
    bucket_ptr: Longs,
    n_ends: int,
    cursors: dict[int, Longs],
    successors: Vertices,
    degrees: Bytes,
) -> None:
    """Group the ends in a range of buckets, and find the successors of their vertices; ``cursors`` by range of
    k-mers."""
    zero, seed = (np.uint64(0),) * len(codes), np.uint64(hash_seed())
    shared_mers, kmer_ends = np.empty((len(codes), n_ends), np.uint64), np.empty(n_ends, np.uint64)

    def scatter(start: int, stop: int) -> None:
        _scatter_ends(codes, k, start, stop, bits, seed, *buckets, cursors[start], shared_mers, kmer_ends, zero)

    def match(first: int, last: int) -> None:
        ends, first, last = (shared_mers, kmer_ends, bucket_ptr, buckets[0]), buckets[0] + first, buckets[0] + last
        _match_buckets(*ends, first, last, bits, seed, successors, degrees, zero)

    threads.over_ranges(codes.shape[1], scatter)
    threads.over_ranges(buckets[1] - buckets[0], match, work=threads.SORT_STEPS * n_ends)


def kmer_graph_bytes(n: int, k: int) -> int:
    """See `UnitigOperations.kmer_graph_bytes`; measured, and about the same for all k as ends are grouped in passes."""
    return n * (72 if 2 * n < 1 << 32 else 120)


def kmer_graph(codes: Codes, k: int, room: int | None = None) -> tuple[Longs, Vertices]:
    """See `UnitigOperations.kmer_graph`; memory of shared (k-1)-mers is freed before that of rows is allocated."""
    n = codes.shape[1]
    vertex_type = np.uint32 if 2 * n < 1 << 32 else np.uint64
    successors, degrees = _find_successors(codes, k, vertex_type, room)
    row_ptr = np.zeros(2 * n + 1, np.int64)
    np.cumsum(degrees, out=row_ptr[1:])
    del degrees
    col = np.empty(row_ptr[-1], vertex_type)
    threads.over_ranges(2 * n, lambda start, stop: _fill_rows(successors, row_ptr, start, stop, col))
    return row_ptr, col
