"""Branching k-mers: degrees of k-mers in the node-centric de Bruijn graph of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.de_bruijn import edge_centric
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend


@dataclass(frozen=True)
class KmerDegrees:
    """Degrees of k-mers, as they are written in their table.

    Attributes
    ----------
    predecessors, successors : ndarray, dtype=uint8, shape=(n,)
        Number of bases, 0 to 4, that extend each k-mer to the left or right: the base with the k - 1 bases next to it
        is a k-mer of the table. Of a canonical table, either this k-mer or its reverse complement.
    """

    predecessors: NDArray[np.uint8]
    successors: NDArray[np.uint8]

    @property
    def branching(self) -> NDArray[np.intp]:
        """Rows of k-mers with more than one predecessor or successor, ascending."""
        return np.flatnonzero((self.predecessors > 1) | (self.successors > 1))


def kmer_degrees(table: KmerTable, backend: HostBackend) -> KmerDegrees:
    """Count the predecessors and successors of each k-mer of a table.

    The graph is node-centric: two k-mers that overlap by k - 1 bases are neighbours, whether or not their (k+1)-mer
    occurs. A canonical k-mer is one node. A k-mer may be its own neighbour (``AAAA``).

    Parameters
    ----------
    table : KmerTable
        In memory of the host.
    backend : HostBackend

    Returns
    -------
    KmerDegrees

    Notes
    -----
    In the edge-centric graph, edges are k-mers and vertices their (k-1)-mers (BCALM 2, Chikhi et al. 2016). The
    successors of a k-mer are the edges out of its head, the predecessors those into its tail.
    """
    predecessors, successors = (np.zeros(len(table), np.uint8) for _ in range(2))
    if not len(table):
        return KmerDegrees(predecessors, successors)
    with log.stage("k-mer graph", len(table), "k-mers"):
        if table.k == 1:
            n_letters = _n_oriented_letters(table)
            predecessors[:], successors[:] = n_letters, n_letters
            return KmerDegrees(predecessors, successors)
        edges = edge_centric(table, None, backend)
        out_degrees = np.diff(edges.graph.row_ptr)
        in_degrees = np.bincount(edges.graph.col, minlength=len(out_degrees))
        tails = np.repeat(np.arange(len(out_degrees)), out_degrees)
        written = (edges.kmers & 1) == 0 if table.canonical else slice(None)
        rows = edges.kmers[written] >> 1 if table.canonical else edges.kmers
        predecessors[rows] = in_degrees[tails[written]]
        successors[rows] = out_degrees[edges.graph.col[written]]
    return KmerDegrees(predecessors, successors)


def _n_oriented_letters(table: KmerTable) -> int:
    """Number of bases that are 1-mers of a table, or complements of such."""
    return len(table) * (2 if table.canonical else 1)
