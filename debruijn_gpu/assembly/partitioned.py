"""Build the compacted graph partition by partition, so that the k-mer graph is never in memory as a whole."""

from __future__ import annotations

import math
from contextlib import closing
from typing import TYPE_CHECKING

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.assembly.gluing import glue
from debruijn_gpu.assembly.segment_store import SegmentStore
from debruijn_gpu.assembly.segments import Segments, find_segments
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.kmers.partitions import KmerPartitions, workers
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.room import SharedRoom, free_room, least_left, make_room
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from collections.abc import Callable

    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.run.options import RunOptions

_SHARE, _SHARED = 0.3, 0.5  # of the memory that is left, for the graph of one partition, or of several at once
_MOST_PARTITIONS = 4096
_graphs = SharedRoom()


def partition_chooser(k: int, run: RunOptions, backend: AssemblyBackend) -> Callable[[int], int]:
    """Return the function that chooses partitions before k-mers are counted, by the memory that is left now.

    Of k-mers as many as fit into the memory budget, no table is made if their graph does not fit.
    """
    left = backend.memory_left(run)
    table_bytes = 2 * (8 * words_per_kmer(k) + 4) / tuning().distinct_kmers_share  # as parts, and sorted
    at_once = workers(run, backend)
    return lambda n: choose_partitions(max(backend.unitigs.kmer_graph_bytes(n, k), n * table_bytes), left, at_once)


def choose_partitions(needed: float, left: int, at_once: int) -> int:
    """Choose the number of partitions for a graph, by the bytes that it needs and those left; 0 if these suffice.

    The graphs of ``at_once`` partitions are to be in memory together.
    """
    if tuning().partitions:
        return tuning().partitions
    share = _SHARE if at_once == 1 else _SHARED / at_once
    return 0 if needed <= left else min(_MOST_PARTITIONS, math.ceil(needed / (share * left)))


def needed_bytes(n_kmers: int, k: int, backend: AssemblyBackend) -> int:
    """Memory for a table of k-mers that is merged, and its graph."""
    return max(backend.unitigs.kmer_graph_bytes(n_kmers, k), backend.kmers.merge_bytes(n_kmers, k))


def partitions_for(n_kmers: int, k: int, run: RunOptions, backend: AssemblyBackend) -> int:
    """Choose the number of partitions for at most a number of k-mers; 0 if their table and graph fit into memory."""
    needed = needed_bytes(n_kmers, k, backend)
    return choose_partitions(needed, free_room(needed, lambda: backend.memory_left(run)), workers(run, backend))


def compact_table(
    table: KmerTable, n_partitions: int, edges: KmerTable | None, run: RunOptions, backend: AssemblyBackend
) -> UnitigGraph:
    """Compact the graph of a k-mer table in partitions; the result is that of `unitig_graph`.

    Parameters
    ----------
    table : KmerTable
        Canonical.
    n_partitions : int
    edges : KmerTable or None
        (k+1)-mers to which the edges are restricted; see `occurring_edges`.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays those of the tables are; those of the result are too.
    """
    with closing(KmerPartitions(table.k, n_partitions, run, backend)) as partitions:
        with log.stage("partitions", len(table), "k-mers"):
            partitions.add(table.codes, table.counts, are_next=True)
        return compact_partitions(partitions, edges, run, backend)


def compact_partitions(
    partitions: KmerPartitions, edges: KmerTable | None, run: RunOptions, backend: AssemblyBackend
) -> UnitigGraph:
    """Compact the graph of k-mers in partitions, on all devices of the run; see `compact_table`."""
    n = partitions.n_partitions
    store = SegmentStore(partitions.k, run)
    with log.stage(f"unitigs of {n} partitions") as stage:
        for i, segments in enumerate(partitions.map(segments_of_partition, edges, run, backend), start=1):
            store.add(segments)
            stage.progress(i, n)
        stage.items, stage.unit = store.n - n, "segments"
    what = f"gluing {counted(store.n, 'segment')} of unitigs"
    make_room(store.glue_bytes, what, lambda: least_left(run, backend))
    with log.stage("glue segments") as stage:
        graph = glue(store, backend)
        stage.items, stage.unit = len(graph), "unitigs"
    return graph


def segments_of_partition(
    load: Callable[[], KmerTable],
    partition: int,
    n_partitions: int,
    edges: KmerTable | None,
    run: RunOptions,
    backend: AssemblyBackend,
) -> Segments:
    """Compact the k-mers of a partition if memory suffices; see `PartitionFunction` and `find_segments`."""
    tables = [load()]
    n_kmers, k = len(tables[0]), tables[0].k
    needed = backend.unitigs.kmer_graph_bytes(n_kmers, k)
    what = f"the graph of {counted(n_kmers, 'k-mer')} of one partition"
    with _graphs.room(needed, what, lambda: backend.memory_left(run)):
        return find_segments(tables.pop(), partition, n_partitions, edges, backend)
