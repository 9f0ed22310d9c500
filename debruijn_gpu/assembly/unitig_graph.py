"""The compacted graph: unitigs with packed sequences and coverage, and how it is built from a k-mer graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.assembly.edges import edges_of
from debruijn_gpu.graph.graph import Graph, Walks
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend


@dataclass(frozen=True)
class PackedSequences:
    """DNA sequences of 2 bits a base, in arrays of a backend.

    Attributes
    ----------
    offsets : Array, dtype=int64, shape=(n + 1,)
        Sequence i is the bases ``offsets[i]`` to ``offsets[i + 1]``.
    bases : Array, dtype=uint64, shape=(ceil(offsets[n] / 32),)
        Two-bit codes (A 0, C 1, G 2, T 3), 32 a word, the first base in the highest bits; sequences follow each other
        without a gap. Unused low bits are 0.
    """

    offsets: Array
    bases: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def moved(self, move: Callable[[Array], Array]) -> PackedSequences:
        """Move every array, by `to_device` or `to_host` of a backend."""
        return PackedSequences(move(self.offsets), move(self.bases))


@dataclass(frozen=True)
class UnitigGraph:
    """Unitigs, their links and the counts of their k-mers, in arrays of a backend.

    Attributes
    ----------
    k : int
    graph : Graph
        2n vertices: ``2 * u`` is unitig u, ``2 * u + 1`` its reverse complement. Neighbours overlap by k - 1 bases.
    sequences : PackedSequences
        One sequence of ``n_kmers[u] + k - 1`` bases per unitig. The end of a circular unitig repeats the k - 1 bases of
        its start.
    circular : Array, dtype=bool, shape=(n,)
        Whether the end of a unitig continues at its start and nowhere else.
    n_kmers, kmer_counts : Array, dtype=int64, shape=(n,)
        Number of k-mers of each unitig and the sum of their counts.
    walks : Walks or None
        The walk of each unitig through the k-mer graph; None if they are not kept, and of every graph made from this.
    """

    k: int
    graph: Graph
    sequences: PackedSequences
    circular: Array
    n_kmers: Array
    kmer_counts: Array
    walks: Walks | None = None

    def __len__(self) -> int:
        return len(self.n_kmers)

    @property
    def n_links(self) -> int:
        """Number of links between unitigs; a link and its reverse complement, which may be the same, count once."""
        tails, heads = edges_of(self.graph.on_host())
        n_palindromes = int(np.count_nonzero(heads == (tails ^ 1)))
        return (len(tails) + n_palindromes) // 2

    def moved(self, move: Callable[[Array], Array]) -> UnitigGraph:
        """Move every array, by `to_device` or `to_host` of a backend."""
        return UnitigGraph(
            self.k,
            self.graph.moved(move),
            self.sequences.moved(move),
            move(self.circular),
            move(self.n_kmers),
            move(self.kmer_counts),
        )

    def keep(self, is_kept: Array, backend: AssemblyBackend, is_linked: Array | None = None) -> UnitigGraph:
        """Filter unitigs, and merge those that have no other neighbour any more.

        Parameters
        ----------
        is_kept : Array, dtype=bool, shape=(n,)
            Which unitigs are kept.
        backend : AssemblyBackend
            Whose arrays the graph's are; those of the result are too.
        is_linked : Array, dtype=bool, shape=(n,), or None
            Which of them keep their links; None: all.
        """
        has_links = is_kept if is_linked is None else is_linked
        rest = Graph(*backend.unitigs.induced_edges(self.graph.row_ptr, self.graph.col, has_links))
        walks = unitigs(rest, backend, is_kept)
        along = walks.offsets, walks.steps
        return UnitigGraph(
            self.k,
            Graph(*backend.unitigs.contract(rest.row_ptr, rest.col, *along)),
            PackedSequences(
                *backend.unitigs.merge_sequences(self.sequences.offsets, self.sequences.bases, self.k - 1, *along)
            ),
            walks.circular,
            backend.arrays.segmented_sum(self.n_kmers, *along),
            backend.arrays.segmented_sum(self.kmer_counts, *along),
        )


def unitig_graph(graph: Graph, table: KmerTable, backend: AssemblyBackend, keeps_walks: bool = False) -> UnitigGraph:
    """Compact a k-mer graph. The result needs neither the graph nor the table.

    Parameters
    ----------
    graph : Graph
        Of the table, as `graph.de_bruijn.kmer_graph` makes it.
    table : KmerTable
    backend : AssemblyBackend
        Whose arrays those of graph and table are; those of the result are too.
    keeps_walks : bool
        Whether the result has the walks of unitigs through the k-mer graph.
    """
    with log.stage("unitigs") as stage:
        walks = unitigs(graph, backend)
        along = walks.offsets, walks.steps
        compact = UnitigGraph(
            table.k,
            Graph(*backend.unitigs.contract(graph.row_ptr, graph.col, *along)),
            PackedSequences(*backend.unitigs.spell(table.codes, table.k, *along)),
            walks.circular,
            backend.graphs.out_degrees(walks.offsets),
            backend.arrays.segmented_sum(table.counts, *along),
            walks if keeps_walks else None,
        )
        stage.items, stage.unit = len(walks), "unitigs"
    return compact


def unitigs(graph: Graph, backend: AssemblyBackend, is_kept: Array | None = None) -> Walks:
    """Maximal walks whose inner edges are the only ones out of their tail and into their head.

    Parameters
    ----------
    graph : Graph
        Vertices in reverse-complement pairs, v and v ^ 1; the reverse complement of each edge is in the graph too.
    backend : AssemblyBackend
        Whose arrays the graph's are; the walks' are too.
    is_kept : Array, dtype=bool, shape=(n_vertices / 2,), or None
        Pairs of vertices that are kept; no edge leads to or from others. Default: all.

    Returns
    -------
    Walks
        Over vertices. Each kept vertex or its reverse complement is in exactly one walk. Paths come first, by
        first vertex, then cycles, by smallest vertex, from which they start.
    """
    offsets, steps, circular = backend.circuits.rank_lists(backend.unitigs.unique_successors(graph.row_ptr, graph.col))
    # No walk is its own reverse complement: an edge v -> v ^ 1 is never inside a unitig.
    chosen, are_cycles = backend.unitigs.choose_walks(offsets, steps, circular, is_kept)
    return Walks(*backend.arrays.gather_rows(offsets, steps, chosen), are_cycles)
