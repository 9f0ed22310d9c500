"""Find errors that recur: paths that are rare beside others at one end, where sequence has many copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.edges import edges_of
from debruijn_gpu.assembly.situation import Situation
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.graph.graph import Graph

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: K-mer depth of single-copy sequence from which a path of less than half of it beside deep sequence is an error: at
#: 10x, single reads in copies of ribosomal operons are as rare.
_LEAST_DEPTH_OF_RECURRENT = 15


def recurrent_errors(
    g: UnitigGraph, options: CleanOptions, situation: Situation, backend: AssemblyBackend
) -> NDArray[np.bool_]:
    """Find short unitigs that are rare beside another path at one end, and beside single-copy sequence.

    Errors recur where sequence has many copies, as plasmids have. Two of them near each other are no bubble, and lead
    to each other at one end.

    Parameters
    ----------
    g, options, situation, backend
        See `clean`.
    """
    n_kmers, kmer_counts = backend.to_host(g.n_kmers), backend.to_host(g.kmer_counts)
    # Where reads are missing, k-mers of links have a depth of 0, which is no part of another one.
    depths = np.maximum(1.0, kmer_counts / n_kmers)
    if depths.max(initial=0.0) * options.recurrent_ratio < 1:
        return np.zeros(len(depths), np.bool_)
    of_genomes = np.asarray(situation.depths_of(g, backend))
    is_deep = of_genomes >= _LEAST_DEPTH_OF_RECURRENT
    if not is_deep.any():
        return np.zeros(len(depths), np.bool_)
    row_ptr, col = backend.to_host(g.graph.row_ptr), backend.to_host(g.graph.col)
    found = weakly_linked(row_ptr, col, depths, options.recurrent_ratio)
    found &= n_kmers <= int(options.connection_length * g.k)
    found &= is_deep & ~situation.are_copies(g, backend)
    return found


def weakly_linked(
    row_ptr: NDArray[np.int64], col: NDArray[np.integer], depths: NDArray[np.float64], ratio: float
) -> NDArray[np.bool_]:
    """Find unitigs with an end where all successors have a predecessor of far more depth.

    Parameters
    ----------
    row_ptr, col : ndarray
        CSR of the unitig graph; unitig u is the vertices 2u and 2u + 1.
    depths : ndarray, dtype=float64, shape=(n,)
        k-mer depth of each unitig.
    ratio : float
        A unitig has at most this part of the depth of that predecessor.

    Returns
    -------
    ndarray, dtype=bool, shape=(n,)
    """
    n_successors = np.diff(row_ptr)
    tails, heads = edges_of(Graph(row_ptr, col))
    deepest = np.zeros(len(n_successors))
    np.maximum.at(deepest, heads, depths[tails >> 1])
    n_weak = np.bincount(tails[depths[tails >> 1] <= ratio * deepest[heads]], minlength=len(n_successors))
    is_weak_end = (n_successors > 0) & (n_weak == n_successors)
    return np.asarray(is_weak_end[0::2] | is_weak_end[1::2])
