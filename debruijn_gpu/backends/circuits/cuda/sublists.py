"""Walk the cycles of a pairing between splitters, and around cycles without splitters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.circuits.cuda.shares import WALKS_OF_BLOCK, share_of_block, take_next
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import BLOCK, cuda, kernel, launch, uint32, xp
from debruijn_gpu.backends.core.cuda.scalars import mix, splitter
from debruijn_gpu.run.tuning import tuning

_MANY_BITS = 25  # of edge ids, beyond which sublists get longer, and not only more: ranking takes as long as walking
_COUNTER_BITS = 20  # so many counters of edges that were seen stay in the cache
_LEAST_SEEN_SHIFT = BLOCK.bit_length() - 1
_LESS_ONE = np.uint32(0xFFFFFFFF)
_ROOM = 1024
#: What is noted of edges that no walk from a splitter has passed
NOT_NOTED = np.uint32(0xFFFFFFFF)


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
    """Walk from splitters, each to the next. A thread takes the next splitter of its block when it is done with one:
    walks are of any length, and a thread that had its own would wait for the longest ones of its warp.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift : uint64; a splitter in each block of 2^shift edges
    first : uint64; the first block that is walked from
    noted : out, uint32 (n,); sublist of each of the first n edges that is passed
    seen, seen_shift : in and out, as in `_count_minima`, for edges that are not passed; maybe empty
    following, lengths, least, least_at : out, as in `Sublists`, from the first block on
    """
    n = n_edges
    n_noted = np.uint64(noted.size)
    taken = cuda.shared.array(1, uint32)
    low, high = share_of_block(following.size, taken)
    block = take_next(low, taken)
    edge = splitter(first + np.uint64(block), shift, n)
    smallest = edge
    hash_of = mix(edge)
    smallest_at = np.int64(0)
    walked = np.int64(0)
    while block < high:
        if edge < n_noted:
            noted[edge] = first + np.uint64(block)
        if edge < smallest:
            smallest = edge
            smallest_at = walked
        walked += 1
        before = edge_before(edge, predecessor, n_vertices, degree)
        if seen.size:
            hash_before = mix(before)
            if hash_of <= hash_before:
                cuda.atomic.add(seen, edge >> seen_shift, _LESS_ONE)
            hash_of = hash_before
        edge = before
        reached = edge >> shift
        if edge == splitter(reached, shift, n):
            following[block] = reached
            lengths[block] = walked
            least[block] = smallest
            least_at[block] = smallest_at
            block = take_next(low, taken)
            edge = splitter(first + np.uint64(block), shift, n)
            smallest = edge
            hash_of = mix(edge)
            smallest_at = np.int64(0)
            walked = np.int64(0)


@kernel
def _count_minima(predecessor, n_edges, n_vertices, degree, first, stop, seen_shift, seen):
    """Count in groups the edges whose hash is not larger than that of the edge before. One thread per edge.

    Each cycle has one. Walks count them down again, and leave those of cycles without splitters. An atomic operation
    takes as long as a random load: these are half as many as edges.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    first, stop : int64; only edges from the first on, to the one before ``stop``, are counted
    seen_shift : int64; log2 of the edges of a group, at least those of a block of threads
    seen : in and out, uint32; a counter for each group
    """
    for tile in range(first // BLOCK + cuda.blockIdx.x, (stop + BLOCK - 1) // BLOCK, cuda.gridDim.x):
        edge = np.int64(tile) * BLOCK + cuda.threadIdx.x
        is_least = np.int32(0)
        if edge >= first and edge < stop:
            if mix(np.uint64(edge)) <= mix(edge_before(np.uint64(edge), predecessor, n_vertices, degree)):
                is_least = np.int32(1)
        count = cuda.syncthreads_count(is_least)
        if cuda.threadIdx.x == 0 and count:
            cuda.atomic.add(seen, (np.int64(tile) * BLOCK) >> seen_shift, np.uint32(count))


def splitter_shift(n_edges: int) -> int:
    """Log2 of the edges for each splitter."""
    if n_edges <= tuning().few_edges:
        return tuning().few_splitter_bits
    return tuning().splitter_bits + max(0, (n_edges - 1).bit_length() - _MANY_BITS) // 2


@dataclass(frozen=True)
class Walked:
    """What walks from splitters of consecutive blocks found.

    Attributes
    ----------
    noted : array, dtype=uint32, shape=(n,)
        Sublist of each of the first n edges that is on one of them; others as they were.
    seen : array, dtype=uint32
        Edges of each group that are not on them, as `_count_minima` counts them; empty where all edges are noted, and
        others stay `NOT_NOTED`.
    room : tuple of array
        What is measured of each sublist, in the order of `Sublists`, and maybe room for others behind them.
    """

    noted: Array
    seen: Array
    room: tuple[Array, ...]


def walk_blocks(pairing: Pairing, noted: Array, first: int, n_blocks: int, room: int) -> Walked:
    """Walk from the splitters of some blocks."""
    n_edges, shift, group_shift = pairing.size, splitter_shift(pairing.size), seen_shift(pairing.size)
    seen = xp.zeros(0 if noted.size == n_edges else -(-n_edges >> group_shift), np.uint32)
    if seen.size:
        edges = np.int64(first << shift), np.int64(min((first + n_blocks) << shift, n_edges))
        n_tiles = (int(edges[1]) - int(edges[0])) // BLOCK + 2
        launch(_count_minima, n_tiles, *pairing.arguments, *edges, np.int64(group_shift), seen, per_block=1)
    measures = empty_measures(n_blocks + room, pairing.dtype)
    measured = tuple(values[:n_blocks] for values in measures)
    walked = (np.uint64(shift), np.uint64(first), noted, seen, np.uint64(group_shift))
    launch(_measure, n_blocks, *pairing.arguments, *walked, *measured, per_block=WALKS_OF_BLOCK)
    return Walked(noted, seen, measures)


def seen_shift(n_edges: int) -> int:
    """Log2 of the edges that share a counter."""
    return max(_LEAST_SEEN_SHIFT, n_edges.bit_length() - _COUNTER_BITS)


def room_beside(n_noted: int, n_edges: int, n_blocks: int) -> int:
    """Number of cycles without splitters for which there is room beside the sublists of blocks."""
    return n_blocks if n_noted == n_edges else _ROOM


def empty_measures(n: int, dtype: np.dtype) -> tuple[Array, ...]:
    """Room for what is measured of n sublists, in the order of `Sublists`."""
    return xp.empty(n, np.uint32), xp.empty(n, np.int64), xp.empty(n, dtype), xp.empty(n, np.int64)
