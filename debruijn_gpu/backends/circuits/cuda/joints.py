"""Splice many cycles: list the edges where two of them meet once, and look at these alone in later rounds."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.circuits.cuda.noted import Noted
from debruijn_gpu.backends.circuits.cuda.splices import NO_EDGE, Forest, TailArrays, begins_row, compress, hook
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, launch_waiting, to_host, xp
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid

_FOR_EACH_CYCLE = 4  # edges for which there is room
_N_SPLICES, _N_JOINTS, _N_ARRIVED = range(3)  # what kernels find


@kernel
def _list_joints(noted, col, predecessor, degree, row_starts, joints, found, best, group, parent):
    """List the edges at which two cycles meet, and find the smallest of each cycle; make each cycle a tree. One thread
    per edge, or per cycle.

    Parameters
    ----------
    noted : in, uint32 (n,); cycle of each edge
    col, predecessor, degree, row_starts : in, as in `begins_row`
    joints : out, int64 (m,); the first m, in no order
    found : in and out, int64 (3,); see `_merge`
    best : in and out, int64 (n_cycles,)
    group, parent : out, uint32 (n_cycles,)
    """
    for cycle in range(cuda.grid(1), group.size, cuda.gridsize(1)):
        group[cycle] = cycle
        parent[cycle] = cycle
    for edge in range(cuda.grid(1) + 1, noted.size, cuda.gridsize(1)):
        before = noted[edge - 1]
        cycle = noted[edge]
        if before == cycle or begins_row(np.uint64(edge), col, predecessor, degree, row_starts):
            continue
        at = cuda.atomic.add(found, _N_JOINTS, 1)
        if at < joints.size:
            joints[at] = edge
        if edge < best[before]:
            cuda.atomic.min(best, before, edge)
        if edge < best[cycle]:
            cuda.atomic.min(best, cycle, edge)


@device_function
def _hook_all(noted, group, best, parent, edges, found):
    """Merge trees by their best edges. One thread per cycle."""
    for tree in range(cuda.grid(1), group.size, cuda.gridsize(1)):
        edge = best[tree]
        if group[tree] == tree and edge != NO_EDGE:
            hook(tree, edge, group[noted[edge - 1]], group[noted[edge]], best, parent, edges, found)


@device_function
def _choose(joints, n_joints, noted, group, best):
    """Find the smallest listed edge at which each tree can be merged with another. One thread per edge."""
    for i in range(cuda.grid(1), n_joints, cuda.gridsize(1)):
        edge = joints[i]
        a = group[noted[edge - 1]]
        b = group[noted[edge]]
        if a != b:
            cuda.atomic.min(best, a, edge)
            cuda.atomic.min(best, b, edge)


@kernel
def _merge(joints, noted, group, best, parent, edges, found):
    """Merge trees until no listed edge connects two, or for one round if not all joints are listed. Blocks wait for
    each other.

    Parameters
    ----------
    joints, noted : in, as in `_list_joints`
    group, parent : in and out, uint32 (n_cycles,); each cycle a tree on entry
    best : in and out, int64 (n_cycles,); the smallest joint of each on entry
    edges : out, int64 (n_cycles - 1,); see `Splices`
    found : in and out, int64 (3,); splices (0 on entry), joints, and how many blocks have arrived (0 on entry)
    """
    arrived = found[_N_ARRIVED:]
    n_before = np.int64(-1)
    n_waits = np.int64(0)
    while True:
        _hook_all(noted, group, best, parent, edges, found)
        n_waits += np.int64(1)
        wait_for_grid(arrived, n_waits)
        n_splices, n_joints = found[_N_SPLICES], found[_N_JOINTS]
        for cycle in range(cuda.grid(1), group.size, cuda.gridsize(1)):
            compress(cycle, parent, group, best)
        if n_splices == n_before or n_splices == edges.size or n_joints > joints.size:
            return
        n_before = n_splices
        n_waits += np.int64(1)
        wait_for_grid(arrived, n_waits)
        _choose(joints, n_joints, noted, group, best)
        n_waits += np.int64(1)
        wait_for_grid(arrived, n_waits)


def grow_by_joints(forest: Forest, noted: Noted, arrays: TailArrays) -> bool:
    """Merge cycles by the first edges, whose cycles are noted; none is part of a tree before.

    Returns
    -------
    bool
        Whether that is done; where too many edges connect cycles, only the first round is.
    """
    n_cycles, first, group = int(forest.group.size), noted.first, forest.group
    joints, best = xp.empty(_FOR_EACH_CYCLE * n_cycles, np.int64), filled(n_cycles, NO_EDGE)
    parent, found = xp.empty(n_cycles, np.uint32), xp.zeros(3, np.int64)
    launch(_list_joints, max(first.size - 1, n_cycles), first, *arrays, joints, found, best, group, parent)
    launch_waiting(_merge, n_cycles, joints, first, group, best, parent, forest.edges, found)
    forest.n_splices, n_joints, _ = to_host(found).tolist()
    return forest.is_tree or n_joints <= joints.size
