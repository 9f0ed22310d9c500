"""The compacted graph: unitigs as vertices, with their coverage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import log
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.walks.unitigs import unitigs
from debruijn_gpu.walks.walks import Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.interface import Backend


@dataclass(frozen=True)
class UnitigGraph:
    """Unitigs, how they follow each other and how often their k-mers occur.

    Attributes
    ----------
    k : int
    graph : Graph
        2n vertices: ``2 * u`` is unitig u, ``2 * u + 1`` its reverse complement.
    pieces : Walks
        The n unitigs as walks over the vertices of the first compaction, which cleaning joins and drops.
    piece_walks : Walks
        The unitigs of the first compaction as walks over the vertices of the k-mer graph.
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n,)
        Number of k-mers of each unitig and the sum of their counts.
    """

    k: int
    graph: Graph
    pieces: Walks
    piece_walks: Walks
    n_kmers: NDArray[np.int64]
    kmer_counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.n_kmers)

    @property
    def n_links(self) -> int:
        """Links between unitigs, of a link and its mirror one (a link may be its own mirror)."""
        edges = self.graph
        tails = np.repeat(np.arange(edges.n_vertices), np.diff(edges.row_ptr))
        n_own_mirror = int(np.count_nonzero(edges.col == (tails ^ 1)))
        return (edges.n_edges + n_own_mirror) // 2

    def kmer_walks(self, backend: Backend) -> Walks:
        """The unitigs as walks over the vertices of the k-mer graph."""
        offsets, steps = backend.expand(
            self.pieces.offsets, self.pieces.steps, self.piece_walks.offsets, self.piece_walks.steps
        )
        return Walks(offsets, steps, self.pieces.circular)

    def keep(self, alive: NDArray[np.bool_], backend: Backend) -> UnitigGraph:
        """The graph of the unitigs that are alive, joined where there is no choice any more.

        Parameters
        ----------
        alive : ndarray, dtype=bool, shape=(n,)
        backend : Backend
        """
        rest = _without_dead(self.graph, np.repeat(alive, 2))
        joined = unitigs(rest, backend)
        of_the_living = np.flatnonzero(alive[joined.steps[joined.offsets[:-1]] >> 1])
        offsets, steps = backend.take_lists(joined.offsets, joined.steps, of_the_living)
        piece_offsets, piece_steps = backend.expand(offsets, steps, self.pieces.offsets, self.pieces.steps)
        return UnitigGraph(
            self.k,
            Graph(*backend.contract(rest.row_ptr, rest.col, offsets, steps)),
            Walks(piece_offsets, piece_steps, joined.circular[of_the_living]),
            self.piece_walks,
            _sums(self.n_kmers, offsets, steps),
            _sums(self.kmer_counts, offsets, steps),
        )


def unitig_graph(graph: Graph, table: KmerTable, backend: Backend) -> UnitigGraph:
    """Compact a k-mer graph.

    Parameters
    ----------
    graph : Graph
        Of the table, as `graph.kmer_graph` makes it.
    table : KmerTable
    backend : Backend
    """
    with log.stage("unitigs") as stage:
        walks = unitigs(graph, backend)
        n = len(walks)
        compact = UnitigGraph(
            table.k,
            Graph(*backend.contract(graph.row_ptr, graph.col, walks.offsets, walks.steps)),
            Walks(np.arange(n + 1), 2 * np.arange(n, dtype=walks.steps.dtype), walks.circular),
            walks,
            np.diff(walks.offsets),
            _sums(table.counts, walks.offsets, walks.steps),
        )
        stage.items, stage.unit = n, "unitigs"
    return compact


def _without_dead(graph: Graph, alive: NDArray[np.bool_]) -> Graph:
    """The same vertices with the edges between living ones."""
    tails = np.repeat(np.arange(graph.n_vertices), np.diff(graph.row_ptr))
    kept = alive[tails] & alive[graph.col]
    row_ptr = np.zeros(graph.n_vertices + 1, np.int64)
    np.cumsum(np.bincount(tails[kept], minlength=graph.n_vertices), out=row_ptr[1:])
    return Graph(row_ptr, graph.col[kept])


def _sums(
    weights: NDArray[np.int64] | NDArray[np.uint32],
    offsets: NDArray[np.int64],
    steps: NDArray[np.uint32] | NDArray[np.uint64],
) -> NDArray[np.int64]:
    """Sum of the weights of each walk's steps; vertices 2i and 2i + 1 weigh ``weights[i]``."""
    if len(offsets) == 1:
        return np.zeros(0, np.int64)
    return np.add.reduceat(weights[steps >> 1], offsets[:-1], dtype=np.int64)
