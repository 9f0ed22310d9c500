"""Walk the cycles of a pairing between splitters, and around cycles without splitters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import splitter
from debruijn_gpu.run.tuning import tuning

_MANY_BITS = 32  # of edge ids, beyond which sublists get longer instead of more
_COUNTER_BITS = 20  # so many counters of edges that were seen stay in the cache
_LEAST_SEEN_SHIFT = 5
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
    """Walk from splitters, each to the next. A thread takes another splitter when it is done with one.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    shift : uint64; a splitter in each block of 2^shift edges
    first : uint64; the first block that is walked from
    noted : out, uint32 (n,); sublist of each of the first n edges that is passed
    seen : in and out, uint32; how many of 2^seen_shift edges in turn are on cycles with a splitter; maybe empty
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
        if seen.size:
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


def splitter_shift(n_edges: int) -> int:
    """Log2 of the edges for each splitter."""
    if n_edges <= tuning().few_edges:
        return tuning().few_splitter_bits
    return tuning().splitter_bits + max(0, (n_edges - 1).bit_length() - _MANY_BITS)


@dataclass(frozen=True)
class Walked:
    """What walks from splitters of consecutive blocks found.

    Attributes
    ----------
    noted : array, dtype=uint32, shape=(n,)
        Sublist of each of the first n edges that is on one of them; others as they were.
    seen : array, dtype=uint32
        How many edges of each group are on them; empty where all edges are noted, and others stay `NOT_NOTED`.
    room : tuple of array
        What is measured of each sublist, in the order of `Sublists`, and maybe room for others behind them.
    """

    noted: Array
    seen: Array
    room: tuple[Array, ...]


def walk_blocks(pairing: Pairing, noted: Array, first: int, n_blocks: int, room: int) -> Walked:
    """Walk from the splitters of some blocks."""
    shift = seen_shift(pairing.size)
    seen = xp.zeros(0 if noted.size == pairing.size else -(-pairing.size >> shift), np.uint32)
    measures = empty_measures(n_blocks + room, pairing.dtype)
    measured = tuple(values[:n_blocks] for values in measures)
    walked = (np.uint64(splitter_shift(pairing.size)), np.uint64(first), noted, seen, np.uint64(shift))
    launch(_measure, n_blocks, *pairing.arguments, *walked, *measured)
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
