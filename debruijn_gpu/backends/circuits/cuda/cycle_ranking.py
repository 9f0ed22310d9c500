"""Rank cycles: compute the cycle and place of each item of a permutation.

One item in 16 is a splitter, from which one thread walks to the next; the short list of sublists is ranked in the
same way, until a single block can do it by pointer jumping (Wyllie 1979). Cycles that no splitter is on are walked
from their item of smallest hash. (After Helman and JáJá 1999; Wei and JáJá 2012.) One launch does all of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.circuits.cuda.shares import share_of_block, take_next
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import (
    SIMULATED,
    cuda,
    device_function,
    kernel,
    kernel_of,
    launch,
    launch_waiting,
    uint32,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import mix, splitter
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid

_SHIFT = np.uint64(4)  # log2 of the items for each splitter
_SMALL = 8 if SIMULATED else 4096  # items that a single block ranks
_SMALL_BLOCK = 4 if SIMULATED else 512
_NONE = np.uint32(0xFFFFFFFF)
#: What is counted: items beyond those known to the host, cycles, and blocks that have arrived in `_rank` and `_number`
N_MORE, N_CYCLES, _N_ARRIVED, N_ARRIVED_LATER = range(4)


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


@device_function
def _n_splitters(n):
    """Number of splitters of a list of n items."""
    return (n + (np.int64(1) << np.int64(_SHIFT)) - np.int64(1)) >> np.int64(_SHIFT)


@device_function
def _jump(following, lengths, work, root, place):
    """Rank cycles by pointer jumping, in one block; a thread has every blockDim-th item. All threads must come here.

    Round by round, item i knows of twice as many items from itself on: the one after them, the smallest of them,
    how far it is, and how long they are together.

    Parameters
    ----------
    following : uint32 (n,)
    lengths : int64 (n,)
    work : int64 (8 * n or more,); two rows of n each of the items after, the smallest ones, distances, and lengths
    root : out, uint32 (n,)
    place : out, int64 (n,)
    """
    n = following.size
    after, least, distances, sums = work[: 2 * n], work[2 * n : 4 * n], work[4 * n : 6 * n], work[6 * n : 8 * n]
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        after[i] = following[i]
        least[i] = i
        distances[i] = 0
        sums[i] = lengths[i]
    cuda.syncthreads()
    old, new = 0, n  # where the rows begin
    known = 1
    while known < n:
        for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
            j = after[old + i]
            is_further = least[old + j] < least[old + i]
            least[new + i] = least[old + j] if is_further else least[old + i]
            distances[new + i] = sums[old + i] + distances[old + j] if is_further else distances[old + i]
            sums[new + i] = sums[old + i] + sums[old + j]
            after[new + i] = after[old + j]
        cuda.syncthreads()
        old, new = new, old
        known *= 2
    for i in range(cuda.threadIdx.x, n, cuda.blockDim.x):
        smallest, distance = least[old + i], distances[old + i]
        root[i] = smallest
        length = lengths[smallest] + distances[old + np.int64(following[smallest])]
        place[i] = length - distance if distance else 0


@device_function
def n_items(following, n_known, counts):
    """Number of items: those known to the host, and others up to the room for them; see `rank_cycles`."""
    return min(n_known + counts[N_MORE], following.size)


@kernel
def _rank_few(following, lengths, n_known, words, longs, counts):
    """Rank the items of cycles. A single block; parameters as in `_rank`, of a list that is the only one."""
    n, n_room = n_items(following, n_known, counts), following.size
    _jump(following[:n], lengths, longs[n_room:], words[:n], longs[:n])


@device_function
def _walk(following, lengths, owner, place, short_following, short_lengths):
    """Walk from splitters, each to the next. A thread takes the next splitter of its block when it is done with one.
    All threads must come here.

    Parameters
    ----------
    following : uint32 (n,)
    lengths : int64 (n,)
    owner : out, uint32 (n,); the block of items from whose splitter an item was reached; else as it was
    place : out, int64 (n,); lengths of the items before it on that walk
    short_following : out, uint32 (blocks,)
    short_lengths : out, int64 (blocks,)
    """
    n = np.uint64(following.size)
    taken = cuda.shared.array(1, uint32)
    low, high = share_of_block(short_following.size, taken)
    block = take_next(low, taken)
    item = splitter(np.uint64(block), _SHIFT, n)
    walked = np.int64(0)
    while block < high:
        owner[item] = block
        place[item] = walked
        walked += lengths[item]
        item = np.uint64(following[item])
        reached = item >> _SHIFT
        if item == splitter(reached, _SHIFT, n):
            short_following[block] = reached
            short_lengths[block] = walked
            walked = np.int64(0)
            block = take_next(low, taken)
            item = splitter(np.uint64(block), _SHIFT, n)


@device_function
def _walk_rest(following, lengths, owner, root, place):
    """Rank cycles without a splitter: the item of smallest hash walks around. One thread per item.

    Parameters
    ----------
    following, lengths : as in `_walk`
    owner : uint32 (n,); 2^32 - 1 for items on such cycles
    root, place : out, uint32 and int64 (n,), for these
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


