"""Graphs of the rounds of an assembly: the first from counted k-mers, each next one from that before and from reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from debruijn_gpu.assembly.mercy import with_mercy_kmers
from debruijn_gpu.assembly.partitioned import choose_partitions, compact_partitions, compact_table
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.round_summary import RoundKmers
from debruijn_gpu.assembly.rounds import longer_kmers
from debruijn_gpu.assembly.situation import Findings
from debruijn_gpu.assembly.torn_repeats import repair_torn_repeats
from debruijn_gpu.assembly.unitig_graph import UnitigGraph, unitig_graph
from debruijn_gpu.assembly.whole_unitigs import WholeUnitigs
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.graph.occurrences import occurring_edges
from debruijn_gpu.kmers.evenness import needs_mercy
from debruijn_gpu.kmers.partitions import KmerPartitions, Kmers, workers
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.room import free_room

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


#: Of several genomes, a repeat may be of a rare one, whose reads do not have all ways through it.
_LEAST_DEPTH_OF_SEVERAL = 1.0


def first_kmers(
    tables: list[Kmers], reads: Iterable[ReadBatch], counts: KmerCounts, run: RunOptions, backend: AssemblyBackend
) -> tuple[Kmers, RoundKmers]:
    """Take the table out of a list, and add mercy k-mers if there are rounds and the minimum count may be too high."""
    table = tables.pop()
    n_counted = len(table)
    if len(counts.choice.ks) > 1 and needs_mercy(counts.min_count, counts.spectrum, counts.estimate):
        table = with_mercy_kmers(table, compact(table, run, backend), reads, run, backend)
    return table, RoundKmers(len(table), counts.lengths.n_kmers(table.k), n_mercy=len(table) - n_counted)


def next_graph(
    graph: UnitigGraph,
    reads: Iterable[ReadBatch],
    k: int,
    found: Findings,
    run: RunOptions,
    backend: AssemblyBackend,
) -> tuple[UnitigGraph, RoundKmers]:
    """Compact the graph of the next k, and join what it tears apart; see `repair_torn_repeats`."""
    table, n_spanning, n_read = longer_kmers(graph, reads, k, run, backend)
    longer = table.compact(run, backend) if isinstance(table, WholeUnitigs) else compact(table, run, backend)
    least_depth = _LEAST_DEPTH_OF_SEVERAL if found.genomes or found.has_strains else 0.0
    longer = repair_torn_repeats(longer, graph.k, backend, least_depth)
    n_kmers = int(longer.n_kmers.sum())  # in partitions, a k-mer may have been added twice
    return longer, RoundKmers(n_kmers, n_spanning, n_linked=n_kmers - n_read)


def compact(
    table: Kmers, run: RunOptions, backend: AssemblyBackend, edges: KmerTable | None = None, keeps_walks: bool = False
) -> UnitigGraph:
    """Compact the graph of k-mers, which are then no longer needed, or of its edges those of another table.

    A graph that does not fit into memory is compacted in partitions, with the same result, but without its walks, which
    ``keeps_walks`` asks for.
    """
    if isinstance(table, KmerPartitions):
        return compact_partitions(table, edges, run, backend)
    needed = backend.unitigs.kmer_graph_bytes(len(table), table.k)
    room = free_room(needed, lambda: backend.memory_left(run))
    n_partitions = choose_partitions(needed, room, workers(run, backend))
    if n_partitions:
        return compact_table(table, n_partitions, edges, run, backend)
    graph = kmer_graph(table, backend, room - room // 8)  # threads have tables of their own beside
    if edges is not None:
        graph = occurring_edges(graph, table, edges, backend)
    return unitig_graph(graph, table, backend, keeps_walks)
