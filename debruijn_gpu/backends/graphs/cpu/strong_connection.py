"""Compute strongly connected components."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu.decorators import kernel

_VERTEX, _OWN, _LOWEST, _EDGE, _END = range(5)


@kernel
def _name_component(root, waiting, n_waiting, number, done, component):
    """Take the component of its root from the stack of waiting vertices and name it; how many are left there."""
    start = n_waiting - 1
    smallest = waiting[start]
    while waiting[start] != root:
        start -= 1
        smallest = min(smallest, waiting[start])
    for i in range(start, n_waiting):
        number[waiting[i]] = done
        component[waiting[i]] = smallest
    return start


@kernel
def _search(row_ptr, col, number, done, frames, waiting, component):
    """Depth-first search from each vertex (Tarjan 1972), without recursion.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    number : in and out, uint32 or uint64 (n_vertices,); 0 for vertices not seen yet, ``done`` where the component is
        known, else 1 and up in the order of discovery
    done : as number; more than any other
    frames : scratch, int64 (n_vertices, 5); of each vertex from the start of the search to the present one: itself, its
        number, the least number that it is known to reach, its next edge and the end of its row. All in one place,
        because who comes back to a vertex comes from far away
    waiting : scratch, int64 (n_vertices,); vertices that are seen and have no component yet
    component : out, int64 (n_vertices,)
    """
    n_seen, n_waiting = 0, 0
    for start in range(number.size):
        if number[start] != 0:
            continue
        depth, vertex, is_new = -1, start, True
        while depth >= 0 or is_new:
            if is_new:
                n_seen += 1
                number[vertex] = n_seen
                waiting[n_waiting] = vertex
                n_waiting += 1
                depth += 1
                frame = frames[depth]
                frame[_VERTEX], frame[_OWN], frame[_LOWEST] = vertex, n_seen, n_seen
                frame[_EDGE], frame[_END] = row_ptr[vertex], row_ptr[vertex + 1]
            frame = frames[depth]
            edge, end, lowest = np.uint64(frame[_EDGE]), np.uint64(frame[_END]), np.uint64(frame[_LOWEST])
            while edge < end and number[col[edge]] != 0:
                lowest = min(lowest, np.uint64(number[col[edge]]))
                edge += np.uint64(1)
            is_new = edge < end
            if is_new:
                frame[_EDGE], frame[_LOWEST] = edge + np.uint64(1), lowest
                vertex = np.int64(col[edge])
                continue
            if np.int64(lowest) == frame[_OWN]:
                n_waiting = _name_component(frame[_VERTEX], waiting, n_waiting, number, done, component)
            depth -= 1
            if depth >= 0:
                frames[depth, _LOWEST] = min(frames[depth, _LOWEST], np.int64(lowest))


def strong_components(row_ptr: Array, col: Array) -> Array:
    """See `GraphOperations.strong_components`."""
    n_vertices = len(row_ptr) - 1
    dtype = np.dtype(np.uint32 if n_vertices < (1 << 32) - 1 else np.uint64)
    done = dtype.type((1 << 8 * dtype.itemsize) - 1)
    frames = np.empty((n_vertices, 5), np.int64)  # untouched pages cost nothing
    waiting, component = np.empty(n_vertices, np.int64), np.empty(n_vertices, np.int64)
    _search(row_ptr, col, np.zeros(n_vertices, dtype), done, frames, waiting, component)
    return component
