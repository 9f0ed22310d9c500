"""De Bruijn graphs: of all words, edge-centric and node-centric ones of a k-mer table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.graph.graph import Graph, empty_ids
from debruijn_gpu.graph.names import NUMBERS, KmerNames, VertexNames, WordNames
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend, HostBackend, UnitigBackend

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def de_bruijn_graph(alphabet: str | int, n: int, backend: GraphBackend | None = None) -> Graph:
    """The de Bruijn graph B(k, n): vertices are the words of n - 1 letters, edges those of n.

    Vertices and edges are numbered in the order of the dictionary; edge w leads from the first n - 1 letters of word w
    to its last.

    Parameters
    ----------
    alphabet : str or int
        Its letters, or their number k: then they are the digits, up to 10 of them, or the letters 0-9a-z, up to 36;
        with more, vertices are called by their numbers.
    n : int
    backend : GraphBackend, optional
        Makes the graph, in its arrays; by default the CPU.

    Raises
    ------
    OptionValueError
        If there is no such graph, or it would have 2^63 edges or more.
    """
    if n < 1:
        raise OptionValueError(f"words of {n} letters", "give a length of 1 or more")
    k = _n_letters(alphabet)
    if k**n >= 1 << 63:
        raise OptionValueError(f"there are {k}^{n} words, 2^63 or more", "choose shorter words or a smaller alphabet")
    letters = _DIGITS[:k] if isinstance(alphabet, int) else alphabet
    names: VertexNames = WordNames(tuple(letters), n - 1) if len(letters) == k else NUMBERS
    return Graph(*(backend or backends.host()).graphs.de_bruijn_edges(k, k ** (n - 1)), names)


def _n_letters(alphabet: str | int) -> int:
    if isinstance(alphabet, int):
        if alphabet < 1:
            raise OptionValueError(f"an alphabet of {alphabet} letters", "give 1 or more, or the letters themselves")
        return alphabet
    if not alphabet or len(set(alphabet)) < len(alphabet):
        raise OptionValueError(f"the alphabet {alphabet!r} is empty or has a letter twice", "give each letter once")
    return len(alphabet)


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


def kmer_graph(table: KmerTable, backend: UnitigBackend, room: int | None = None) -> Graph:
    """Graph of the overlaps by k - 1 bases between the k-mers of a table, both strands.

    Parameters
    ----------
    table : KmerTable
        Canonical, n k-mers.
    backend : UnitigBackend
        Whose arrays the table's are; the graph's are too.
    room : int, optional
        Bytes of memory that may be used on the way; see `UnitigOperations.kmer_graph`.

    Returns
    -------
    Graph
        2n vertices: ``2 * i`` is k-mer i, ``2 * i + 1`` its reverse complement. Edges ascend in each row; the reverse
        complement of an edge v -> w is (w ^ 1) -> (v ^ 1).
    """
    with log.stage("k-mer graph") as stage:
        graph = Graph(*backend.unitigs.kmer_graph(table.codes, table.k, room))
        stage.items, stage.unit = graph.n_edges, "edges"
    return graph
