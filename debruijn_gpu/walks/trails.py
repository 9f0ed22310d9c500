"""Trails: every edge once in the fewest walks, of a graph that need not be Eulerian."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.walks.balance import balanced
from debruijn_gpu.walks.euler import euler_walks
from debruijn_gpu.walks.walks import Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.interface import Backend


def trails(graph: Graph, backend: Backend) -> Walks:
    """The fewest walks that use every edge once.

    A weakly connected component takes as many as its vertices have more edges out than in, summed over those that
    have more; a component of balanced vertices takes one, which is closed. (Edges that balance it are added, an Euler
    circuit is found and cut at them.)

    Parameters
    ----------
    graph : Graph
    backend : Backend

    Returns
    -------
    Walks
        Steps are edge ids. By the first edge of each; a closed one begins with its smallest edge.
    """
    closed = balanced(graph, backend)
    return cut_circuits(euler_walks(closed.graph, backend), closed.original)


def cut_circuits(circuits: Walks, original: NDArray[np.int64]) -> Walks:
    """Cut Euler circuits at edges that were added to the graph.

    Parameters
    ----------
    circuits : Walks
        Steps are edge ids of the graph with the added edges, of which no two follow each other.
    original : ndarray, dtype=int64, shape=(n_edges,)
        What the steps of the result call each edge; -1: it is an added one, to be cut at.

    Returns
    -------
    Walks
        By the first step of each; circuits that hold no added edge stay closed.
    """
    steps = original[circuits.steps]
    cuts = np.flatnonzero(steps < 0)
    circuit_of_cut = np.searchsorted(circuits.offsets, cuts, side="right") - 1
    cut_circuit, first_cut = np.unique(circuit_of_cut, return_index=True)
    if len(cuts):
        steps = _rotated(steps, circuits.offsets, cut_circuit, cuts[first_cut])
        cuts = np.flatnonzero(steps < 0)
    closed = np.ones(len(circuits), np.bool_)
    closed[cut_circuit] = False
    ends = np.concatenate((cuts, circuits.offsets[1:][closed]))
    order = np.argsort(ends, kind="stable")
    n_cuts_before = np.searchsorted(cuts, ends[order])  # steps that the trails up to there do without
    offsets = np.concatenate((np.zeros(1, np.int64), ends[order] - n_cuts_before))
    is_closed = np.concatenate((np.zeros(len(cuts), np.bool_), np.ones(np.count_nonzero(closed), np.bool_)))[order]
    kept = np.empty_like(circuits.steps, shape=int(offsets[-1]))
    kept[:] = steps[steps >= 0]
    return _by_first_step(Walks(offsets, kept, is_closed))


def _rotated(
    steps: NDArray[np.int64], offsets: NDArray[np.int64], chosen: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The steps, chosen circuits turned so that they end with the step at the position ``last``."""
    lengths = np.diff(offsets)
    shifts = np.zeros(len(lengths), np.int64)
    shifts[chosen] = last + 1 - offsets[chosen]
    source = np.arange(len(steps)) + np.repeat(shifts, lengths)
    beyond = source >= np.repeat(offsets[1:], lengths)
    return steps[source - np.where(beyond, np.repeat(lengths, lengths), 0)]


def _by_first_step(walks: Walks) -> Walks:
    """The same walks in the order of their first steps."""
    order = np.argsort(walks.steps[walks.offsets[:-1]], kind="stable")
    lengths = np.diff(walks.offsets)[order]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    source = np.arange(len(walks.steps)) + np.repeat(walks.offsets[:-1][order] - offsets[:-1], lengths)
    return Walks(offsets, walks.steps[source], walks.circular[order])
