"""Build the node-centric de Bruijn graph: find which k-mers follow which.

Vertex ``2 * i`` is k-mer i as it stands, ``2 * i + 1`` its reverse complement. What may follow a vertex are four
k-mers, each looked up in the sorted table (`kmers.cuda.lookups`), in its canonical strand. Neighbours in the table have
neighbours in the table for successors, or for reverse complements of these, so that half of the lookups of a warp fall
into the same lines of the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import append_base, less, prepend_base, reverse_complement
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.kmers.cuda.lookups import find_kmer, index_of, load_kmer

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@device_function
def _find_successor(codes, index, n_bits, top_bits, kmer, reverse, base):
    """The vertex that follows a k-mer with that base (uint64), -1 if there is none; ``reverse`` is the reverse
    complement of the k-mer."""
    ahead = append_base(kmer, base, _ALL >> (np.uint64(64) - top_bits))
    behind = prepend_base(reverse, base ^ np.uint64(3), top_bits - np.uint64(2))
    is_reverse = less(behind, ahead)
    found = find_kmer(codes, index, n_bits, top_bits, behind if is_reverse else ahead)
    return 2 * found + (1 if is_reverse else 0) if found >= 0 else np.int64(-1)


@Family
def _find_degrees(n_words: int) -> Any:
    """Make `find_degrees` for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def find_degrees(codes, index, n_bits, top_bits, bases, degrees):
        """Which bases lead from each vertex to another one. One thread per vertex, which looks four k-mers up.

        Parameters
        ----------
        codes, index, n_bits, top_bits : in; see `kmers.cuda.lookups`
        bases : out, uint8 (2n,); bit b stands for base b
        degrees : out, int8 (2n,); how many bits are set
        """
        for vertex in range(cuda.grid(1), bases.size, cuda.gridsize(1)):
            kmer = load_kmer(codes, vertex >> 1, zero)
            reverse = reverse_complement(kmer, top_bits)
            if vertex & 1:
                kmer, reverse = reverse, kmer
            found = 0
            degree = 0
            for base in range(4):
                head = _find_successor(codes, index, n_bits, top_bits, kmer, reverse, np.uint64(base))
                if head >= 0:
                    found |= 1 << base
                    degree += 1
            bases[vertex] = found
            degrees[vertex] = degree

    return find_degrees


@Family
def _write_heads(n_words: int) -> Any:
    """Make `write_heads` for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def write_heads(codes, index, n_bits, top_bits, bases, row_ptr, col):
        """The heads of the edges of each vertex, ascending. One thread per vertex, which looks up what is there.

        Parameters
        ----------
        codes, index, n_bits, top_bits : in; see `kmers.cuda.lookups`
        bases : in, uint8 (2n,); see `find_degrees`
        row_ptr : in, int64 (2n + 1,)
        col : out, uint32 or uint64 (n_edges,)
        """
        for vertex in range(cuda.grid(1), bases.size, cuda.gridsize(1)):
            left = np.uint32(bases[vertex])
            if left == np.uint32(0):
                continue
            kmer = load_kmer(codes, vertex >> 1, zero)
            reverse = reverse_complement(kmer, top_bits)
            if vertex & 1:
                kmer, reverse = reverse, kmer
            first = row_ptr[vertex]
            end = first
            for base in range(4):
                if (left >> np.uint32(base)) & np.uint32(1):
                    head = _find_successor(codes, index, n_bits, top_bits, kmer, reverse, np.uint64(base))
                    at = end
                    while at > first and np.int64(col[at - 1]) > head:
                        col[at] = col[at - 1]
                        at -= 1
                    col[at] = head
                    end += 1

    return write_heads


def kmer_graph_bytes(n: int, k: int) -> int:
    """See `UnitigOperations.kmer_graph_bytes`: per vertex a (k-1)-mer, an oriented end, four successors, a degree."""
    return 2 * n * (8 * words_per_kmer(k) + 8 + 16 + 1)


@guarded
def kmer_graph(codes: Array, k: int, room: int | None = None) -> tuple[Array, Array]:
    """See `UnitigOperations.kmer_graph`: twice, so that no memory goes to successors that are not there."""
    codes = contiguous(codes)
    n_words, n = codes.shape
    index = index_of(codes, k)
    bases, degrees = xp.empty(2 * n, np.uint8), xp.empty(2 * n, np.int8)
    launch(_find_degrees(n_words), 2 * n, codes, *index, bases, degrees)
    row_ptr = exclusive_scan(degrees)
    del degrees
    col = xp.empty(int(row_ptr[-1]), np.uint32 if 2 * n < 1 << 32 else np.uint64)
    launch(_write_heads(n_words), 2 * n, codes, *index, bases, row_ptr, col)
    return row_ptr, col
