"""Edges of the k-mer graph that occur in reads: from the node-centric to the edge-centric de Bruijn graph."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.backends.reads.protocol import ReadBatch
    from debruijn_gpu.kmers.engine import KmerEngine
    from debruijn_gpu.run.options import RunOptions

_EDGES_AT_ONCE = 1 << 22
#: Reverse the order of the bases in a word: masks of neighbours, and how far they move
_SWAPS = (
    (0x3333333333333333, 2),
    (0x0F0F0F0F0F0F0F0F, 4),
    (0x00FF00FF00FF00FF, 8),
    (0x0000FFFF0000FFFF, 16),
    (0x00000000FFFFFFFF, 32),
)


def count_edges(
    reads: Iterable[ReadBatch],
    k: int,
    longest_bp: int,
    run: RunOptions,
    backend: AssemblyBackend,
    n_bases: int,
    engine: KmerEngine | None = None,
) -> KmerTable:
    """Count the (k+1)-mers of reads: the edges of the edge-centric graph of their k-mers.

    Parameters
    ----------
    reads : iterable of ReadBatch
    k : int
    longest_bp : int
        Length of the longest read: without k + 1 bases there are no edges.
    run : RunOptions
    backend : AssemblyBackend
    n_bases : int
        About how many bases the reads have.
    engine : KmerEngine or None
        Counts elsewhere.
    """
    if longest_bp <= k:
        codes, counts = np.empty((words_per_kmer(k + 1), 0), np.uint64), np.empty(0, np.uint32)
        return KmerTable(k + 1, backend.to_device(codes), backend.to_device(counts))
    counted = count_kmers(reads, CountOptions(k=k + 1), run, backend, n_bases_expected=n_bases, engine=engine)
    assert counted.table is not None
    return counted.table


def edges_of_partitions(edges: KmerTable, n_partitions: int, backend: AssemblyBackend) -> list[KmerTable]:
    """Distribute (k+1)-mers to the partitions of the k-mers' ends: that of its inner k - 1 bases has its edge.

    Parameters
    ----------
    edges : KmerTable
        (k+1)-mers, k odd, in arrays of the backend.
    n_partitions : int
        See `KmerPartitions`.
    backend : AssemblyBackend
    """
    above = [edges.codes[0] & np.uint64(0), *edges.codes[:-1]]
    # The first k bases of each; as k is odd, they take as many words.
    words = [word >> np.uint64(2) | last << np.uint64(62) for last, word in zip(above, edges.codes, strict=True)]
    ends = backend.kmers.end_partitions(np.stack(words), edges.k - 1, n_partitions)
    inner = backend.to_host(ends)[::2]
    order = np.argsort(inner, kind="stable")
    bounds = np.searchsorted(inner[order], np.arange(n_partitions + 1)).tolist()
    return [edges.rows(order[start:stop]) for start, stop in pairwise(bounds)]


def occurring_edges(graph: Graph, table: KmerTable, edges: KmerTable, backend: AssemblyBackend) -> Graph:
    """Filter the edges of a k-mer graph whose (k+1)-mer occurs.

    Parameters
    ----------
    graph : Graph
        Of the table, see `kmer_graph`.
    table, edges : KmerTable
        Canonical k-mers, k odd, and (k+1)-mers.
    backend : AssemblyBackend
        Whose arrays those of graph and tables are; those of the result are too.

    Returns
    -------
    Graph
        Same vertices, edges in the same order. It holds the reverse complement of each of its edges.
    """
    if not graph.n_edges:
        return graph
    with log.stage("occurring edges") as stage:
        tails = backend.graphs.csr_tails(graph.row_ptr, graph.col)
        wanted = table.codes[:, graph.col >> 1]  # written over, block by block
        for start in range(0, graph.n_edges, _EDGES_AT_ONCE):
            some = slice(start, start + _EDGES_AT_ONCE)
            words = _edge_codes(table, tails[some], graph.col[some])
            for i, word in enumerate(words):
                wanted[i, some] = word
        occurs = backend.kmers.look_up_counts(edges.codes, edges.counts, edges.k, wanted) > 0
        n_before = occurs.astype(np.int64).cumsum()
        row_ptr = n_before[graph.row_ptr - 1]
        row_ptr[graph.row_ptr == 0] = 0
        found = Graph(row_ptr, graph.col[occurs])
        stage.items, stage.unit = found.n_edges, "edges"
    return found


def _edge_codes(table: KmerTable, tails: Array, heads: Array) -> list[Array]:
    """Canonical (k+1)-mers of edges, one array per word: the smaller of tail + last base of the head, and the same of
    the reverse complement. As k is odd, they take as many words as k-mers."""
    ahead, behind = _oriented(table, tails), _oriented(table, heads ^ 1)
    top = np.uint64(2 * (table.k - 1) % 64)
    first_bases = ahead[0] >> top, behind[0] >> top
    ahead = _append(ahead, first_bases[1] ^ np.uint64(3))
    behind = _append(behind, first_bases[0] ^ np.uint64(3))
    return _smaller(ahead, behind)


def _oriented(table: KmerTable, vertices: Array) -> list[Array]:
    """K-mers of vertices, one array per word: 2i is k-mer i, 2i + 1 its reverse complement."""
    words = list(table.codes[:, vertices >> 1])
    is_reverse = np.uint64(0) - (vertices & 1).astype(np.uint64)  # all bits, or none
    return [
        word ^ ((word ^ other) & is_reverse)
        for word, other in zip(words, _reverse_complements(words, table.k), strict=True)
    ]


def _reverse_complements(words: list[Array], k: int) -> list[Array]:
    """Reverse complements of k-mers, one array per word: reverse all bases of all words, and shift them right."""
    turned = [~word for word in reversed(words)]
    for mask, shift in _SWAPS:
        low, by = np.uint64(mask), np.uint64(shift)
        turned = [((word >> by) & low) | ((word & low) << by) for word in turned]
    unused = np.uint64(-2 * k % 64)
    if not unused:
        return turned
    before = np.uint64(64) - unused
    shifted = [turned[0] >> unused]
    shifted += [word >> unused | last << before for last, word in pairwise(turned)]
    return shifted


def _append(words: list[Array], bases: Array) -> list[Array]:
    """Append a base to each k-mer; the first word has room for it."""
    behind = [*(word >> np.uint64(62) for word in words[1:]), bases]
    return [word << np.uint64(2) | more for word, more in zip(words, behind, strict=True)]


def _smaller(ahead: list[Array], behind: list[Array]) -> list[Array]:
    """The lexicographically smaller of each two."""
    is_less = behind[-1] < ahead[-1]
    for one, other in zip(reversed(ahead[:-1]), reversed(behind[:-1]), strict=True):
        is_less = (other < one) | ((other == one) & is_less)
    mask = np.uint64(0) - is_less.astype(np.uint64)
    return [one ^ ((one ^ other) & mask) for one, other in zip(ahead, behind, strict=True)]
