"""Segments of unitigs: what a partition of the k-mers shows of the compacted graph.

A (k-1)-mer has all of its edges in its own partition. A unitig is cut at each of its k-mers whose two ends are in
different partitions: that k-mer ends a segment in either one. (Chikhi et al. 2016, BCALM 2.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.unitig_graph import unitigs
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.occurrences import occurring_edges
from debruijn_gpu.kmers.table import KmerTable

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend


@dataclass(frozen=True)
class Segments:
    """Segments of unitigs in one partition, in NumPy arrays.

    Attributes
    ----------
    lengths : ndarray, dtype=int64, shape=(n,)
        Number of bases.
    bases : ndarray, dtype=uint64
        Packed sequences; see `PackedSequences`.
    kmer_counts : ndarray, dtype=int64, shape=(n,)
        Sum of the counts of the k-mers. A k-mer of two partitions counts in that of its first k - 1 bases alone.
    circular : ndarray, dtype=bool, shape=(n,)
        Cycles within the partition, which are whole unitigs.
    tails, heads : ndarray, dtype=int64, shape=(n_links,)
        Vertices that the links connect: 2i is segment i, 2i + 1 its reverse complement.
    open_ends : ndarray, dtype=int64
        Vertices that continue in another partition.
    keys : ndarray, dtype=uint64, shape=(ceil(k / 32), n_open_ends)
        Canonical k-mer at the end of each of these.
    """

    lengths: NDArray[np.int64]
    bases: NDArray[np.uint64]
    kmer_counts: NDArray[np.int64]
    circular: NDArray[np.bool_]
    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    open_ends: NDArray[np.int64]
    keys: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.lengths)


def find_segments(
    table: KmerTable, partition: int, n_partitions: int, edges: KmerTable | None, backend: AssemblyBackend
) -> Segments:
    """Compact the k-mers of a partition.

    Parameters
    ----------
    table : KmerTable
        All k-mers with an end in the partition.
    partition, n_partitions : int
    edges : KmerTable or None
        (k+1)-mers to which the edges are restricted; see `occurring_edges`.
    backend : AssemblyBackend
        Whose arrays those of the tables are.
    """
    is_own = backend.kmers.end_partitions(table.codes, table.k, n_partitions) == partition
    return compact_segments(Graph(*backend.unitigs.kmer_graph(table.codes, table.k)), table, is_own, backend, edges)


def compact_segments(
    graph: Graph, table: KmerTable, is_own: Array, backend: AssemblyBackend, edges: KmerTable | None = None
) -> Segments:
    """Compact a graph of k-mers; unitigs may continue elsewhere.

    Parameters
    ----------
    graph : Graph
        Of the table.
    table : KmerTable
    is_own : Array, dtype=bool, shape=(2 n_kmers,)
        Vertices whose edges are in this graph; the edges of the others are elsewhere.
    backend : AssemblyBackend
        Whose arrays those of graph and table are.
    edges : KmerTable or None
        See `find_segments`.
    """
    graph = Graph(*backend.unitigs.edges_of_rows(graph.row_ptr, graph.col, is_own))
    if edges is not None:
        graph = occurring_edges(graph, table, edges, backend)
    walks = unitigs(graph, backend)
    along = walks.offsets, walks.steps
    row_ptr, heads = backend.unitigs.contract(graph.row_ptr, graph.col, *along)
    tails = backend.graphs.csr_tails(row_ptr, heads)
    offsets, bases = backend.unitigs.spell(table.codes, table.k, *along)
    kmer_counts = backend.arrays.segmented_sum(table.counts * is_own[1::2], *along)
    ends = _last_vertices(*along, backend)
    to_host = backend.to_host
    open_ends = np.flatnonzero(~to_host(is_own[ends]))
    return Segments(
        np.diff(to_host(offsets)),
        to_host(bases),
        to_host(kmer_counts),
        to_host(walks.circular),
        to_host(tails).astype(np.int64),
        to_host(heads).astype(np.int64),
        open_ends,
        to_host(table.codes[:, ends[backend.to_device(open_ends)] >> 1]),
    )


def _last_vertices(offsets: Array, steps: Array, backend: AssemblyBackend) -> Array:
    """Last vertices (int64 (2 n,)) of walks and of their reverse complements, in turn."""
    ends = np.empty((len(offsets) - 1, 2), np.int64)
    ends[:, 0] = backend.to_host(steps[offsets[1:] - 1])
    ends[:, 1] = backend.to_host(steps[offsets[:-1]]) ^ 1
    return backend.to_device(ends.reshape(-1))
