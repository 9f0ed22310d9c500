"""Walk the cycles of a pairing between splitters, and around cycles without splitters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.backends.circuits.cuda.lines import STRIDE, Lines, keep, line_bits
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing, edge_before
from debruijn_gpu.backends.circuits.cuda.shares import WALKS_OF_BLOCK, share_of_block, take_next
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    cuda,
    device_function,
    int64,
    kernel,
    launch,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import splitter
from debruijn_gpu.run.tuning import tuning

_MANY_BITS = 25  # of edge ids, beyond which sublists get longer, and not only more: ranking takes as long as walking
#: Edges that are passed are counted by the values of some fields of their bits, from the lowest on
FIELDS = 3
FIELD_BITS = 10
FIELD_MASK = (1 << FIELD_BITS) - 1
_COUNTERS = FIELDS << FIELD_BITS
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


@device_function
def _count_passed(passed, edge):
    """Count an edge (uint64) by the value of each of its fields."""
    for field in range(FIELDS):
        value = (edge >> np.uint64(field * FIELD_BITS)) & np.uint64(FIELD_MASK)
        cuda.atomic.add(passed, np.uint64(field << FIELD_BITS) + value, np.uint32(1))


@device_function
def _take_splitter(low, taken, first, shift, n_edges):
    """Take the next splitter of a block: the number of its sublist, from the first one on, and the edge."""
    own = take_next(low, taken)
    return own, splitter(first + np.uint64(own), shift, n_edges)


@device_function
def _walk_line(line, most, edge, sublist, walk, pairing, shift, noted, counters):
    """Walk along up to so many edges, to the next splitter at most, and put them into a line.

    Parameters
    ----------
    line : shared; see `lines.keep`
    most : int
    edge, sublist : uint64; where to begin, and the sublist that it belongs to
    walk : (int64, uint64, int64); edges of the sublist before it, the smallest of them, and how far that is
    pairing : tuple; as `edge_before` takes it, with the number of edges
    shift, noted : as in `_make_measure`
    counters : (shared array, int64); see `_count_passed`, and 0 if edges are not counted

    Returns
    -------
    edge, walk
        As before, for the next line.
    int, bool
        Number of edges, and whether the next one is a splitter.
    """
    predecessor, n_edges, n_vertices, degree = pairing
    walked, smallest, smallest_at = walk
    n_passed = 0
    is_end = False
    while n_passed < most and not is_end:
        line[n_passed * STRIDE + cuda.threadIdx.x] = edge
        n_passed += 1
        if edge < np.uint64(noted.size):
            noted[edge] = sublist
        if edge < smallest:
            smallest = edge
            smallest_at = walked
        if counters[1]:
            _count_passed(counters[0], edge)
        walked += 1
        edge = edge_before(edge, predecessor, n_vertices, degree)
        is_end = edge == splitter(edge >> shift, shift, n_edges)
    return edge, (walked, smallest, smallest_at), n_passed, is_end


@device_function
def _walk_all(line, bits, pairing, shift, first, noted, passed, found):
    """Walk from the splitters of a block of threads, with room for lines of 2^bits edges; see `_make_measure`."""
    (following, lengths, least, least_at), (edges, owners, n_lines) = found
    taken = cuda.shared.array(1, uint32)
    counts = cuda.shared.array(2, int64)
    of_thread = cuda.shared.array(BLOCK, uint32)
    counters = cuda.shared.array(_COUNTERS, uint32)
    for i in range(cuda.threadIdx.x, passed.size, BLOCK):
        counters[i] = 0
    low, high = share_of_block(following.size, taken)
    own, edge = _take_splitter(low, taken, first, shift, pairing[1])
    walk = (np.int64(0), edge, np.int64(0))
    while cuda.syncthreads_count(np.int32(1) if own < high else np.int32(0)) > 0:
        counts[0] = 0
        n_passed = 0
        is_end = False
        sublist = first + np.uint64(own)
        if own < high:
            edge, walk, n_passed, is_end = _walk_line(
                line, 1 << bits, edge, sublist, walk, pairing, shift, noted, (counters, passed.size)
            )
        cuda.syncthreads()
        if owners.size:
            keep(line, bits, n_passed, sublist, walk[0], (counts, of_thread), edges, owners, n_lines)
        if is_end:
            following[own] = edge >> shift
            lengths[own], least[own], least_at[own] = walk
            own, edge = _take_splitter(low, taken, first, shift, pairing[1])
            walk = (np.int64(0), edge, np.int64(0))
    for i in range(cuda.threadIdx.x, passed.size, BLOCK):
        cuda.atomic.add(passed, i, counters[i])


def _make_measure(dtype: np.dtype, edge_type: Any) -> Any:
    """Build the kernel that walks from splitters along edges of a type."""
    bits, n_shared = line_bits(dtype), STRIDE << line_bits(dtype)

    @kernel
    def measure(
        predecessor,
        n_edges,
        n_vertices,
        degree,
        shift,
        first,
        n_walks,
        noted,
        passed,
        following,
        lengths,
        least,
        least_at,
        edges,
        owners,
        n_lines,
    ):
        """Walk from splitters, each to the next. Each thread of a block walks along a line of edges; then all lines are
        stored. A thread that reaches a splitter takes the next one of its block: walks are of any length, and a thread
        that had its own would wait for the longest ones of its warp.

        Parameters
        ----------
        predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
        shift, first, n_walks : a splitter in each block of 2^shift edges, the first block walked from, and how many
        noted : out, uint32 (n,); sublist of each of the first n edges that is passed
        passed : in and out, uint32 (3072,) or (0,); see `Walked`
        following, lengths, least, least_at : out, as in `Sublists`, from the first block on; there may be room behind
        edges, owners, n_lines : out, as in `Lines`; nothing is kept where there are none
        """
        line, pairing = cuda.shared.array(n_shared, edge_type), (predecessor, n_edges, n_vertices, degree)
        found = (following[:n_walks], lengths, least, least_at), (edges, owners, n_lines)
        _walk_all(line, bits, pairing, shift, first, noted, passed, found)

    return measure


_MEASURE = {
    dtype: _make_measure(dtype, edge_type)
    for dtype, edge_type in ((np.dtype(np.uint32), uint32), (np.dtype(np.uint64), uint64))
}


def splitter_shift(n_edges: int) -> int:
    """Log2 of the edges for each splitter."""
    if n_edges <= tuning().few_edges:
        return tuning().few_splitter_bits
    return tuning().splitter_bits + max(0, (n_edges - 1).bit_length() - _MANY_BITS) // 2


def blocks_of(n_edges: int) -> tuple[np.uint64, int]:
    """Log2 of the edges of a block, which has one splitter, and the number of blocks."""
    shift = splitter_shift(n_edges)
    return np.uint64(shift), -(-n_edges >> shift)


@dataclass(frozen=True)
class Walked:
    """What walks from splitters of consecutive blocks found.

    Attributes
    ----------
    noted : array, dtype=uint32, shape=(n,)
        Sublist of each of the first n edges that is on one of them; others as they were.
    passed : array, dtype=uint32, shape=(3072,) or (0,)
        How many edges on them have each value in bits 0 to 9, then in bits 10 to 19, then in bits 20 to 29; empty where
        all edges are noted, and others stay `NOT_NOTED`.
    room : tuple of array
        What is measured of each sublist, in the order of `Sublists`, and maybe room for others behind them.
    lines : Lines
        Their edges, if they are kept.
    """

    noted: Array
    passed: Array
    room: tuple[Array, ...]
    lines: Lines


def walk_blocks(pairing: Pairing, noted: Array, first: int, n_blocks: int, room: int, lines: Lines) -> Walked:
    """Walk from the splitters of some blocks; keep the edges in lines, if there are any."""
    passed = xp.zeros(0 if noted.size == pairing.size else _COUNTERS, np.uint32)
    measures = empty_measures(n_blocks + room, pairing.dtype)
    walked = (np.uint64(splitter_shift(pairing.size)), np.uint64(first), np.int64(n_blocks), noted, passed)
    arguments = (*pairing.arguments, *walked, *measures, *lines.arguments)
    launch(_MEASURE[pairing.dtype], n_blocks, *arguments, per_block=WALKS_OF_BLOCK)
    return Walked(noted, passed, measures, lines)


def room_beside(n_noted: int, n_edges: int, n_blocks: int) -> int:
    """Number of cycles without splitters for which there is room beside the sublists of blocks."""
    return n_blocks if n_noted == n_edges else _ROOM


def empty_measures(n: int, dtype: np.dtype) -> tuple[Array, ...]:
    """Room for what is measured of n sublists, in the order of `Sublists`."""
    return xp.empty(n, np.uint32), xp.empty(n, np.int64), xp.empty(n, dtype), xp.empty(n, np.int64)
