"""Rank cycles: compute the cycle and place of each item of a permutation.

One item in 16 is a splitter, from which one thread walks to the next; the short list of sublists is ranked in the
same way, until a single block can do it by pointer jumping (Wyllie 1979). Cycles that no splitter is on are walked
from their item of smallest hash. (After Helman and JáJá 1999; Wei and JáJá 2012.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.circuits.cuda.shares import WALKS_OF_BLOCK, share_of_block, take_next
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.runtime import SIMULATED, cuda, kernel, launch, uint32, xp
from debruijn_gpu.backends.core.cuda.scalars import mix, splitter

_SHIFT = np.uint64(4)
_SMALL = 8 if SIMULATED else 4096  # items that a single block ranks
_SMALL_BLOCK = 4 if SIMULATED else 512
_NONE = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Ranks:
    """Items of cycles.

    Attributes
    ----------
    root : array, dtype=uint32, shape=(n,)
        One item of each item's cycle, the same for all on it.
    place : array, dtype=int64, shape=(n,)
        Lengths of the items from the root (included) to this one (not included).
    """

    root: Array
    place: Array


@kernel
def _jump(following, lengths, jumps, roots, distances, totals, root, place):
    """Rank cycles by pointer jumping. A single block; a thread has every blockDim-th item.

    Round by round, item i knows of twice as many items from itself on: the one after them, the smallest of them,
    how far it is, and how long they are together.

    Parameters
    ----------
    following : in, uint32 (n,)
    lengths : in, int64 (n,)
    jumps, roots : work, int64 (2, n)
    distances, totals : work, int64 (2, n)
    root : out, uint32 (n,)
    place : out, int64 (n,)
    """
    n = following.size
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        jumps[0, i] = following[i]
        roots[0, i] = i
        distances[0, i] = 0
        totals[0, i] = lengths[i]
    cuda.syncthreads()
    old = 0
    known = 1
    while known < n:
        new = 1 - old
        for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
            j = jumps[old, i]
            is_further = roots[old, j] < roots[old, i]
            roots[new, i] = roots[old, j] if is_further else roots[old, i]
            distances[new, i] = totals[old, i] + distances[old, j] if is_further else distances[old, i]
            totals[new, i] = totals[old, i] + totals[old, j]
            jumps[new, i] = jumps[old, j]
        cuda.syncthreads()
        old = new
        known *= 2
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        root[i] = roots[old, i]
        after_root = following[roots[old, i]]
        length = lengths[roots[old, i]] + distances[old, after_root]
        place[i] = length - distances[old, i] if distances[old, i] else 0


@kernel
def _walk(following, lengths, shift, owner, place, short_following, short_lengths):
    """Walk from splitters, each to the next. A thread takes the next splitter of its block when it is done with one.

    Parameters
    ----------
    following : in, uint32 (n,)
    lengths : in, int64 (n,)
    shift : uint64; a splitter in each block of 2^shift
    owner : out, uint32 (n,); the block from whose splitter an item was reached; else as it was
    place : out, int64 (n,); lengths of the items before it on that walk
    short_following : out, uint32 (blocks,)
    short_lengths : out, int64 (blocks,)
    """
    n = np.uint64(following.size)
    taken = cuda.shared.array(1, uint32)
    low, high = share_of_block(short_following.size, taken)
    block = take_next(low, taken)
    item = splitter(np.uint64(block), shift, n)
    walked = np.int64(0)
    while block < high:
        owner[item] = block
        place[item] = walked
        walked += lengths[item]
        item = np.uint64(following[item])
        reached = item >> shift
        if item == splitter(reached, shift, n):
            short_following[block] = reached
            short_lengths[block] = walked
            walked = np.int64(0)
            block = take_next(low, taken)
            item = splitter(np.uint64(block), shift, n)


@kernel
def _walk_rest(following, lengths, owner, root, place):
    """Rank cycles without a splitter: the item of smallest hash walks around. One thread per item.

    Parameters
    ----------
    following, lengths : in, as in `_walk`
    owner : in, uint32 (n,); 2^32 - 1 for items on such cycles
    root : out, uint32 (n,), for these
    place : out, int64 (n,), for these
    """
    for i in range(cuda.grid(1), following.size, cuda.gridsize(1)):
        if owner[i] != _NONE:
            continue
        first = np.uint64(i)
        least = mix(first)
        item = np.uint64(following[first])
        while item != first and mix(item) > least:
            item = np.uint64(following[item])
        if item != first:
            continue
        walked = np.int64(0)
        while True:
            root[item] = i
            place[item] = walked
            walked += lengths[item]
            item = np.uint64(following[item])
            if item == first:
                break


@kernel
def _expand(owner, shift, short_root, short_place, root, place):
    """From ranks of sublists to ranks of items. One thread per item.

    Parameters
    ----------
    owner : in, uint32 (n,), as `_walk` leaves it
    shift : uint64
    short_root : in, uint32 (blocks,)
    short_place : in, int64 (blocks,)
    root : in and out, uint32 (n,)
    place : in and out, int64 (n,); in: within the sublist
    """
    n = np.uint64(owner.size)
    for i in range(cuda.grid(1), owner.size, cuda.gridsize(1)):
        block = owner[i]
        if block != _NONE:
            root[i] = splitter(np.uint64(short_root[block]), shift, n)
            place[i] += short_place[block]


def rank_cycles(following: Array, lengths: Array) -> Ranks:
    """Rank the items of cycles.

    Parameters
    ----------
    following : array, dtype=uint32, shape=(n,)
        The item after each, a permutation; n < 2^32 - 1.
    lengths : array, dtype=int64, shape=(n,)
        Length of each item.
    """
    n = following.size
    root, place = xp.empty(n, np.uint32), xp.empty(n, np.int64)
    if n <= _SMALL:
        work = [xp.empty((2, n), np.int64) for _ in range(4)]
        launch(_jump, min(n, 1), following, lengths, *work, root, place, block=_SMALL_BLOCK)
        return Ranks(root, place)
    n_blocks = -(-n >> int(_SHIFT))
    owner = filled(n, _NONE)
    short_following, short_lengths = xp.empty(n_blocks, np.uint32), xp.empty(n_blocks, np.int64)
    walked = (owner, place, short_following, short_lengths)
    launch(_walk, n_blocks, following, lengths, _SHIFT, *walked, per_block=WALKS_OF_BLOCK)
    launch(_walk_rest, n, following, lengths, owner, root, place)
    short = rank_cycles(short_following, short_lengths)
    launch(_expand, n, owner, _SHIFT, short.root, short.place, root, place)
    return Ranks(root, place)


@kernel
def _number_roots(root, number, n_cycles):
    """Number the cycles, in no order. One thread per sublist.

    Parameters
    ----------
    root : in, uint32 (n,)
    number : out, uint32 (n,); only at roots
    n_cycles : in and out, int64 (1,); 0 on entry
    """
    for i in range(cuda.grid(1), root.size, cuda.gridsize(1)):
        if root[i] == i:
            number[i] = cuda.atomic.add(n_cycles, 0, 1)


@kernel
def _number(root, number, place, following, lengths, cycle, cycle_lengths):
    """Number and length of cycles. One thread per sublist.

    Parameters
    ----------
    root, number : in, uint32 (n,); see `_number_roots`
    place, following, lengths : in, as in `Sublists` and `Cycles`
    cycle : out, uint32 (n,)
    cycle_lengths : out, int64 (n_cycles,)
    """
    for i in range(cuda.grid(1), root.size, cuda.gridsize(1)):
        cycle[i] = number[root[i]]
        if following[i] == root[i]:  # the last one before the root
            cycle_lengths[number[root[i]]] = place[i] + lengths[i]


def number_cycles(following: Array, lengths: Array) -> tuple[Array, Array, Array]:
    """Cycle (uint32) and place (int64) of each of n items, and the offsets (int64, n_cycles + 1) of cycles."""
    ranks = rank_cycles(following, lengths)
    number, n_cycles = xp.empty(following.size, np.uint32), xp.zeros(1, np.int64)
    launch(_number_roots, number.size, ranks.root, number, n_cycles)
    cycle, cycle_lengths = xp.empty(following.size, np.uint32), xp.empty(int(n_cycles[0]), np.int64)
    launch(_number, cycle.size, ranks.root, number, ranks.place, following, lengths, cycle, cycle_lengths)
    return cycle, ranks.place, exclusive_scan(cycle_lengths)
