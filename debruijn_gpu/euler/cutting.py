"""Euler circuits cut at edges that were added to the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.graph.walks import Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array, Longs
    from debruijn_gpu.backends.protocol import GraphBackend


def cut_circuits(circuits: Walks, original: Array, backend: GraphBackend) -> Walks:
    """Cut Euler circuits at edges that were added to the graph.

    Parameters
    ----------
    circuits : Walks
        In arrays of the backend. Steps are edge ids of the graph with the added edges; no two added edges are
        consecutive.
    original : array of the backend, dtype=int64, shape=(n_edges,)
        What the steps of the result call each edge; -1: it is an added one, to be cut at.
    backend : GraphBackend

    Returns
    -------
    Walks
        In arrays of the backend. By the first step of each; circuits that hold no added edge stay closed.
    """
    cuts: Longs = backend.to_host(backend.circuits.find_added(circuits.steps, original))
    starts, lengths, first, last = _segments(backend.to_host(circuits.offsets), cuts)
    is_cut = last > first
    wrapped = np.full(len(starts), -1, np.int64)  # the segment that continues a segment: the first after the last
    wrapped[last[is_cut]] = first[is_cut]
    opening = np.delete(np.arange(len(starts)), first[is_cut])  # segments with which trails begin
    begins = np.where(lengths[opening] > 0, opening, wrapped[opening])
    first_steps = backend.to_host(_taken(circuits, original, starts[begins], np.arange(len(begins) + 1), backend))
    opening = opening[np.argsort(first_steps, kind="stable")]
    parts = np.column_stack((opening, wrapped[opening]))
    part_lengths = np.where(parts >= 0, lengths[parts], 0).ravel()
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(part_lengths)))
    steps = _taken(circuits, original, starts[parts].ravel(), offsets, backend)
    is_closed = np.zeros(len(starts), np.bool_)
    is_closed[first[~is_cut]] = True
    return Walks(backend.to_device(offsets[::2].copy()), steps, backend.to_device(is_closed[opening]))


def _segments(offsets: Longs, cuts: Longs) -> tuple[Longs, Longs, Longs, Longs]:
    """Cut circuits at added edges: start and length of segments, and the first and last segment of each circuit.

    The first and the last segment may be empty.
    """
    starts = np.sort(np.concatenate((offsets[:-1], cuts + 1)))
    ends = np.sort(np.concatenate((offsets[1:], cuts)))
    bounds = np.arange(len(offsets)) + np.searchsorted(cuts, offsets)
    return starts, ends - starts, bounds[:-1], bounds[1:] - 1


def _taken(circuits: Walks, original: Array, starts: Longs, offsets: Longs, backend: GraphBackend) -> Array:
    """`CircuitOperations.gather_ranges` for ranges that are on the host."""
    return backend.circuits.gather_ranges(
        circuits.steps, original, backend.to_device(starts), backend.to_device(offsets)
    )
