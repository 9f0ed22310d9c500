"""The edge-centric de Bruijn graph: vertices are (k-1)-mers, edges are k-mers with their multiplicity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.graph.graph import Graph, empty_ids
from debruijn_gpu.graph.names import KmerNames
from debruijn_gpu.kmers.table import KmerTable

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend


@dataclass(frozen=True)
class EdgeCentricGraph:
    """A graph whose edges are k-mers.

    Attributes
    ----------
    k : int
        Length of the edges; vertices are one base shorter.
    graph : Graph
        Vertices in the order of their (k-1)-mers, by which they are called; the edges out of a vertex in the order of
        their k-mers.
    kmers : ndarray, dtype=int64, shape=(n_edges,)
        K-mer of each edge: with both strands 2 * (row in the table) + (1: its reverse complement), so that
        ``kmer ^ 1`` is its reverse complement; otherwise its row.
    both_strands : bool
        Whether the graph holds both orientations of each k-mer.
    """

    k: int
    graph: Graph
    kmers: NDArray[np.int64]
    both_strands: bool


def copy_numbers(kmer_depth: NDArray[np.floating | np.integer], peak: float) -> NDArray[np.uint32]:
    """Estimate copy numbers in the genome: k-mer depth over that of single-copy sequence, rounded, at least 1.

    Parameters
    ----------
    kmer_depth : ndarray, shape=(n,)
        Mean k-mer depth of each unitig. (Single k-mers would do only where reads lie as regularly as bricks: a
        k-mer of the genome is seen more than one and a half times as often as the mean now and then.)
    peak : float
        K-mer depth of sequence that is there once; above 0.

    Returns
    -------
    ndarray, dtype=uint32, shape=(n,)
    """
    copies: NDArray[np.uint32] = np.maximum(np.floor(kmer_depth / peak + 0.5), 1).astype(np.uint32)
    return copies


def edge_centric(
    table: KmerTable, multiplicity: NDArray[np.unsignedinteger] | None, backend: HostBackend
) -> EdgeCentricGraph:
    """Build the graph whose edges are the k-mers of a table, once per multiplicity.

    A canonical table gives both strands: every k-mer in both orientations. Each occurrence of a k-mer that is its own
    reverse complement (which only even k allow) is one on either strand, and gives two edges.

    Parameters
    ----------
    table : KmerTable
        Its counts are not looked at.
    multiplicity : ndarray, dtype=unsigned, shape=(n,), or None
        Number of edges of each k-mer in each orientation, 1 or more. None: one edge for each distinct sequence.
    backend : Backend

    Returns
    -------
    EdgeCentricGraph
    """
    oriented, order = _sorted_orientations(table, backend, distinct=multiplicity is None)
    n_oriented = len(order)
    tails, heads = empty_ids(n_oriented, 2 * n_oriented), empty_ids(n_oriented, 2 * n_oriented)
    vertices = backend.kmers.number_ends(oriented, table.k, tails, heads)
    if multiplicity is None:
        copies = np.ones(n_oriented, np.int64)
    else:
        copies = multiplicity[order >> 1 if table.canonical else order].astype(np.int64)
    rows = np.repeat(np.arange(n_oriented), copies)
    codes = np.ascontiguousarray(vertices[:, vertices.shape[1] - words_per_kmer(table.k - 1) :].T)
    row_ptr = _row_pointers(tails, copies, len(vertices))
    return EdgeCentricGraph(
        k=table.k,
        graph=Graph(row_ptr, heads[rows], KmerNames(codes, table.k - 1)),
        kmers=order[rows],
        both_strands=table.canonical,
    )


def _sorted_orientations(
    table: KmerTable, backend: HostBackend, distinct: bool
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Sorted codes of all edges, and the number (see `EdgeCentricGraph.kmers`) of each; ``distinct``: of two equal ones
    the first."""
    if not table.canonical:
        return table.codes, np.arange(len(table), dtype=np.int64)
    codes = backend.kmers.both_strands(table.codes, table.k)
    order: NDArray[np.int64] = backend.arrays.order_by(list(codes))
    codes = codes[:, order]
    if distinct and table.k % 2 == 0:
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
        codes, order = codes[:, is_first], order[is_first]
    return np.ascontiguousarray(codes), order


def _row_pointers(tails: NDArray[np.unsignedinteger], copies: NDArray[np.int64], n_vertices: int) -> NDArray[np.int64]:
    """Where each vertex's edges begin, shape (n_vertices + 1,); from ascending tails and copies of each."""
    edges_before = np.concatenate((np.zeros(1, np.int64), np.cumsum(copies)))
    kmers_out = np.bincount(tails.astype(np.int64, copy=False), minlength=n_vertices)
    row_ptr: NDArray[np.int64] = edges_before[np.concatenate((np.zeros(1, np.int64), np.cumsum(kmers_out)))]
    return row_ptr
