"""Measure how far from the ends of unitigs the last k-mers are that occur once in the graph, and so place reads."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_words
from debruijn_gpu.assembly.intervals import bases_at
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]

#: K-mers of a vertex that are looked at: in steps, as the first one is unique at most ends
_STEPS = (0, 1, 8, 64, 512, 4096)
_BLOCK = 1 << 14  # k-mers that are looked up together, and those of one more vertex


def repeated_ends(graph: UnitigGraph, anchor_bp: int, slots: Array, backend: AssemblyBackend) -> Longs:
    """Count the bases at the end of each vertex from which no read is placed, though no neighbour shares them.

    Parameters
    ----------
    graph : UnitigGraph
        In arrays of the backend.
    anchor_bp : int
        Length of the k-mers by which reads are placed.
    slots : Array
        See `UnitigOperations.index_anchors`.
    backend : AssemblyBackend

    Returns
    -------
    ndarray, dtype=int64, shape=(n_vertices,)
        At most 4096: from so many on, a vertex is taken for repeated as a whole.
    """
    host = graph.moved(backend.to_host)
    lengths = np.repeat(np.diff(host.sequences.offsets), 2)
    shared = np.where(np.diff(host.graph.row_ptr) > 0, max(0, graph.k - anchor_bp), 0)
    n_kmers = np.maximum(0, lengths - shared - anchor_bp + 1)
    found: Longs = np.minimum(n_kmers, _STEPS[-1])
    open_ones = np.flatnonzero(found)
    for low, high in pairwise(_STEPS):
        if not len(open_ones):
            break
        stops = np.minimum(n_kmers[open_ones], high)
        steps = _first_unique(open_ones, low, stops, shared, anchor_bp, (graph, host), slots, backend)
        is_found = steps < stops
        found[open_ones[is_found]] = steps[is_found]
        open_ones = open_ones[~is_found & (n_kmers[open_ones] > high)]
    return found


def _first_unique(
    vertices: Longs,
    low: int,
    stops: Longs,
    shared: Longs,
    anchor_bp: int,
    graphs: tuple[UnitigGraph, UnitigGraph],
    slots: Array,
    backend: AssemblyBackend,
) -> Longs:
    """Find the first unique one of the k-mers ``low`` to ``stops`` before the end of each vertex; else its stop."""
    offsets, first = graphs[1].sequences.offsets, stops.copy()
    begin_blocks = np.flatnonzero(np.diff(np.cumsum(stops - low) // _BLOCK)) + 1
    for rows in np.split(np.arange(len(vertices)), begin_blocks):
        sizes = stops[rows] - low
        row = np.repeat(rows, sizes)
        step = low + np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        unitig, is_turned, before = vertices[row] >> 1, vertices[row] & 1, shared[vertices[row]] + step
        places = np.where(is_turned, offsets[unitig] + before, offsets[unitig + 1] - anchor_bp - before)
        is_unique = _are_unique(places, anchor_bp, graphs, slots, backend)
        np.minimum.at(first, row[is_unique], step[is_unique])
    return first


def _are_unique(
    places: Longs,
    anchor_bp: int,
    graphs: tuple[UnitigGraph, UnitigGraph],
    slots: Array,
    backend: AssemblyBackend,
) -> NDArray[np.bool_]:
    """Whether the k-mers at places of all sequences occur once in the graph, which is given on device and host."""
    graph, host = graphs
    words = bases_at(host.sequences.bases, places[:, np.newaxis] + np.arange(anchor_bp))
    bounds = np.arange(len(places) + 1) * anchor_bp
    batch = ReadBatch(packed_words(words.reshape(-1)), bounds, np.empty(0, np.int64)).moved(backend.to_device)
    sequences = graph.sequences
    placed = backend.unitigs.place_anchors(batch, anchor_bp, sequences.offsets, sequences.bases, slots)
    is_placed: NDArray[np.bool_] = backend.to_host(placed)[0] >= 0
    return is_placed
