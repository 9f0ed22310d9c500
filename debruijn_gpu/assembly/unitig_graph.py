"""The compacted graph: unitigs as vertices, with their coverage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.assembly.unitigs import unitigs
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.walks import Walks
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend


@dataclass(frozen=True)
class UnitigGraph:
    """Unitigs, how they follow each other and how often their k-mers occur.

    Arrays are those of a backend: what is about unitigs of one, ``piece_walks`` of that of the k-mer table.

    Attributes
    ----------
    k : int
    graph : Graph
        2n vertices: ``2 * u`` is unitig u, ``2 * u + 1`` its reverse complement.
    pieces : Walks
        The n unitigs as walks over the vertices of the first compaction, which cleaning joins and drops.
    piece_walks : Walks
        The unitigs of the first compaction as walks over the vertices of the k-mer graph.
    n_kmers, kmer_counts : Array, dtype=int64, shape=(n,)
        Number of k-mers of each unitig and the sum of their counts.
    """

    k: int
    graph: Graph
    pieces: Walks
    piece_walks: Walks
    n_kmers: Array
    kmer_counts: Array

    def __len__(self) -> int:
        return len(self.n_kmers)

    @property
    def n_links(self) -> int:
        """Links between unitigs, of a link and its mirror one (a link may be its own mirror)."""
        edges = self.graph.on_host()
        tails = np.repeat(np.arange(edges.n_vertices), np.diff(edges.row_ptr))
        n_own_mirror = int(np.count_nonzero(edges.col == (tails ^ 1)))
        return (edges.n_edges + n_own_mirror) // 2

    def moved(self, move: Callable[[Array], Array]) -> UnitigGraph:
        """The same with every array moved, by `to_device` or `to_host` of a backend."""
        return replace(self.unitigs_moved(move), piece_walks=self.piece_walks.moved(move))

    def unitigs_moved(self, move: Callable[[Array], Array]) -> UnitigGraph:
        """`moved` but for ``piece_walks``, which is as long as the k-mer table and only needed beside it."""
        return replace(
            self,
            graph=self.graph.moved(move),
            pieces=self.pieces.moved(move),
            n_kmers=move(self.n_kmers),
            kmer_counts=move(self.kmer_counts),
        )

    def kmer_walks(self, backend: AssemblyBackend) -> Walks:
        """The unitigs as walks over the vertices of the k-mer graph; ``backend`` is that of the k-mer table."""
        pieces = self.pieces.on_device(backend)
        offsets, steps = backend.arrays.expand(
            pieces.offsets, pieces.steps, self.piece_walks.offsets, self.piece_walks.steps
        )
        return Walks(offsets, steps, pieces.circular)

    def keep(self, alive: Array, backend: AssemblyBackend) -> UnitigGraph:
        """The graph of the unitigs that are alive, joined where there is no choice any more.

        Parameters
        ----------
        alive : Array, dtype=bool, shape=(n,)
        backend : AssemblyBackend
            Whose arrays those about unitigs are.
        """
        rest = Graph(*backend.unitigs.living_edges(self.graph.row_ptr, self.graph.col, alive))
        joined = unitigs(rest, backend, alive)
        pieces = backend.arrays.expand(joined.offsets, joined.steps, self.pieces.offsets, self.pieces.steps)
        return UnitigGraph(
            self.k,
            Graph(*backend.unitigs.contract(rest.row_ptr, rest.col, joined.offsets, joined.steps)),
            Walks(*pieces, joined.circular),
            self.piece_walks,
            backend.arrays.sum_lists(self.n_kmers, joined.offsets, joined.steps),
            backend.arrays.sum_lists(self.kmer_counts, joined.offsets, joined.steps),
        )


def unitig_graph(graph: Graph, table: KmerTable, backend: AssemblyBackend) -> UnitigGraph:
    """Compact a k-mer graph.

    Parameters
    ----------
    graph : Graph
        Of the table, as `graph.kmer_graph` makes it.
    table : KmerTable
    backend : AssemblyBackend
        Whose arrays those of graph and table are; those of the result are too.
    """
    with log.stage("unitigs") as stage:
        walks = unitigs(graph, backend)
        compact = UnitigGraph(
            table.k,
            Graph(*backend.unitigs.contract(graph.row_ptr, graph.col, walks.offsets, walks.steps)),
            Walks(*backend.arrays.single_steps(len(walks), walks.steps), walks.circular),
            walks,
            backend.graphs.out_degrees(walks.offsets),
            backend.arrays.sum_lists(table.counts, walks.offsets, walks.steps),
        )
        stage.items, stage.unit = len(walks), "unitigs"
    return compact