@device_function
def _expand(owner, short_root, short_place, root, place):
    """From ranks of sublists to ranks of items. One thread per item.

    Parameters
    ----------
    owner : uint32 (n,), as `_walk` leaves it
    short_root : uint32 (blocks,)
    short_place : int64 (blocks,)
    root : in and out, uint32 (n,)
    place : in and out, int64 (n,); in: within the sublist
    """
    n = np.uint64(owner.size)
    for i in range(cuda.grid(1), owner.size, cuda.gridsize(1)):
        block = owner[i]
        if block != _NONE:
            root[i] = splitter(np.uint64(short_root[block]), _SHIFT, n)
            place[i] += short_place[block]


@kernel_of(max_registers=64)
def _rank(following, lengths, n_known, n_levels, n_all, words, longs, counts):
    """Rank the items of cycles: walk to shorter and shorter lists, rank the last one, and go back. Blocks wait for each
    other.

    Parameters
    ----------
    following : in, uint32 (n,)
    lengths : in, int64 (n,)
    n_known : int64; see `n_items`
    n_levels : int64; how often lists become shorter
    n_all : int64; items of all lists, at most, which are one list behind the other
    words : out, uint32 (3 * n_all,); the roots of items, the first n of them those of the given list; the item after
        each in the lists behind the first; the owners of items, see `_walk`
    longs : out, int64 (2 * n_all + 8 * m,) with m items of the last list; places of items, and lengths, as ``words``;
        and room for `_jump`
    counts : in and out, int64 (4,); see `rank_cycles`
    """
    n_given, arrived = n_items(following, n_known, counts), counts[_N_ARRIVED:]
    root, place = words[:n_all], longs[:n_all]
    short_following, short_lengths, owner = words[n_all:], longs[n_all:], words[2 * n_all :]
    for i in range(cuda.grid(1), owner.size, cuda.gridsize(1)):
        owner[i] = _NONE
    wait_for_grid(arrived, np.int64(1))
    follows, longs_of = following[:n_given], lengths
    start, n = np.int64(0), n_given
    for level in range(n_levels):
        stop, n_short = start + n, _n_splitters(n)
        next_follows, next_longs = short_following[stop : stop + n_short], short_lengths[stop : stop + n_short]
        of_items = owner[start:stop]
        _walk(follows, longs_of, of_items, place[start:stop], next_follows, next_longs)
        wait_for_grid(arrived, np.int64(2 + level))
        _walk_rest(follows, longs_of, of_items, root[start:stop], place[start:stop])
        follows, longs_of = next_follows, next_longs
        start, n = stop, n_short
    if cuda.blockIdx.x == 0:
        _jump(follows, longs_of, longs[2 * n_all :], root[start : start + n], place[start : start + n])
    for level in range(n_levels):
        wait_for_grid(arrived, np.int64(2 + n_levels + level))
        n_short = n
        n = n_given
        for _ in range(n_levels - 1 - level):
            n = _n_splitters(n)
        stop = start
        start = stop - n
        of_shorter = root[stop : stop + n_short], place[stop : stop + n_short]
        _expand(owner[start:stop], of_shorter[0], of_shorter[1], root[start:stop], place[start:stop])


def new_counts() -> Array:
    """Allocate the counters of `rank_cycles`, all 0."""
    return xp.zeros(4, np.int64)


def rank_cycles(following: Array, lengths: Array, n_known: int, counts: Array) -> Ranks:
    """Rank the items of cycles.

    Parameters
    ----------
    following : array, dtype=uint32, shape=(m,)
        The item after each, a permutation of the first n; n < 2^32 - 1.
    lengths : array, dtype=int64, shape=(m,)
        Length of each item.
    n_known : int
        Items that the host knows of.
    counts : array, dtype=int64, shape=(4,)
        See `new_counts`; the first may be a number of items beside those known to the host: n is the sum of both, or m
        if that is less.

    Returns
    -------
    Ranks
        Of m items; the first n are ranked.
    """
    sizes = [int(following.size)]
    while sizes[-1] > _SMALL:
        sizes.append(-(-sizes[-1] >> int(_SHIFT)))
    n, n_all, n_jumped = sizes[0], sum(sizes), 8 * sizes[-1]
    if len(sizes) == 1:
        words, longs = xp.empty(n, np.uint32), xp.empty(n + n_jumped, np.int64)
        arrays = (following, lengths, np.int64(n_known), words, longs, counts)
        launch(_rank_few, min(n, 1), *arrays, block=_SMALL_BLOCK)
    else:
        words, longs = xp.empty(3 * n_all, np.uint32), xp.empty(2 * n_all + n_jumped, np.int64)
        numbers = (np.int64(n_known), np.int64(len(sizes) - 1), np.int64(n_all))
        launch_waiting(_rank, n_known, following, lengths, *numbers, words, longs, counts)
    return Ranks(words[:n], longs[:n])
