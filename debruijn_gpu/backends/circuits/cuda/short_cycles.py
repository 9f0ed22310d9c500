"""Find and measure cycles without splitters."""

from __future__ import annotations

from math import prod

import numpy as np

from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.circuits.cuda.sublists import (
    FIELD_BITS,
    FIELD_MASK,
    FIELDS,
    NOT_NOTED,
    Sublists,
    Walked,
    blocks_of,
    empty_measures,
)
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import concatenated
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import mix, splitter
from debruijn_gpu.errors import OutOfMemoryError

_MOST_SUBLISTS = 0xFFFFFFFF  # numbers of 32 bits, but for one that stands for none


@device_function
def _n_with(value, field, n):
    """Number of integers (uint64) below n with a value in a field of 10 bits; see `Walked`."""
    low = np.uint64(field * FIELD_BITS)
    high = low + np.uint64(FIELD_BITS)
    rest = n & ((np.uint64(1) << high) - np.uint64(1))
    before = np.uint64(value) << low
    in_rest = min(rest - before, np.uint64(1) << low) if rest > before else np.uint64(0)
    return ((n >> high) << low) + in_rest


@kernel
def _list_missing(passed, n_edges, values, counts, is_missing):
    """List what values of fields edges have that no walk has passed. One thread per value of a field.

    Parameters
    ----------
    passed : in, uint32 (3072,); see `Walked`
    n_edges : uint64
    values : out, uint32 (3072,); those of a field are in no order, from place 1024 x field on
    counts : in and out, int64 (4,); how many of each field, and the number of these edges; 0 on entry
    is_missing : out, uint8 (3072,); 1 if such edges have the value
    """
    for i in range(cuda.grid(1), passed.size, cuda.gridsize(1)):
        field, value = i >> FIELD_BITS, i & FIELD_MASK
        missing = _n_with(value, field, n_edges) - np.uint64(passed[i])
        is_missing[i] = missing != 0
        if missing:
            values[(field << FIELD_BITS) + cuda.atomic.add(counts, field, 1)] = value
            if field == 0:
                cuda.atomic.add(counts, FIELDS, np.int64(missing))


@device_function
def _combined(i, values, counts):
    """The edge (uint64) that is combination i of the values of all fields, and the bits above them."""
    edge = np.uint64(0)
    rest = i
    for field in range(FIELDS):
        value = np.uint64(values[(field << FIELD_BITS) + rest % counts[field]])
        edge |= value << np.uint64(field * FIELD_BITS)
        rest //= counts[field]
    return edge | (np.uint64(rest) << np.uint64(FIELDS * FIELD_BITS))


@device_function
def _may_be_missing(edge, is_missing):
    """True if edges that no walk has passed have the value of this edge (uint64) in each field."""
    for field in range(FIELDS):
        value = (edge >> np.uint64(field * FIELD_BITS)) & np.uint64(FIELD_MASK)
        if not is_missing[np.uint64(field << FIELD_BITS) + value]:
            return False
    return True


@kernel
def _find_leaders(
    predecessor, n_edges, n_vertices, degree, shift, values, counts, is_missing, n_combined, leaders, n_leaders
):
    """The edge of smallest hash of each cycle that has no splitter. One thread per combination of values.

    Edges that no walk has passed are few, nearly always. So are the combinations of their values; from the others, it
    takes a step or two to find an edge that was passed, or has a smaller hash.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift : in, as in `Sublists`
    values, counts, is_missing : in, as `_list_missing` leaves them
    n_combined : int64; combinations, with those of the bits above all fields
    leaders : out, uint32 or uint64, with room for all; the first ``n_leaders[0]`` are written
    n_leaders : in and out, int64 (1,); 0 on entry
    """
    n = n_edges
    for i in range(cuda.grid(1), n_combined, cuda.gridsize(1)):
        first = _combined(np.int64(i), values, counts)
        if first >= n:
            continue
        least = mix(first)
        edge = first
        while edge != splitter(edge >> shift, shift, n):
            edge = edge_before(edge, predecessor, n_vertices, degree)
            if edge == first or not _may_be_missing(edge, is_missing) or mix(edge) < least:
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
    n_leaders : in and out, int64; the first is 0 on entry
    leaders : out, uint32 or uint64 (n,); the first edges of up to n cycles, in no order; others are only counted
    following, lengths, least, least_at : out, as in `Sublists`; from ``first_number`` on
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
        following[number] = number
        lengths[number] = walked
        least[number] = smallest
        least_at[number] = smallest_at


