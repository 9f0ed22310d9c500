"""The graph of the k-mers of reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu.graph.edge_centric import edge_centric
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.io.fastx.reads import expected_bases, read_batches
from debruijn_gpu.kmers.count import count_kmers, warn_of_no_kmers
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend
    from debruijn_gpu.graph.options import GraphInputOptions


def graph_of_reads(path: str, options: GraphInputOptions, run: RunOptions, backend: HostBackend) -> Graph:
    """The edge-centric de Bruijn graph of a FASTA or FASTQ file: vertices are (k-1)-mers, edges k-mers.

    Parameters
    ----------
    path : str
    options : GraphInputOptions
        Its ``k`` is not None.
    run : RunOptions
    backend : Backend
    """
    assert options.k is not None
    inputs = ReadInputs(single=(path,))
    counting = CountOptions(k=options.k, canonical=options.canonical, min_count=options.min_count)
    batches = read_batches(inputs, backend, threads=run.threads, memory=run.memory)
    counted = count_kmers(batches, counting, run, backend, n_bases_expected=expected_bases(inputs))
    table = counted.table
    assert table is not None
    warn_of_no_kmers(counted, options.k, "graph")
    if counted.n_kmers and not len(table):
        log.logger.warning("no %d-mer occurs %d times: the graph is empty", options.k, options.min_count)
    with log.stage("graph of k-mers") as stage:
        graph = edge_centric(table, table.counts if options.multiplicity else None, backend).graph
        stage.items, stage.unit = graph.n_edges, "edges"
    return graph
