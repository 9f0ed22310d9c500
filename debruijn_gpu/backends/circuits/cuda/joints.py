"""Splice many cycles: list the edges where two of them meet once, and look at these alone in later rounds."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.circuits.cuda.noted import Noted
from debruijn_gpu.backends.circuits.cuda.splices import Forest, TailArrays, begins_row
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp

_FOR_EACH_CYCLE = 4  # edges for which there is room
_BITS_OF_A_ROUND = 3  # trees become about a sixth in a round


@kernel
def _list_joints(noted, col, predecessor, degree, row_starts, joints, n_joints, best):
    """List the edges at which two cycles meet, and find the smallest of each cycle. One thread per edge.

    Parameters
    ----------
    noted : in, uint32 (n,); cycle of each edge
    col, predecessor, degree, row_starts : in, as in `begins_row`
    joints : out, int64 (m,); the first m, in no order
    n_joints : in and out, int64 (1,); 0 on entry
    best : in and out, int64 (n_cycles,)
    """
    for edge in range(cuda.grid(1) + 1, noted.size, cuda.gridsize(1)):
        before = noted[edge - 1]
        cycle = noted[edge]
        if before == cycle or begins_row(np.uint64(edge), col, predecessor, degree, row_starts):
            continue
        at = cuda.atomic.add(n_joints, 0, 1)
        if at < joints.size:
            joints[at] = edge
        if edge < best[before]:
            cuda.atomic.min(best, before, edge)
        if edge < best[cycle]:
            cuda.atomic.min(best, cycle, edge)


@kernel
def _choose_joints(joints, n_joints, noted, group, best):
    """Find the smallest listed edge at which each tree can be merged with another. One thread per edge.

    Parameters
    ----------
    joints, n_joints, noted : in, as in `_list_joints`; if not all joints are listed, none is looked at
    group : in, uint32 (n_cycles,)
    best : in and out, int64 (n_cycles,)
    """
    n = n_joints[0]
    if n > joints.size:
        return
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        edge = joints[i]
        a = group[noted[edge - 1]]
        b = group[noted[edge]]
        if a != b:
            cuda.atomic.min(best, a, edge)
            cuda.atomic.min(best, b, edge)


def grow_by_joints(forest: Forest, noted: Noted, arrays: TailArrays) -> bool:
    """Merge cycles, each a tree yet, by the first edges, whose cycles are noted.

    Returns
    -------
    bool
        Whether that is done; where too many edges connect cycles, only the first round is.
    """
    n_cycles, first = int(forest.group.size), noted.first
    joints, n_joints = xp.empty(_FOR_EACH_CYCLE * n_cycles, np.int64), xp.zeros(1, np.int64)

    def list_first(_group: Array, best: Array) -> None:
        launch(_list_joints, first.size - 1, first, *arrays, joints, n_joints, best)

    def choose(group: Array, best: Array) -> None:
        launch(_choose_joints, joints.size, joints, n_joints, first, group, best)

    forest.grow(choose, noted, 2 + n_cycles.bit_length() // _BITS_OF_A_ROUND, list_first)
    return forest.is_tree or int(n_joints[0]) <= joints.size
