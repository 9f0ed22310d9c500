"""Build the compacted graph partition by partition, so that the k-mer graph is never in memory as a whole."""

from __future__ import annotations

import math
from contextlib import closing
from typing import TYPE_CHECKING

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.assembly.gluing import glue
from debruijn_gpu.assembly.segment_store import SegmentStore
from debruijn_gpu.assembly.segments import find_segments
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.kmers.partitions import KmerPartitions
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.resources import format_bytes, memory_left, return_free_memory
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from collections.abc import Callable

    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.run.options import RunOptions

_SHARE = 0.3  # of the memory that is left, for the graph of one partition
_MOST_PARTITIONS = 4096


def graph_bytes_per_kmer(k: int) -> int:
    """Peak memory of the k-mer graph and its unitigs: per vertex a (k-1)-mer, an oriented end, four successors, a
    degree.

    Finding unitigs takes about as much beside the finished graph: 30 bytes per vertex, measured on the CPU.
    """
    return 2 * (8 * words_per_kmer(k) + 8 + 16 + 1)


def choose_partitions(n_kmers: int, k: int, run: RunOptions, backend: AssemblyBackend) -> int:
    """Choose the number of partitions for the graph of a number of k-mers; 0 if the whole graph fits into memory."""
    return _partitions_for(n_kmers * graph_bytes_per_kmer(k), backend.memory_left(run))


def partition_chooser(k: int, run: RunOptions, backend: AssemblyBackend) -> Callable[[int], int]:
    """Return the function that chooses partitions before k-mers are counted, by the memory that is left now.

    Of k-mers as many as fit into the memory budget, no table is made if their graph does not fit.
    """
    left = backend.memory_left(run)
    table_bytes = 2 * (8 * words_per_kmer(k) + 4) / tuning().distinct_kmers_share  # as parts, and sorted
    per_kmer = max(graph_bytes_per_kmer(k), table_bytes)
    return lambda n_kmers: _partitions_for(n_kmers * per_kmer, left)


def _partitions_for(needed: float, left: int) -> int:
    if tuning().partitions:
        return tuning().partitions
    return 0 if needed <= left else min(_MOST_PARTITIONS, math.ceil(needed / (_SHARE * left)))


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
    """Compact the graph of k-mers in partitions; see `compact_table`."""
    n = partitions.n_partitions
    store = SegmentStore(partitions.k, run)
    spill = [partitions.spill, store.spill]
    with log.stage(f"unitigs of {n} partitions") as stage:
        for i in range(n):
            tables = [partitions.load(i)]
            n_kmers = len(tables[0])
            what = f"the graph of {counted(n_kmers, 'k-mer')} of one partition takes"
            _make_room(n_kmers * graph_bytes_per_kmer(partitions.k), what, spill, lambda: backend.memory_left(run))
            store.add(find_segments(tables.pop(), i, n, edges, backend))
            stage.progress(i + 1, n)
        stage.items, stage.unit = store.n - n, "segments"
    what = f"gluing {counted(store.n, 'segment')} of unitigs takes"
    _make_room(store.glue_bytes, what, spill, lambda: min(backend.memory_left(run), memory_left(run.memory)))
    with log.stage("glue segments") as stage:
        graph = glue(store, backend)
        stage.items, stage.unit = len(graph), "unitigs"
    return graph


def _make_room(needed: int, what: str, spill: list[Callable[[], None]], left: Callable[[], int]) -> None:
    """Move arrays to scratch files if fewer bytes are left than needed.

    Raises
    ------
    OutOfMemoryError
        If that does not suffice.
    """
    if needed > left():
        for move in spill:
            move()
        return_free_memory()
    if needed > left():
        raise OutOfMemoryError(
            f"Out of memory: {what} about {format_bytes(needed)}, and {format_bytes(left())} are left for it",
            "allow more memory (-m, or --gpu-memory on a GPU), or keep fewer k-mers (--min-count)",
        )
