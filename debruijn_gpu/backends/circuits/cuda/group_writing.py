"""Write circuits on several GPUs: each writes a range of places, by the runs of edges that belong there."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from debruijn_gpu.backends.arrays.cuda.masks import select, selected_values
from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.runs import Runs, find_runs
from debruijn_gpu.backends.circuits.cuda.segments import cut_cycles
from debruijn_gpu.backends.circuits.cuda.splices import Splices
from debruijn_gpu.backends.circuits.cuda.writing import LINE_PLACES, starts_at_least, write_runs
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import splitter


@kernel
def _list_first_edges(n_edges, shift, n_blocks, others, edges):
    """List the first edge of each run. One thread per run.

    Parameters
    ----------
    n_edges, shift : uint64
    n_blocks : int64; runs that begin at splitters
    others : in, uint32 or uint64 (n - n_blocks,); first edges of the others
    edges : out, as others, (n,)
    """
    for run in range(cuda.grid(1), edges.size, cuda.gridsize(1)):
        edges[run] = splitter(np.uint64(run), shift, n_edges) if run < n_blocks else np.uint64(others[run - n_blocks])


@kernel
def _mark_runs(at, run_lengths, low, high, mask):
    """Mark the runs that have a part in a range of places. One thread per run.

    Parameters
    ----------
    at, run_lengths : in, as in `Runs`
    low, high : int64; the first place of the range, and the one behind it
    mask : out, bool (n,)
    """
    for run in range(cuda.grid(1), mask.size, cuda.gridsize(1)):
        length = run_lengths[run]
        mask[run] = length > 0 and at[run] >= low and at[run] - length + 1 < high


def places_of(n_edges: int, n_ranks: int) -> list[int]:
    """Bounds of the places that ranks write: whole lines, of edges or symbols, but at the end."""
    return [min(n_edges, -(-n_edges * rank // (n_ranks * LINE_PLACES)) * LINE_PLACES) for rank in range(n_ranks + 1)]


@guarded
def _dealt(runs: Runs, edges: Array, places: list[int], group: DeviceGroup) -> list[list[Array]]:
    """First edges, places and lengths of the runs of each rank."""
    chosen = []
    for low, high in pairwise(places):
        mask = xp.empty(edges.size, np.bool_)
        launch(_mark_runs, edges.size, runs.at, runs.lengths, np.int64(low), np.int64(high), mask)
        chosen.append(select(mask))
    chosen_of = [
        [selected_values(selection, values) for selection in chosen] for values in (edges, runs.at, runs.lengths)
    ]

    def nothing(_rank: int) -> list[Array]:
        return [xp.empty(0, arrays[0].dtype) for arrays in chosen_of]

    empty = group.each(nothing)
    sends = [[arrays, *([none[i]] * len(group) for none in empty[1:])] for i, arrays in enumerate(chosen_of)]
    return group.exchange_all(sends)


@guarded
def _find_runs(pairing: Pairing, cycles: Cycles, splices: Splices) -> tuple[Array, Runs, Array]:
    """Offsets of circuits, and their runs with the first edge of each, on the first GPU."""
    circuits = cut_cycles(pairing, cycles, splices)
    offsets, runs = find_runs(pairing, cycles, circuits, starts_at_least(circuits))
    lists, edges = cycles.sublists, xp.empty(runs.at.size, pairing.dtype)
    launch(
        _list_first_edges, edges.size, np.uint64(pairing.size), lists.shift, np.int64(lists.n_blocks), runs.edges, edges
    )
    return offsets, runs, edges


def write_together(
    pairings: list[Pairing],
    cycles: Cycles,
    splices: Splices,
    group: DeviceGroup,
    symbols: np.dtype[Any] | None = None,
) -> tuple[Array, list[Array]]:
    """Write circuits as `CircuitOperations.write_circuits` does; return their steps in ranges, one on each rank.

    With a dtype of ``symbols``, the edges of a shift graph become the symbols with which their words begin.
    """
    n_edges = pairings[0].size
    places = places_of(n_edges, len(group))
    offsets, runs, edges = _find_runs(pairings[0], cycles, splices)
    edges_of, at_of, lengths_of = _dealt(runs, edges, places, group)
    del runs, edges

    @guarded
    def write(rank: int) -> Array:
        steps = xp.empty(places[rank + 1] - places[rank], symbols or pairings[0].dtype)
        own = Runs(edges_of[rank], at_of[rank], lengths_of[rank])
        write_runs(pairings[rank], own, places[rank], steps, are_symbols=symbols is not None)
        return steps

    return offsets, group.each(write)
