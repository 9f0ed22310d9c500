"""Walk the cycles of a pairing between splitters, and around cycles without splitters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import concatenated
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import mix, splitter
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.tuning import tuning

_SHIFT_FEW = 4  # a splitter in 16 edges
_MANY_BITS = 32  # of edge ids, beyond which sublists get longer instead of more
_COUNTER_BITS = 20  # so many counters of edges that were seen stay in the cache
_LEAST_SEEN_SHIFT = 5
_MOST_SUBLISTS = 0xFFFFFFFF  # numbers of 32 bits, but for one that stands for none
ROOM = 1024  # for so many cycles without splitters there is room beside the other sublists


@dataclass(frozen=True)
class Sublists:
    """Segments of cycles between splitters.

    Attributes
    ----------
    shift : uint64
        A splitter in each block of 2^shift edges; sublist j < n_blocks starts at that of block j.
    n_blocks : int
    leaders : array, dtype=uint32 or uint64, shape=(n_sublists - n_blocks,)
        The first edges of the others, which are whole cycles without splitters.
    following : array, dtype=uint32, shape=(n_sublists,)
        The sublist after each.
    lengths : array, dtype=int64, shape=(n_sublists,)
    least : array, dtype=uint32 or uint64, shape=(n_sublists,)
        Smallest edge of each.
    least_at : array, dtype=int64, shape=(n_sublists,)
        How far from its start that is.
    """

    shift: np.uint64
    n_blocks: int
    leaders: Array
    following: Array
    lengths: Array
    least: Array
    least_at: Array

    def __len__(self) -> int:
        return int(self.following.size)


@kernel
def _measure(
    predecessor, n_edges, n_vertices, degree, shift, first, noted, seen, seen_shift, following, lengths, least, least_at
):
    """Walk from splitters, each to the next. A thread takes another splitter when it is done with one.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift : uint64; a splitter in each block of 2^shift edges
    first : uint64; the first block that is walked from
    noted : out, uint32 (n,); sublist of each of the first n edges that is passed
    seen : in and out, uint32; how many of 2^seen_shift edges in turn are on cycles with a splitter
    seen_shift : uint64
    following, lengths, least, least_at : out, as in `Sublists`, from the first block on
    """
    n = n_edges
    n_noted = np.uint64(noted.size)
    stride = cuda.gridsize(1)
    block = cuda.grid(1)
    n_blocks = following.size
    edge = splitter(first + np.uint64(block), shift, n)
    smallest = edge
    smallest_at = np.int64(0)
    walked = np.int64(0)
    while block < n_blocks:
        cuda.atomic.add(seen, edge >> seen_shift, np.uint32(1))
        if edge < n_noted:
            noted[edge] = first + np.uint64(block)
        if edge < smallest:
            smallest = edge
            smallest_at = walked
        walked += 1
        edge = edge_before(edge, predecessor, n_vertices, degree)
        reached = edge >> shift
        if edge == splitter(reached, shift, n):
            following[block] = reached
            lengths[block] = walked
            least[block] = smallest
            least_at[block] = smallest_at
            block += stride
            edge = splitter(first + np.uint64(block), shift, n)
            smallest = edge
            smallest_at = np.int64(0)
            walked = np.int64(0)


@kernel
def _list_unseen(seen, seen_shift, n_edges, unseen, n_unseen, n_rest):
    """Which groups of 2^seen_shift edges were not seen entirely, and how many edges that are. One thread per group.

    Parameters
    ----------
    seen, seen_shift : in, as `_measure` has them
    n_edges : uint64
    unseen : out, uint32, as long as there are groups; the first ``n_unseen[0]`` are written, in no order
    n_unseen, n_rest : in and out, int64 (1,); 0 on entry
    """
    size = np.uint64(1) << seen_shift
    for group in range(cuda.grid(1), seen.size, cuda.gridsize(1)):
        left = np.int64(min(size, n_edges - np.uint64(group) * size)) - np.int64(seen[group])
        if left > 0:
            unseen[cuda.atomic.add(n_unseen, 0, 1)] = group
            cuda.atomic.add(n_rest, 0, left)


@kernel
def _find_leaders(predecessor, n_edges, n_vertices, degree, shift, seen_shift, unseen, n_unseen, leaders, n_leaders):
    """The edge of smallest hash of each cycle that has no splitter. One block per group of edges.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift, seen_shift : in, as `_measure` has them
    unseen, n_unseen : in, as `_list_unseen` leaves them
    leaders : out, uint32 or uint64, as long as there are edges not seen; the first ``n_leaders[0]`` are written
    n_leaders : in and out, int64 (1,); 0 on entry
    """
    n = n_edges
    for i in range(cuda.blockIdx.x, n_unseen[0], cuda.gridDim.x):
        start = np.uint64(unseen[i]) << seen_shift
        stop = min(start + (np.uint64(1) << seen_shift), n)
        for j in range(np.int64(start) + cuda.threadIdx.x, np.int64(stop), cuda.blockDim.x):
            first = np.uint64(j)
            least = mix(first)
            edge = first
            while edge != splitter(edge >> shift, shift, n):
                edge = edge_before(edge, predecessor, n_vertices, degree)
                if edge == first or mix(edge) < least:
                    break
            if edge == first and edge != splitter(edge >> shift, shift, n):
                leaders[cuda.atomic.add(n_leaders, 0, 1)] = first


@kernel
def _measure_rest(
    predecessor, n_edges, n_vertices, degree, leaders, n_blocks, noted, following, lengths, least, least_at
):
    """Walk around cycles without splitters. One thread per cycle; arrays as in `Sublists` and `_measure`."""
    n_noted = np.uint64(noted.size)
    for i in range(cuda.grid(1), leaders.size, cuda.gridsize(1)):
        first = np.uint64(leaders[i])
        edge = first
        smallest = edge
        smallest_at = np.int64(0)
        walked = np.int64(0)
        while True:
            if edge < n_noted:
                noted[edge] = n_blocks + i
            if edge < smallest:
                smallest = edge
                smallest_at = walked
            walked += 1
            edge = edge_before(edge, predecessor, n_vertices, degree)
            if edge == first:
                break
        following[n_blocks + i] = n_blocks + i
        lengths[n_blocks + i] = walked
        least[n_blocks + i] = smallest
        least_at[n_blocks + i] = smallest_at


def splitter_shift(n_edges: int) -> int:
    """Log2 of the edges for each splitter."""
    if n_edges <= tuning().few_edges:
        return _SHIFT_FEW
    return tuning().splitter_bits + max(0, (n_edges - 1).bit_length() - _MANY_BITS)


@dataclass(frozen=True)
class Walked:
    """What walks from splitters of consecutive blocks found.

    Attributes
    ----------
    noted : array, dtype=uint32, shape=(n,)
        Sublist of each of the first n edges that is on one of them; others as they were.
    seen : array, dtype=uint32
        How many edges of each group are on them.
    room : tuple of array
        What is measured of each sublist, in the order of `Sublists`, and maybe room for others behind them.
    """

    noted: Array
    seen: Array
    room: tuple[Array, ...]


def walk_blocks(pairing: Pairing, noted: Array, first: int, n_blocks: int, room: int) -> Walked:
    """Walk from the splitters of some blocks."""
    seen_shift = _seen_shift(pairing.size)
    seen = xp.zeros(-(-pairing.size >> seen_shift), np.uint32)
    measures = _empty_measures(n_blocks + room, pairing.dtype)
    measured = tuple(values[:n_blocks] for values in measures)
    walked = (np.uint64(splitter_shift(pairing.size)), np.uint64(first), noted, seen, np.uint64(seen_shift))
    launch(_measure, n_blocks, *pairing.arguments, *walked, *measured)
    return Walked(noted, seen, measures)


def _seen_shift(n_edges: int) -> int:
    """Log2 of the edges that share a counter."""
    return max(_LEAST_SEEN_SHIFT, n_edges.bit_length() - _COUNTER_BITS)


def with_rest(pairing: Pairing, walked: Walked) -> Sublists:
    """The sublists of all cycles: those of walks from all splitters, and cycles without splitters."""
    shift = splitter_shift(pairing.size)
    n_blocks = -(-pairing.size >> shift)
    leaders = _leaders(pairing, np.uint64(shift), walked.seen, np.uint64(_seen_shift(pairing.size)))
    n = n_blocks + leaders.size
    if n >= _MOST_SUBLISTS:
        raise OutOfMemoryError(f"Out of memory: {leaders.size:,} cycles of edges are too many", "part the graph")
    measured = walked.room
    if n > measured[0].size:
        rest = _empty_measures(leaders.size, pairing.dtype)
        measured = tuple(concatenated(values[:n_blocks], more) for values, more in zip(measured, rest, strict=True))
    measured = tuple(values[:n] for values in measured)
    launch(_measure_rest, leaders.size, *pairing.arguments, leaders, np.int64(n_blocks), walked.noted, *measured)
    return Sublists(np.uint64(shift), n_blocks, leaders, *measured)


def _leaders(pairing: Pairing, shift: np.uint64, seen: Array, seen_shift: np.uint64) -> Array:
    """An edge of each cycle without a splitter."""
    unseen, counts = xp.empty(seen.size, np.uint32), xp.zeros(3, np.int64)
    n_unseen, n_leaders = counts[:1], counts[2:]
    launch(_list_unseen, seen.size, seen, seen_shift, np.uint64(pairing.size), unseen, n_unseen, counts[1:2])
    n_groups, n_rest, _ = to_host(counts).tolist()
    leaders = xp.empty(n_rest, pairing.dtype)
    if not n_rest:
        return leaders
    found = (unseen, n_unseen, leaders, n_leaders)
    launch(_find_leaders, n_groups, *pairing.arguments, shift, seen_shift, *found, per_block=1)
    return leaders[: int(n_leaders[0])]


def _empty_measures(n: int, dtype: np.dtype) -> tuple[Array, ...]:
    """Room for what is measured of n sublists, in the order of `Sublists`."""
    return xp.empty(n, np.uint32), xp.empty(n, np.int64), xp.empty(n, dtype), xp.empty(n, np.int64)