def _check_number(n_blocks: int, n_leaders: int) -> None:
    """Raise if there are too many sublists."""
    if n_blocks + n_leaders >= _MOST_SUBLISTS:
        raise OutOfMemoryError(f"Out of memory: {n_leaders:,} cycles of edges are too many", "part the graph")


def _longer(measured: tuple[Array, ...], n: int) -> tuple[Array, ...]:
    """What is measured of some sublists, with room for those of n."""
    more = empty_measures(n - measured[0].size, measured[2].dtype)
    return tuple(concatenated(values, rest) for values, rest in zip(measured, more, strict=True))


def measure_unseen(pairing: Pairing, walked: Walked, n_leaders: Array) -> Array:
    """Measure cycles without splitters where all edges are noted: the edges of these cycles are not.

    Returns their leaders, with as much room as there is for their measures behind those of blocks. The first of
    ``n_leaders`` (int64) is 0, and becomes their number, which may be more.
    """
    _, n_blocks = blocks_of(pairing.size)
    leaders = xp.empty(walked.room[0].size - n_blocks, pairing.dtype)
    arguments = (*pairing.arguments, np.int64(n_blocks), walked.noted, n_leaders, leaders)
    launch(_measure_unseen, pairing.size, *arguments, *walked.room)
    return leaders


def with_more_unseen(pairing: Pairing, walked: Walked, leaders: Array, n: int) -> Sublists:
    """The sublists of all cycles, n without splitters: those without room in `measure_unseen` are found anew."""
    shift, n_blocks = blocks_of(pairing.size)
    _check_number(n_blocks, n)
    n_before, measured = walked.room[0].size, _longer(walked.room, n_blocks + n)
    more, n_found = xp.empty(n - leaders.size, pairing.dtype), xp.zeros(1, np.int64)
    arguments = (*pairing.arguments, np.int64(n_before), walked.noted, n_found, more)
    launch(_measure_unseen, pairing.size, *arguments, *measured)
    return Sublists(shift, n_blocks, concatenated(leaders, more), *measured)


def with_rest(pairing: Pairing, walked: Walked) -> Sublists:
    """The sublists of all cycles where the edges that walks from splitters pass are counted."""
    shift, n_blocks = blocks_of(pairing.size)
    leaders, measured = _leaders(pairing, shift, walked.passed), walked.room
    n = n_blocks + leaders.size
    _check_number(n_blocks, leaders.size)
    measured = tuple(values[:n] for values in (measured if n <= measured[0].size else _longer(measured, n)))
    launch(_measure_rest, leaders.size, *pairing.arguments, leaders, np.int64(n_blocks), walked.noted, *measured)
    return Sublists(shift, n_blocks, leaders, *measured)


def _leaders(pairing: Pairing, shift: np.uint64, passed: Array) -> Array:
    """An edge of each cycle without a splitter."""
    values, counts = xp.empty(passed.size, np.uint32), xp.zeros(FIELDS + 2, np.int64)
    is_missing = xp.empty(passed.size, np.uint8)
    launch(_list_missing, passed.size, passed, np.uint64(pairing.size), values, counts[: FIELDS + 1], is_missing)
    *n_values, n_missing, _ = to_host(counts).tolist()
    leaders = xp.empty(n_missing, pairing.dtype)
    if not n_missing:
        return leaders
    n_combined = prod(n_values) * -(-pairing.size >> FIELDS * FIELD_BITS)
    found = (np.int64(n_combined), leaders, counts[FIELDS + 1 :])
    launch(_find_leaders, n_combined, *pairing.arguments, shift, values, counts[:FIELDS], is_missing, *found)
    return leaders[: int(counts[FIELDS + 1])]
