"""Following linked lists: unitigs and the reading out of circuits are list ranking.

Splitters (the heads of lists and one item in 64, chosen by hash) start one walker each; several walkers take turns
in one thread, so that their cache misses overlap. The short list of sublists is then ranked alone and every item put
in its place (after Helman and JáJá 1999).
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.cpu.compiled import mix
from debruijn_gpu.backends.cpu.jit import kernel
from debruijn_gpu.backends.cpu.pool import over_ranges

_LANES = 16
_SPACING = 63  # one item in 64 is a splitter


@kernel
def _mark_heads(successor, flags):
    """Flag (out, uint8: 1) the items that no item points to; ``successor[i] == n`` ends a list."""
    n = np.uint64(successor.size)
    flags[:] = 1
    for i in range(successor.size):
        if successor[i] != n:
            flags[successor[i]] = 0


@kernel
def _choose_splitters(flags, splitters):
    """Collect heads and hash-chosen items, ascending; flags become 1 for heads, 2 for other splitters, else 0."""
    count = 0
    for i in range(flags.size):
        if flags[i] == 0 and (mix(np.uint64(i)) & np.uint64(_SPACING)) == np.uint64(0):
            flags[i] = 2
        if flags[i]:
            splitters[count] = i
            count += 1
    return count


@kernel
def _walk(successor, flags, splitters, start, stop, owner, rank, lengths, tails):
    """Walk from splitters start..stop, each up to the next splitter or the end of its list.

    Parameters
    ----------
    successor : in, uint32 or uint64 (n,)
    flags : in, uint8 (n,); not 0 for splitters
    splitters : in, int64 (n_splitters,)
    owner, rank : out, same dtype as successor (n,); sublist of each item and its place in it
    lengths : out, int64 (n_splitters,); items of each sublist
    tails : out, int64 (n_splitters,); the splitter item that follows, or n
    """
    n = np.uint64(successor.size)
    lane_item = np.empty(_LANES, np.uint64)
    lane_list = np.empty(_LANES, np.int64)
    lane_rank = np.empty(_LANES, np.int64)
    active = 0
    waiting = start
    while active < _LANES and waiting < stop:
        lane_item[active] = splitters[waiting]
        lane_list[active] = waiting
        lane_rank[active] = 0
        active += 1
        waiting += 1
    while active > 0:
        lane = 0
        while lane < active:
            item = lane_item[lane]
            owner[item] = lane_list[lane]
            rank[item] = lane_rank[lane]
            lane_rank[lane] += 1
            following = np.uint64(successor[item])
            if following != n and flags[following] == 0:
                lane_item[lane] = following
                lane += 1
                continue
            lengths[lane_list[lane]] = lane_rank[lane]
            tails[lane_list[lane]] = following
            if waiting < stop:
                lane_item[lane] = splitters[waiting]
                lane_list[lane] = waiting
                lane_rank[lane] = 0
                waiting += 1
                lane += 1
            else:
                active -= 1
                lane_item[lane] = lane_item[active]
                lane_list[lane] = lane_list[active]
                lane_rank[lane] = lane_rank[active]


@kernel
def _walk_rest(successor, flags, owner, rank, splitters, lengths, tails, count):
    """Circles that no splitter hit: their smallest item becomes one. Items not walked yet have owner n."""
    n = np.uint64(successor.size)
    for i in range(successor.size):
        if owner[i] != n:
            continue
        flags[i] = 2
        splitters[count] = i
        item = np.uint64(i)
        length = 0
        while owner[item] == n:
            owner[item] = count
            rank[item] = length
            length += 1
            item = np.uint64(successor[item])
        lengths[count] = length
        tails[count] = item
        count += 1
    return count


@kernel
def _rank_sublists(flags, owner, splitters, lengths, tails, list_of, place, list_lengths):
    """Chain the sublists: which list each belongs to and where in it it begins.

    Lists with a head come first, by head, then circles. Returns the number of lists and of those with a head.

    Parameters
    ----------
    flags, owner, splitters, lengths, tails : in, as `_walk` leaves them
    list_of : out, int64 (n_sublists,); -1 on entry
    place : out, int64 (n_sublists,)
    list_lengths : out, int64 (n_sublists,)
    """
    n = flags.size
    n_lists = 0
    n_paths = 0
    for wanted in range(1, 3):
        for first in range(splitters.size):
            if list_of[first] >= 0 or flags[splitters[first]] != wanted:
                continue
            length = 0
            sublist = first
            while list_of[sublist] < 0:
                list_of[sublist] = n_lists
                place[sublist] = length
                length += lengths[sublist]
                if tails[sublist] == n:
                    break
                sublist = np.int64(owner[tails[sublist]])
            list_lengths[n_lists] = length
            n_lists += 1
        if wanted == 1:
            n_paths = n_lists
    return n_lists, n_paths


@kernel
def _smallest_of_circles(owner, rank, list_of, place, n_paths, smallest, smallest_at):
    """The smallest item of each circle and its place in it (out, int64 (n_circles,); smallest is n on entry)."""
    for i in range(owner.size):
        sublist = owner[i]
        circle = list_of[sublist] - n_paths
        if circle >= 0 and i < smallest[circle]:
            smallest[circle] = i
            smallest_at[circle] = place[sublist] + rank[i]


@kernel
def _put_in_place(owner, rank, list_of, place, offsets, rotation, start, stop, items):
    """Write items start..stop to where they belong; a circle begins ``rotation`` items further on."""
    for i in range(start, stop):
        sublist = owner[i]
        number = list_of[sublist]
        length = offsets[number + 1] - offsets[number]
        at = place[sublist] + np.int64(rank[i]) - rotation[number]
        if at < 0:
            at += length
        items[offsets[number] + at] = i


def follow_lists(successor):
    """See `Backend.follow_lists`."""
    n = len(successor)
    flags = np.empty(n, np.uint8)
    _mark_heads(successor, flags)
    splitters = np.empty(n, np.int64)  # untouched pages cost nothing
    count = _choose_splitters(flags, splitters)
    owner = np.full(n, n, successor.dtype)
    rank = np.empty(n, successor.dtype)
    lengths = np.empty(n, np.int64)
    tails = np.empty(n, np.int64)
    over_ranges(
        count,
        lambda start, stop: _walk(successor, flags, splitters, start, stop, owner, rank, lengths, tails),
        pieces_per_thread=16,
    )
    count = _walk_rest(successor, flags, owner, rank, splitters, lengths, tails, count)
    list_of = np.full(count, -1, np.int64)
    place = np.empty(count, np.int64)
    list_lengths = np.empty(count, np.int64)
    n_lists, n_paths = _rank_sublists(
        flags, owner, splitters[:count], lengths, tails, list_of, place, list_lengths
    )
    list_lengths = list_lengths[:n_lists]
    rotation = np.zeros(n_lists, np.int64)
    if n_lists > n_paths:
        smallest = np.full(n_lists - n_paths, n, np.int64)
        _smallest_of_circles(owner, rank, list_of, place, n_paths, smallest, rotation[n_paths:])
        order = np.concatenate((np.arange(n_paths), n_paths + np.argsort(smallest)))
        list_of = np.argsort(order)[list_of]
        list_lengths, rotation = list_lengths[order], rotation[order]
    offsets = np.concatenate(([0], np.cumsum(list_lengths)))
    items = np.empty(n, successor.dtype)
    over_ranges(
        n, lambda start, stop: _put_in_place(owner, rank, list_of, place, offsets, rotation, start, stop, items)
    )
    circular = np.arange(n_lists) >= n_paths
    return offsets, items, circular
