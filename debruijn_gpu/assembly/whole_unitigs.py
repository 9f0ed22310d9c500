"""Compact the graph of the next k from whole unitigs, of whose longer k-mers the first and the last alone may branch.

The k-mers of a cleaned graph are distinct, and longer ones of reads are taken where all of their shorter k-mers are in
the graph. So a longer k-mer that shares k - 1 bases with the inner part of a unitig is the next one of this unitig, and
each unitig is a path of the next graph. Its first and last longer k-mer, and those that span unitigs, are compacted;
unitigs are then glued to the results like segments of partitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.gluing import glue
from debruijn_gpu.assembly.segment_store import SegmentStore
from debruijn_gpu.assembly.segments import Segments, compact_segments
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.backends.core.array_types import id_dtype
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.room import least_left, make_room

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.run.options import RunOptions

_MOST_COUNT = (1 << 32) - 1


@dataclass(frozen=True)
class WholeUnitigs:
    """K-mers of the next round, but for those within unitigs that have at least two.

    Attributes
    ----------
    table : KmerTable
        First and last k-mers of these unitigs, with counts of 0, and all other k-mers.
    firsts, lasts : Array, dtype=uint64, shape=(words, n)
        Canonical first and last k-mer of each of these unitigs.
    first_strands, last_strands : ndarray, dtype=int64, shape=(n,)
        1 where the canonical k-mer is the reverse complement of that in the unitig.
    sequences : PackedSequences
        Of these unitigs.
    kmer_counts : ndarray, dtype=int64, shape=(n,)
        Sum of the counts of their k-mers.
    """

    table: KmerTable
    firsts: Array
    lasts: Array
    first_strands: NDArray[np.int64]
    last_strands: NDArray[np.int64]
    sequences: PackedSequences
    kmer_counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.table)

    def compact(self, run: RunOptions, backend: AssemblyBackend) -> UnitigGraph:
        """Compact the graph of all k-mers; the result is that of `unitig_graph`."""
        store = SegmentStore(self.table.k, run)
        needed = backend.unitigs.kmer_graph_bytes(len(self.table), self.table.k)
        what = f"the graph of {counted(len(self.table), 'k-mer')} between unitigs"
        room = make_room(needed, what, lambda: backend.memory_left(run))
        graph = kmer_graph(self.table, backend, room - room // 8)
        with log.stage("unitigs") as stage:
            store.add(compact_segments(graph, self.table, self._are_open(backend) == 0, backend))
            store.add(self._segments(backend))
            what = f"gluing {counted(store.n, 'segment')} of unitigs"
            make_room(store.glue_bytes, what, lambda: least_left(run, backend))
            compacted = glue(store, backend)
            stage.items, stage.unit = len(compacted), "unitigs"
        return compacted

    def _are_open(self, backend: AssemblyBackend) -> Array:
        """Mark the vertices (uint8 (2 n_kmers,)) that continue within a unitig."""
        places = backend.to_device(np.arange(len(self.table), dtype=np.uint32))
        marks = np.zeros(2 * len(self.table), np.uint8)
        for codes, strands in ((self.firsts, self.first_strands), (self.lasts, 1 - self.last_strands)):
            found = backend.to_host(backend.kmers.look_up_counts(self.table.codes, places, self.table.k, codes))
            marks[2 * found.astype(np.int64) + strands] = 1
        return backend.to_device(marks)

    def _segments(self, backend: AssemblyBackend) -> Segments:
        """Unitigs as segments that continue at both ends."""
        to_host, n = backend.to_host, len(self.kmer_counts)
        return Segments(
            np.diff(to_host(self.sequences.offsets)),
            to_host(self.sequences.bases),
            self.kmer_counts,
            np.zeros(n, np.bool_),
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
            np.concatenate((2 * np.arange(n) + 1, 2 * np.arange(n))),
            np.concatenate((to_host(self.firsts), to_host(self.lasts)), axis=1),
        )


def count_inner(lengths: NDArray[np.int64], k: int) -> int:
    """Count the longer k-mers of unitigs that are neither first nor last in theirs."""
    return int(np.maximum(0, lengths - k - 1).sum())


def whole_unitigs(
    graph: UnitigGraph, k: int, sums: Array, others: list[tuple[Array, Array]], backend: AssemblyBackend
) -> WholeUnitigs:
    """Collect the k-mers of the next round that may branch.

    Parameters
    ----------
    graph : UnitigGraph
        Of a smaller k.
    k : int
    sums : Array, dtype=int64
        Occurrences of the longer k-mers of each unitig.
    others : list of (codes, counts)
        K-mers that span unitigs.
    backend : AssemblyBackend
        Whose arrays those of the graph are; those of the result are too.
    """
    offsets = backend.to_host(graph.sequences.offsets)
    n_kmers, totals = np.maximum(0, np.diff(offsets) - k + 1), backend.to_host(sums)
    counts = np.clip(totals, n_kmers, _MOST_COUNT * n_kmers)  # as `sequence_kmers` counts
    long, single = np.flatnonzero(n_kmers > 1), np.flatnonzero(n_kmers == 1)

    def kmers_at(starts: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        intervals = map(backend.to_device, (starts, starts + 1))
        codes, places = backend.unitigs.least_kmers(graph.sequences.bases, k, *intervals)
        return codes, backend.to_host(places) & 1

    ends = [kmers_at(offsets[long]), kmers_at(offsets[long] + n_kmers[long] - 1)]
    none = backend.to_device(np.zeros(len(long), np.uint32))
    parts = [(codes, none) for codes, _strands in ends]
    parts.append((kmers_at(offsets[single])[0], backend.to_device(counts[single].astype(np.uint32))))
    table = KmerTable(k, *backend.kmers.merge_kmers(parts + others, k), True)
    steps = backend.to_device(np.arange(len(long) + 1)), backend.to_device((2 * long).astype(id_dtype(2 * len(graph))))
    sequences = graph.sequences.offsets, graph.sequences.bases
    kept = PackedSequences(*backend.unitigs.merge_sequences(*sequences, 0, *steps))
    (firsts, first_strands), (lasts, last_strands) = ends
    return WholeUnitigs(table, firsts, lasts, first_strands, last_strands, kept, counts[long])
