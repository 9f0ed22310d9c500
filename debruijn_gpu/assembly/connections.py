"""Add unitigs that connect others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD, packed_codes, packed_words
from debruijn_gpu.assembly.edges import edges_of, graph_of_edges
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph

Longs = NDArray[np.int64]


def with_connections(
    host: UnitigGraph, tails: Longs, heads: Longs, sequences: Sequence[NDArray[np.uint8]], depth: int
) -> UnitigGraph:
    """Add a unitig between each tail and its head, and the edges from one to it and from it to the other.

    Parameters
    ----------
    host : UnitigGraph
        In NumPy arrays, as the result is.
    tails, heads : ndarray, dtype=int64, shape=(n,)
        Vertices; added unitig i is the vertex ``2 * (len(host) + i)`` behind a tail, and before a head.
    sequences : sequence of ndarray, dtype=uint8, length n
        Two-bit codes of the added unitigs. They begin with the last k - 1 bases of the tail, and end with the first
        k - 1 of the head.
    depth : int
        Of their k-mers.
    """
    added = 2 * (len(host) + np.arange(len(tails)))
    old_tails, old_heads = edges_of(host.graph)
    graph = graph_of_edges(
        np.concatenate((old_tails, tails, added, added ^ 1, heads ^ 1)),
        np.concatenate((old_heads, added, heads, tails ^ 1, added ^ 1)),
        host.graph.n_vertices + 2 * len(tails),
    )
    lengths = np.array([len(codes) for codes in sequences], np.int64)
    n_kmers = lengths - (host.k - 1)
    offsets, words = host.sequences.offsets, host.sequences.bases
    stop = int(offsets[-1])
    whole = stop // BASES_PER_WORD
    codes = np.concatenate((packed_codes(words, BASES_PER_WORD * whole, stop), *sequences))
    return UnitigGraph(
        host.k,
        graph,
        PackedSequences(
            np.append(offsets, stop + np.cumsum(lengths)), np.concatenate((words[:whole], packed_words(codes)))
        ),
        np.append(host.circular, np.zeros(len(tails), np.bool_)),
        np.append(host.n_kmers, n_kmers),
        np.append(host.kmer_counts, depth * n_kmers),
    )
