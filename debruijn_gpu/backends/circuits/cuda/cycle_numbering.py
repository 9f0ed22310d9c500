"""Number the cycles of ranked items, and add up their lengths."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import scan_longs_by_grid, tiles_of
from debruijn_gpu.backends.circuits.cuda.cycle_ranking import rank_cycles
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch_waiting, xp
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid


@kernel
def _number(root, place, following, lengths, number, cycle, noted, offsets, counts):
    """Number the cycles, in no order, and add up their lengths. Blocks wait for each other.

    Parameters
    ----------
    root, place : in, uint32 and int64 (n,); see `Ranks`
    following, lengths : in, uint32 and int64 (n,), as in `Sublists`
    number : work, uint32 (n,)
    cycle : out, uint32 (n,); cycle of each item
    noted : in and out, uint32 (m,); items, then their cycles
    offsets : out, int64 (n + 1 + tiles,); lengths of the cycles before each, for as many as there are; behind n + 1 of
        them, room for `scan_by_grid`
    counts : in and out, int64 (2,); 0 on entry; number of cycles, and how many blocks have arrived
    """
    n_cycles, arrived, tile_sums = counts[:1], counts[1:], offsets[root.size + 1 :]
    for i in range(cuda.grid(1), root.size, cuda.gridsize(1)):
        if root[i] == i:
            number[i] = cuda.atomic.add(n_cycles, 0, 1)
    wait_for_grid(arrived, np.int64(1))
    for i in range(cuda.grid(1), root.size, cuda.gridsize(1)):
        own = number[root[i]]
        cycle[i] = own
        if following[i] == root[i]:  # the last one before the root
            offsets[np.int64(own) + 1] = place[i] + lengths[i]
    if cuda.grid(1) == 0:
        offsets[0] = 0
    wait_for_grid(arrived, np.int64(2))
    for i in range(cuda.grid(1), noted.size, cuda.gridsize(1)):
        noted[i] = cycle[noted[i]]
    longs = offsets[1 : n_cycles[0] + 1]
    scan_longs_by_grid(longs, tile_sums, longs, arrived, np.int64(3))


def number_cycles(following: Array, lengths: Array, noted: Array) -> tuple[Array, Array, Array]:
    """Cycle (uint32) and place (int64) of each of n items, and the offsets (int64, n_cycles + 1) of cycles.

    Items that are noted (uint32) become their cycles.
    """
    ranks, n = rank_cycles(following, lengths), int(following.size)
    number, cycle, offsets = xp.empty(n, np.uint32), xp.empty(n, np.uint32), xp.empty(n + 1 + tiles_of(n), np.int64)
    counts = xp.zeros(2, np.int64)
    found = (number, cycle, noted, offsets, counts)
    launch_waiting(_number, max(n, noted.size, 1), ranks.root, ranks.place, following, lengths, *found)
    return cycle, ranks.place, offsets[: int(counts[0]) + 1]
