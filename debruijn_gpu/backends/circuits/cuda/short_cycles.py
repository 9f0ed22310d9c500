"""Find and measure cycles without splitters."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.circuits.cuda.sublists import (
    NOT_NOTED,
    Sublists,
    Walked,
    empty_measures,
    seen_shift,
    splitter_shift,
)
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import concatenated
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import mix, splitter
from debruijn_gpu.errors import OutOfMemoryError

_MOST_SUBLISTS = 0xFFFFFFFF  # numbers of 32 bits, but for one that stands for none


@kernel
def _list_unseen(seen, unseen, n_unseen, n_rest):
    """List groups of edges of cycles without splitters, and count how many were counted. One thread per group.

    Parameters
    ----------
    seen : in, uint32 (n,); what walks leave of `_count_minima`
    unseen : out, uint32 (n,); the first ``n_unseen[0]`` are written, in no order
    n_unseen, n_rest : in and out, int64 (1,); 0 on entry
    """
    for group in range(cuda.grid(1), seen.size, cuda.gridsize(1)):
        if seen[group]:
            unseen[cuda.atomic.add(n_unseen, 0, 1)] = group
            cuda.atomic.add(n_rest, 0, np.int64(seen[group]))


@kernel
def _find_leaders(predecessor, n_edges, n_vertices, degree, shift, seen_shift, unseen, n_unseen, leaders, n_leaders):
    """The edge of smallest hash of each cycle that has no splitter. One thread per edge of these groups.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift, seen_shift : in, as in `_measure`
    unseen, n_unseen : in, as `_list_unseen` leaves them
    leaders : out, uint32 or uint64, with room for all; the first ``n_leaders[0]`` are written
    n_leaders : in and out, int64 (1,); 0 on entry
    """
    n = n_edges
    mask = (np.uint64(1) << seen_shift) - np.uint64(1)
    for i in range(cuda.grid(1), n_unseen[0] << np.int64(seen_shift), cuda.gridsize(1)):
        first = (np.uint64(unseen[i >> np.int64(seen_shift)]) << seen_shift) + (np.uint64(i) & mask)
        if first >= n:
            continue
        least = mix(first)
        edge = first
        while edge != splitter(edge >> shift, shift, n):
            edge = edge_before(edge, predecessor, n_vertices, degree)
            if edge == first or mix(edge) < least:
                break
        if edge == first and edge != splitter(edge >> shift, shift, n):
            leaders[cuda.atomic.add(n_leaders, 0, 1)] = first


@device_function
def _walk_around(first, number, predecessor, n_vertices, degree, noted):
    """Walk around a cycle and note it; return its length, its smallest edge, and how far from the first that is."""
    n_noted = np.uint64(noted.size)
    edge = first
    smallest = edge
    smallest_at = np.int64(0)
    walked = np.int64(0)
    while walked == 0 or edge != first:
        if edge < n_noted:
            noted[edge] = number
        if edge < smallest:
            smallest = edge
            smallest_at = walked
        walked += 1
        edge = edge_before(edge, predecessor, n_vertices, degree)
    return walked, smallest, smallest_at


@kernel
def _measure_rest(
    predecessor, n_edges, n_vertices, degree, leaders, n_blocks, noted, following, lengths, least, least_at
):
    """Walk around cycles without splitters. One thread per cycle; arrays as in `Sublists` and `_measure`."""
    for i in range(cuda.grid(1), leaders.size, cuda.gridsize(1)):
        number = n_blocks + i
        walked, smallest, at = _walk_around(np.uint64(leaders[i]), number, predecessor, n_vertices, degree, noted)
        following[number] = number
        lengths[number] = walked
        least[number] = smallest
        least_at[number] = at


@kernel
def _measure_unseen(
    predecessor,
    n_edges,
    n_vertices,
    degree,
    first_number,
    noted,
    n_leaders,
    leaders,
    following,
    lengths,
    least,
    least_at,
):
    """Find the edge of smallest hash of each cycle that has no splitter, and walk around. One thread per edge.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    first_number : int64; the sublist that the first cycle becomes
    noted : in and out, uint32 (n_edges,); sublist of each edge, 2^32 - 1 on these cycles
    n_leaders : in and out, int64 (1,); 0 on entry
    leaders : out, uint32 or uint64 (n,); the first edges of up to n cycles, in no order; others are only counted
    following, lengths, least, least_at : out, as in `Sublists`, of these cycles
    """
    for i in range(cuda.grid(1), noted.size, cuda.gridsize(1)):
        if noted[i] != NOT_NOTED:
            continue
        first = np.uint64(i)
        smallest_hash = mix(first)
        edge = edge_before(first, predecessor, n_vertices, degree)
        while edge != first and mix(edge) > smallest_hash:
            edge = edge_before(edge, predecessor, n_vertices, degree)
        if edge != first:
            continue
        at = cuda.atomic.add(n_leaders, 0, 1)
        if at >= leaders.size:
            continue
        number = first_number + at
        walked, smallest, smallest_at = _walk_around(first, number, predecessor, n_vertices, degree, noted)
        leaders[at] = first
        following[at] = number
        lengths[at] = walked
        least[at] = smallest
        least_at[at] = smallest_at


def with_rest(pairing: Pairing, walked: Walked) -> Sublists:
    """The sublists of all cycles: those of walks from all splitters, and cycles without splitters."""
    shift = np.uint64(splitter_shift(pairing.size))
    n_blocks = -(-pairing.size >> int(shift))
    measure = _measure_noted if walked.noted.size == pairing.size else _measure_seen
    leaders, measured = measure(pairing, walked, shift, n_blocks)
    return Sublists(shift, n_blocks, leaders, *measured)


def _check_number(n_blocks: int, n_leaders: int) -> None:
    """Raise if there are too many sublists."""
    if n_blocks + n_leaders >= _MOST_SUBLISTS:
        raise OutOfMemoryError(f"Out of memory: {n_leaders:,} cycles of edges are too many", "part the graph")


def _longer(measured: tuple[Array, ...], n: int) -> tuple[Array, ...]:
    """What is measured of some sublists, with room for those of n."""
    more = empty_measures(n - measured[0].size, measured[2].dtype)
    return tuple(concatenated(values, rest) for values, rest in zip(measured, more, strict=True))


def _measure_noted(
    pairing: Pairing, walked: Walked, _shift: np.uint64, n_blocks: int
) -> tuple[Array, tuple[Array, ...]]:
    """Leaders and measures where all edges are noted: the edges of these cycles are not."""
    measured, n_room = walked.room, walked.room[0].size - n_blocks
    n_leaders, leaders = xp.zeros(1, np.int64), xp.empty(n_room, pairing.dtype)
    arguments = (*pairing.arguments, np.int64(n_blocks), walked.noted, n_leaders, leaders)
    launch(_measure_unseen, pairing.size, *arguments, *(values[n_blocks:] for values in measured))
    n = int(n_leaders[0])
    if n > n_room:  # those without room are found anew
        _check_number(n_blocks, n)
        n_before = measured[0].size
        measured, n_leaders, more = (
            _longer(measured, n_blocks + n), xp.zeros(1, np.int64), xp.empty(n - n_room, pairing.dtype),
        )  # fmt: skip
        arguments = (*pairing.arguments, np.int64(n_before), walked.noted, n_leaders, more)
        launch(_measure_unseen, pairing.size, *arguments, *(values[n_before:] for values in measured))
        leaders = concatenated(leaders, more)
    return leaders[:n], tuple(values[: n_blocks + n] for values in measured)


def _measure_seen(pairing: Pairing, walked: Walked, shift: np.uint64, n_blocks: int) -> tuple[Array, tuple[Array, ...]]:
    """Leaders and measures where edges are counted in groups."""
    leaders, measured = _leaders(pairing, shift, walked.seen, np.uint64(seen_shift(pairing.size))), walked.room
    n = n_blocks + leaders.size
    _check_number(n_blocks, leaders.size)
    measured = tuple(values[:n] for values in (measured if n <= measured[0].size else _longer(measured, n)))
    launch(_measure_rest, leaders.size, *pairing.arguments, leaders, np.int64(n_blocks), walked.noted, *measured)
    return leaders, measured


def _leaders(pairing: Pairing, shift: np.uint64, seen: Array, group_shift: np.uint64) -> Array:
    """An edge of each cycle without a splitter."""
    unseen, counts = xp.empty(seen.size, np.uint32), xp.zeros(3, np.int64)
    n_unseen, n_leaders = counts[:1], counts[2:]
    launch(_list_unseen, seen.size, seen, unseen, n_unseen, counts[1:2])
    n_groups, n_rest, _ = to_host(counts).tolist()
    leaders = xp.empty(n_rest, pairing.dtype)
    if not n_rest:
        return leaders
    found = (unseen, n_unseen, leaders, n_leaders)
    launch(_find_leaders, n_groups << int(group_shift), *pairing.arguments, shift, group_shift, *found)
    return leaders[: int(n_leaders[0])]
