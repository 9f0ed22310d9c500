"""Mercy k-mers (Li et al. 2015, MEGAHIT): rare k-mers that bridge gaps of thin places, and extend thin unitigs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.assembly.rounds import segments_found
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.kmers.choose_k import SEQUENCE_BP
from debruijn_gpu.kmers.partitions import Kmers
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Of a thin unitig: k-mer depth at most, and k-mers at least, in multiples of k; unitigs of errors have k of them
_THIN_DEPTH, _LEAST_KS = 5, 1.5


def with_mercy_kmers(
    table: Kmers, graph: UnitigGraph, reads: Iterable[ReadBatch], run: RunOptions, backend: AssemblyBackend
) -> Kmers:
    """Add absent k-mers that a read has between two dead ends of the graph, or beyond one of a thin unitig.

    They are rarer than the minimum count. Where coverage is thin, they join what is solid; errors are not added, since
    the graph continues beside them. Thin unitigs are those of rare genomes, and those of errors are short. Single reads
    extend them if none of their k-mers up to the end of the read is in the graph.

    Parameters
    ----------
    table : KmerTable or KmerPartitions
        The k-mers of the graph.
    graph : UnitigGraph
        Not cleaned.
    reads : iterable of ReadBatch
        In arrays of the backend; sequences of `SEQUENCE_BP` and more are left out, as they may be in several batches.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays those of table and graph are; those of the result are too.

    Returns
    -------
    KmerTable or KmerPartitions
        The count of a mercy k-mer is the number of times that reads bridge a gap or extend a unitig with it.
    """
    with (
        closing(backend.kmers.kmer_store(table.k, True, run)) as store,
        log.stage("mercy k-mers", unit="k-mers") as stage,
    ):
        store.fill(_bridging(graph, reads, run, backend))
        if not store.n_kmers:
            return table
        extended = table.extended([(part.codes, part.counts) for part in store.counted(1)], backend)
        stage.items = len(extended) - len(table)
    return extended


def _bridging(
    graph: UnitigGraph, reads: Iterable[ReadBatch], run: RunOptions, backend: AssemblyBackend
) -> Iterator[ReadBatch]:
    """Yield segments of reads that bridge gaps of the graph, or extend its thin unitigs."""
    offsets, bases = graph.sequences.offsets, graph.sequences.bases
    links = graph.graph.row_ptr, graph.circular
    ends = backend.unitigs.index_dead_ends(offsets, bases, graph.k, *links)
    n_kmers, kmer_counts = backend.to_host(graph.n_kmers), backend.to_host(graph.kmer_counts)
    is_thin = backend.to_device((kmer_counts <= _THIN_DEPTH * n_kmers) & (n_kmers >= _LEAST_KS * graph.k))

    def bridge(batch: ReadBatch, slots: Array) -> ReadBatch:
        short = _short_reads(batch, backend)
        return backend.unitigs.bridging_segments(short, graph.k, offsets, bases, slots, ends, *links, is_thin)

    return segments_found(bridge, "bridge", graph, reads, run, backend)


def _short_reads(batch: ReadBatch, backend: AssemblyBackend) -> ReadBatch:
    """Leave out long sequences, and the rest of one that began in the batch before."""
    lengths = np.diff(backend.to_host(batch.offsets))
    short = batch.is_whole(lengths, SEQUENCE_BP - 1)
    if short.all():
        return batch
    rows = np.flatnonzero(short)
    return replace(backend.reads.take_reads(batch, rows, lengths[rows]), n_repeated=0, mates=None)
