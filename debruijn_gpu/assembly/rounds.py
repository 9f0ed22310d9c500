"""Rounds of assembly with growing k: the k-mers of the next k, from the cleaned unitigs of this one and from reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.assembly.partitioned import needed_bytes, partitions_for
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.assembly.whole_unitigs import WholeUnitigs, count_inner, whole_unitigs
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.protocol import KmerStore
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs.sizes import index_bytes, least_index_bytes, slots_within
from debruijn_gpu.kmers.partitions import KmerPartitions, Kmers, begin_partitions
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.resources import memory_left, threads_within
from debruijn_gpu.run.room import free_room, make_room
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: What a thread that places reads holds, two batches and what is found in them; and what takes in the segments found
_PLACING_BYTES, _TAKING_BYTES = 8 << 20, 16 << 20
#: A block of k-mers that are scattered takes so many times its size; blocks are at least so large.
_SCATTERED_TIMES, _LEAST_AT_ONCE = 8, 1 << 16


def longer_kmers(
    graph: UnitigGraph, reads: Iterable[ReadBatch], k: int, run: RunOptions, backend: AssemblyBackend
) -> tuple[Kmers | WholeUnitigs, int, int]:
    """Compute the k-mers of the next round: those of the unitigs, and those of reads that span several unitigs.

    A k-mer of a read is taken if all of its k-mers of the length of the graph are in the graph, however often it
    occurs. So what was removed from the graph does not come back, and each unitig remains whole. Links that no read
    spans at the next k are kept where a unitig has no other at that end, so that thin places are neither torn nor
    joined with the wrong one of several neighbours.

    Parameters
    ----------
    graph : UnitigGraph
        Cleaned.
    reads : iterable of ReadBatch
        In arrays of the backend.
    k : int
        Larger than that of the graph.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays the graph's are; those of the result are too.

    Returns
    -------
    KmerTable, KmerPartitions or WholeUnitigs
        Partitions where their graph does not fit into memory; unitigs as they are where most k-mers are within them.
        Counts are occurrences in reads; the k-mers of a unitig share its sum evenly, and count at least 1.
    int
        Occurrences in reads of k-mers that span unitigs.
    int
        Distinct k-mers of unitigs and reads; all others are kept for links alone.
    """
    sums = backend.to_device(np.zeros(len(graph), np.int64))
    with closing(backend.kmers.kmer_store(k, True, run)) as store:
        with log.stage("place reads", unit="bases") as stage:
            store.fill(_spanning(graph, reads, k, sums, stage, run, backend))
        lengths = np.diff(backend.to_host(graph.sequences.offsets))
        n_windows, n_inner = int(np.maximum(0, lengths - k + 1).sum()), count_inner(lengths, k)
        is_whole = _are_kept_whole(n_inner, n_windows, backend)
        n_taken = n_windows - n_inner if is_whole else n_windows
        n_spanning = _count_spanning(store, n_taken, k, run, backend)
        n_partitions = partitions_for(n_taken + n_spanning, k, run, backend)
        if n_partitions and is_whole:  # partitions are of all k-mers
            n_partitions = max(n_partitions, partitions_for(n_windows + n_spanning, k, run, backend))
        with log.stage(f"{k}-mers" + f" in {n_partitions} partitions" * bool(n_partitions)) as stage:
            found = _LongerKmers(graph, k, sums, n_windows, store, run, backend)
            kmers: Kmers | WholeUnitigs
            if n_partitions:
                kmers, n_read = found.in_partitions(n_partitions)
            else:
                kmers, n_read = found.beside_unitigs() if is_whole else found.in_table()
            stage.items, stage.unit = len(kmers), "k-mers" if n_partitions else "distinct k-mers"
        return kmers, store.n_kmers, n_read


def _are_kept_whole(n_inner: int, n_windows: int, backend: AssemblyBackend) -> bool:
    """Whether most k-mers of unitigs are neither first nor last in theirs; a GPU makes a table of all k-mers."""
    least = max(tuning().inner_kmers_share * n_windows, tuning().least_inner_kmers)
    return backend.is_sequential and n_inner > least


def _count_spanning(store: KmerStore, n_others: int, k: int, run: RunOptions, backend: AssemblyBackend) -> int:
    """Count the distinct k-mers of reads, or at most, their occurrences if even these fit into memory beside others."""
    if needed_bytes(n_others + store.n_kmers, k, backend) <= backend.memory_left(run):
        return store.n_kmers
    with log.cpu_time("count"):
        return sum(part.counts.size for part in _counted(store, are_kept=False))


@dataclass(frozen=True)
class _LongerKmers:
    """K-mers of the next round: of unitigs, of segments of reads, and of links; see `longer_kmers`.

    Attributes
    ----------
    graph : UnitigGraph
    k : int
    sums : array of the backend, dtype=int64
        Occurrences of the k-mers of each unitig.
    n_windows : int
        K-mers of unitigs.
    store : KmerStore
        K-mers of reads that span unitigs.
    run : RunOptions
    backend : AssemblyBackend
    """

    graph: UnitigGraph
    k: int
    sums: Array
    n_windows: int
    store: KmerStore
    run: RunOptions
    backend: AssemblyBackend

    def in_table(self) -> tuple[KmerTable, int]:
        """Merge all k-mers; also return the number of those of unitigs and reads."""
        parts = [self._of_unitigs(0, self.n_windows)]
        parts += [(part.codes, part.counts) for part in _counted(self.store)]
        n_read = sum(len(counts) for _codes, counts in parts)
        parts += _linked_kmers(self.graph, self.k, self.run, self.backend)
        return KmerTable(self.k, *self.backend.kmers.merge_kmers(parts, self.k), True), n_read

    def beside_unitigs(self) -> tuple[WholeUnitigs, int]:
        """Merge all k-mers but those within unitigs; see `in_table`."""
        others = [(part.codes, part.counts) for part in _counted(self.store)]
        n_read = self.n_windows + sum(len(counts) for _codes, counts in others)
        others += _linked_kmers(self.graph, self.k, self.run, self.backend)
        return whole_unitigs(self.graph, self.k, self.sums, others, self.backend), n_read

    def in_partitions(self, n_partitions: int) -> tuple[KmerPartitions, int]:
        """Scatter all k-mers to partitions, with one block at a time in memory; see `in_table`.

        K-mers of links that are also in reads are added twice, and merged when a partition is loaded.
        """
        partitions = begin_partitions(self.k, n_partitions, self.run, self.backend)
        at_once = self._kmers_at_once()
        starts = range(0, self.n_windows, at_once)
        partitions.add_all(self._of_unitigs(start, min(start + at_once, self.n_windows)) for start in starts)
        partitions.add_all((part.codes, part.counts) for part in _counted(self.store, are_kept=False))
        n_read = len(partitions)
        for codes, counts in _linked_kmers(self.graph, self.k, self.run, self.backend):
            partitions.add(codes, counts)
        return partitions, n_read

    def _of_unitigs(self, start: int, stop: int) -> tuple[Array, Array]:
        sequences = self.graph.sequences
        return self.backend.unitigs.sequence_kmers(sequences.offsets, sequences.bases, self.k, self.sums, start, stop)

    def _kmers_at_once(self) -> int:
        """K-mers of a block that is made and scattered at once, which takes a few times its size."""
        n_bytes = _SCATTERED_TIMES * (8 * words_per_kmer(self.k) + 4)
        room = self.backend.memory_left(self.run) // n_bytes
        return max(_LEAST_AT_ONCE, min(tuning().partitioned_kmers, room))


def make_room_for_index(
    n_bases: int, run: RunOptions, backend: AssemblyBackend, n_mark_bits: int = 0, n_more_bytes: int = 0
) -> tuple[int, int]:
    """Make room for an index of the bases of unitigs, and for threads that place reads by it.

    Parameters
    ----------
    n_bases : int
    run : RunOptions
    backend : AssemblyBackend
    n_mark_bits : int
        See `index_bytes`.
    n_more_bytes : int
        What is kept of the reads; stores move to scratch files for it, but no error is raised.

    Returns
    -------
    int
        Slots of the index: fewer than are fast where memory is short.
    int
        How many threads there is room for, of those allowed; 1 on a GPU.

    Raises
    ------
    OutOfMemoryError
        If the smallest index does not fit; on the CPU, if it does not fit with the buffers of one thread, or with an
        eighth of its size where that is less.
    """
    index, least = index_bytes(n_bases, n_mark_bits), least_index_bytes(n_bases, n_mark_bits)
    what = f"the index of {n_bases:,} bases of unitigs"
    make = _make_room_on_cpu if backend.is_sequential else _make_room_on_gpu
    left, threads = make(index, least, what, n_more_bytes, run, backend)
    return slots_within(left, n_bases, n_mark_bits), threads


def _make_room_on_cpu(
    index: int, least: int, what: str, n_more_bytes: int, run: RunOptions, backend: AssemblyBackend
) -> tuple[int, int]:
    """Make room for an index and the buffers of threads; return what is left for the index, and how many threads."""
    threads = run.n_threads
    free_room(index + _TAKING_BYTES + _PLACING_BYTES * threads + n_more_bytes, lambda: memory_left(run.memory))
    buffers = min(_TAKING_BYTES + _PLACING_BYTES, least >> 3)  # few unitigs fit in any budget
    left = make_room(least + buffers, what, lambda: backend.memory_left(run))
    threads = threads_within(threads, _PLACING_BYTES, left - least - _TAKING_BYTES)
    return left - _TAKING_BYTES - _PLACING_BYTES * threads, threads


def _make_room_on_gpu(
    index: int, least: int, what: str, n_more_bytes: int, run: RunOptions, backend: AssemblyBackend
) -> tuple[int, int]:
    """Make room for an index on the device, and on the host for what is kept of the reads; see `_make_room_on_cpu`."""
    free_room(n_more_bytes, lambda: memory_left(run.memory))
    free_room(index, lambda: backend.memory_left(run))
    return make_room(least, what, lambda: backend.memory_left(run)), 1


def _linked_kmers(graph: UnitigGraph, k: int, run: RunOptions, backend: AssemblyBackend) -> list[tuple[Array, Array]]:
    """Compute the k-mers of unitigs extended along unique links, beyond each unitig; their counts are 0."""
    along = graph.graph.row_ptr, graph.graph.col, graph.sequences.offsets, graph.sequences.bases
    segments = backend.unitigs.unique_extensions(*along, graph.k, k)
    with closing(backend.kmers.kmer_store(k, True, run)) as store:
        store.fill([segments])
        # CuPy's own product would import all of SciPy, a fifth of a second.
        return [(part.codes, backend.to_device(np.zeros(len(part.counts), np.uint32))) for part in _counted(store)]


def _counted(store: KmerStore, are_kept: bool = True) -> Iterator[CountedKmers]:
    """Count the k-mers of a store that may be empty."""
    return store.counted(1, are_kept) if store.n_kmers else iter(())


def _spanning(
    graph: UnitigGraph,
    reads: Iterable[ReadBatch],
    k: int,
    sums: Array,
    stage: log.Stage,
    run: RunOptions,
    backend: AssemblyBackend,
) -> Iterator[ReadBatch]:
    """Yield segments of reads with the k-mers that span unitigs, and add those within one unitig to its sum."""
    offsets, bases = graph.sequences.offsets, graph.sequences.bases

    def drawn() -> Iterator[ReadBatch]:
        for batch in reads:
            stage.items += batch.n_new_bases
            yield batch

    def place(batch: ReadBatch, slots: Array) -> ReadBatch:
        return backend.unitigs.spanning_segments(batch, graph.k, k, offsets, bases, slots, sums)

    return segments_found(place, "place", graph, drawn(), run, backend)


def segments_found(
    find: Callable[[ReadBatch, Array], ReadBatch],
    action: str,
    graph: UnitigGraph,
    reads: Iterable[ReadBatch],
    run: RunOptions,
    backend: AssemblyBackend,
) -> Iterator[ReadBatch]:
    """Yield the segments that a function finds in batches of reads with the index of the k-mers of a graph."""
    offsets, bases = graph.sequences.offsets, graph.sequences.bases
    n_slots, threads = make_room_for_index(int(offsets[-1]), run, backend)
    slots = backend.unitigs.index_kmers(offsets, bases, graph.k, n_slots)

    def timed(batch: ReadBatch) -> ReadBatch:
        with log.cpu_time(action):
            return find(batch, slots)

    return (found for found in ordered_map(timed, reads, threads) if found.n_reads)
