"""Number the cycles of ranked items, and add up their lengths."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import scan_longs_by_grid, tiles_of
from debruijn_gpu.backends.circuits.cuda.cycle_ranking import (
    N_ARRIVED_LATER,
    N_CYCLES,
    N_MORE,
    n_items,
    new_counts,
    rank_cycles,
)
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel_of, launch_waiting, xp
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid


@kernel_of(max_registers=40)
def _number(root, place, following, lengths, n_known, number, cycle, noted, offsets, counts):
    """Number the cycles, in no order, and add up their lengths. Blocks wait for each other.

    Parameters
    ----------
    root, place : in, uint32 and int64 (m,); see `Ranks`
    following, lengths : in, uint32 and int64 (m,), as in `Sublists`
    n_known : int64; see `n_items`
    number : work, uint32 (m,)
    cycle : out, uint32 (m,); cycle of each item
    noted : in and out, uint32; items, then their cycles; left alone where there is no room for all items
    offsets : out, int64 (m + 1 + tiles,); lengths of the cycles before each, for as many as there are; behind m + 1 of
        them, room for `scan_longs_by_grid`
    counts : in and out, int64 (4,); see `rank_cycles`
    """
    n, arrived, tile_sums = n_items(following, n_known, counts), counts[N_ARRIVED_LATER:], offsets[root.size + 1 :]
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        if root[i] == i:
            number[i] = cuda.atomic.add(counts, N_CYCLES, 1)
    wait_for_grid(arrived, np.int64(1))
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        own = number[root[i]]
        cycle[i] = own
        if following[i] == root[i]:  # the last one before the root
            offsets[np.int64(own) + 1] = place[i] + lengths[i]
    if cuda.grid(1) == 0:
        offsets[0] = 0
    wait_for_grid(arrived, np.int64(2))
    if n == n_known + counts[N_MORE]:
        for i in range(cuda.grid(1), noted.size, cuda.gridsize(1)):
            noted[i] = cycle[noted[i]]
    longs = offsets[1 : counts[N_CYCLES] + 1]
    scan_longs_by_grid(longs, tile_sums, longs, arrived, np.int64(3))


def number_items(
    following: Array, lengths: Array, noted: Array, n_known: int, counts: Array
) -> tuple[Array, Array, Array]:
    """Cycle (uint32), place (int64), and offsets of cycles (int64); with more room than is needed.

    Items that are noted (uint32) become their cycles, if there is room for all items; parameters are those of
    `rank_cycles`.
    """
    ranks, n = rank_cycles(following, lengths, n_known, counts), int(following.size)
    number, cycle, offsets = xp.empty(n, np.uint32), xp.empty(n, np.uint32), xp.empty(n + 1 + tiles_of(n), np.int64)
    given = (ranks.root, ranks.place, following, lengths, np.int64(n_known))
    launch_waiting(_number, max(n_known, noted.size, 1), *given, number, cycle, noted, offsets, counts)
    return cycle, ranks.place, offsets


def number_cycles(following: Array, lengths: Array, noted: Array) -> tuple[Array, Array, Array]:
    """Cycle (uint32) and place (int64) of each of n items, and the offsets (int64, n_cycles + 1) of cycles.

    Items that are noted (uint32) become their cycles.
    """
    counts = new_counts()
    cycle, place, offsets = number_items(following, lengths, noted, int(following.size), counts)
    return cycle, place, offsets[: int(counts[N_CYCLES]) + 1]
