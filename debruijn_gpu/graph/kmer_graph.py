"""The node-centric de Bruijn graph of a k-mer table, the input of assembly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import UnitigBackend


def kmer_graph(table: KmerTable, backend: UnitigBackend) -> Graph:
    """Graph of the overlaps by k - 1 bases between the k-mers of a table, both strands.

    Parameters
    ----------
    table : KmerTable
        Canonical, n k-mers.
    backend : UnitigBackend
        Whose arrays the table's are; the graph's are too.

    Returns
    -------
    Graph
        2n vertices: ``2 * i`` is k-mer i, ``2 * i + 1`` its reverse complement. Edges ascend in each row; the reverse
        complement of an edge v -> w is (w ^ 1) -> (v ^ 1).
    """
    with log.stage("k-mer graph") as stage:
        graph = Graph(*backend.unitigs.kmer_graph(table.codes, table.k))
        stage.items, stage.unit = graph.n_edges, "edges"
    return graph
