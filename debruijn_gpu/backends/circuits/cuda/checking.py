"""Check walks; see `CircuitOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits
from debruijn_gpu.backends.circuits.protocol import NONE, WalkFaults
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    contiguous,
    cuda,
    device_function,
    kernel,
    launch,
    to_device,
    to_host,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import lower_bound, meets

# places in the array of faults, each the least found
_WALK, _OUT_OF_RANGE, _GAP, _EDGE = 0, 1, 2, 3
_NOT_FOUND = np.int64(2**63 - 1)


@device_function
def _note(faults, kind, position):
    """Note a fault; only one that comes before what is known costs an atomic operation."""
    if position < faults[kind]:
        cuda.atomic.min(faults, kind, position)


@device_function
def _begins_walk(offsets, position):
    """Whether a walk begins at a position."""
    walk = lower_bound(offsets, position, 0, offsets.size)
    return walk < offsets.size and offsets[walk] == position


@kernel
def _check_steps(row_ptr, col, offsets, steps, used, faults):
    """Check each step with the next one, and note the edge that it uses. One thread per step.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    offsets : in, int64 (n_walks + 1,)
    steps : in, uint32 or uint64 (n_steps,)
    used : in and out, uint32 (ceil(n_edges / 32),); bit e % 32 of word e // 32 for edge e
    faults : in and out, int64 (4,)
    """
    n_edges = np.uint64(col.size)
    for i in range(cuda.grid(1), steps.size, cuda.gridsize(1)):
        step = np.uint64(steps[i])
        if step >= n_edges:
            _note(faults, _OUT_OF_RANGE, i)
        else:
            bit = np.uint32(1) << np.uint32(step & np.uint64(31))
            before = cuda.atomic.or_(used, step >> np.uint64(5), bit)
            if before & bit:
                _note(faults, _EDGE, np.int64(step))
            if i + 1 < steps.size:
                following = np.uint64(steps[i + 1])
                if following < n_edges and not meets(row_ptr, col, step, following):
                    if i < faults[_GAP] and not _begins_walk(offsets, i + 1):
                        _note(faults, _GAP, i)


@kernel
def _check_walks(row_ptr, col, offsets, steps, circular, faults):
    """Check the offsets of each walk and, where it is circular, that its ends meet. One thread per walk, one at the
    end.

    Parameters
    ----------
    row_ptr, col, offsets, steps, faults : as in `_check_steps`
    circular : in, bool (n_walks,)
    """
    n_edges = np.uint64(col.size)
    for walk in range(cuda.grid(1), offsets.size, cuda.gridsize(1)):
        begin = offsets[walk]
        if walk == offsets.size - 1:
            if begin != steps.size:
                _note(faults, _WALK, walk)
        else:
            end = offsets[walk + 1]
            if (walk == 0 and begin != 0) or end < begin or begin < 0 or end > steps.size:
                _note(faults, _WALK, walk)
            elif circular[walk] and begin < end:
                last = np.uint64(steps[end - 1])
                first = np.uint64(steps[begin])
                if last < n_edges and first < n_edges and not meets(row_ptr, col, last, first):
                    _note(faults, _GAP, end - 1)


@kernel
def _find_unused(used, n_edges, faults):
    """The first edge whose bit is not set. One thread per word.

    Parameters
    ----------
    used : in, uint32 (ceil(n_edges / 32),); see `_check_steps`
    n_edges : int64
    faults : in and out, int64 (4,)
    """
    for word in range(cuda.grid(1), used.size, cuda.gridsize(1)):
        missing = ~used[word]
        if missing != np.uint32(0):
            edge = np.int64(word) * 32
            while missing & np.uint32(1) == np.uint32(0):
                missing >>= np.uint32(1)
                edge += 1
            if edge < n_edges:
                _note(faults, _EDGE, edge)


@guarded
def check_walks(row_ptr: Array, col: Array, offsets: Array, steps: Array, circular: Array) -> WalkFaults:
    """See `CircuitOperations.check_walks`."""
    row_ptr, offsets, circular = contiguous(row_ptr), contiguous(offsets), contiguous(circular)
    heads, edge_ids = as_bits(col), as_bits(steps)
    used = xp.zeros(-(-heads.size // 32), np.uint32)
    faults = to_device(np.full(4, _NOT_FOUND))
    launch(_check_steps, edge_ids.size, row_ptr, heads, offsets, edge_ids, used, faults)
    launch(_check_walks, offsets.size, row_ptr, heads, offsets, edge_ids, circular, faults)
    launch(_find_unused, used.size, used, np.int64(heads.size), faults)
    found = [NONE if position == _NOT_FOUND else int(position) for position in to_host(faults)]
    gap = found[_GAP] if found[_WALK] == NONE else NONE
    return WalkFaults(found[_WALK], found[_OUT_OF_RANGE], gap, found[_EDGE])
