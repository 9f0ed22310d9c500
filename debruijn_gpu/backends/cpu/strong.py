"""Strongly connected components."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cpu.jit import kernel


@kernel
def _name_component(root, waiting, n_waiting, low, done, component):
    """Take the component of its root from the stack of waiting vertices and name it; how many are left there."""
    start = n_waiting - 1
    smallest = waiting[start]
    while waiting[start] != root:
        start -= 1
        smallest = min(smallest, waiting[start])
    for i in range(start, n_waiting):
        low[waiting[i]] = done
        component[waiting[i]] = smallest
    return start


@kernel
def _search(row_ptr, col, low, done, path, next_edge, number, waiting, component):
    """Depth-first search from each vertex (Tarjan 1972), without recursion.

    Parameters
    ----------
    row_ptr : in, int64 (n_vertices + 1,)
    col : in, uint32 or uint64 (n_edges,)
    low : in and out, uint32 or uint64 (n_vertices,); 0 for vertices not seen yet, ``done`` where the component is
        known, else the least number known to be reachable of those that wait
    done : as low; more than any number
    path : scratch, int64 (n_vertices,); vertices from the start of the search to the present one
    next_edge : scratch, int64 (n_vertices,); the next edge of each vertex of the path
    number : scratch, as low (n_vertices,); the number of each vertex of the path, in the order of discovery
    waiting : scratch, int64 (n_vertices,); vertices that are seen and have no component yet
    component : out, int64 (n_vertices,)
    """
    n_seen, n_waiting = 0, 0
    for start in range(low.size):
        if low[start] != 0:
            continue
        depth, vertex = -1, start
        while True:
            if low[vertex] == 0:
                n_seen += 1
                depth += 1
                low[vertex] = n_seen
                number[depth] = n_seen
                path[depth] = vertex
                next_edge[depth] = row_ptr[vertex]
                waiting[n_waiting] = vertex
                n_waiting += 1
            edge, end = next_edge[depth], row_ptr[vertex + 1]
            lowest = low[vertex]
            while edge < end and low[col[edge]] != 0:
                lowest = min(lowest, low[col[edge]])
                edge += 1
            low[vertex] = lowest
            if edge < end:
                next_edge[depth] = edge + 1
                vertex = np.int64(col[edge])
                continue
            if lowest == number[depth]:
                n_waiting = _name_component(vertex, waiting, n_waiting, low, done, component)
            depth -= 1
            if depth < 0:
                break
            vertex = path[depth]
            low[vertex] = min(low[vertex], lowest)
    return n_seen


def strong_components(row_ptr: Array, col: Array) -> Array:
    """See `ComponentBackend.strong_components`."""
    n_vertices = len(row_ptr) - 1
    dtype = np.dtype(np.uint32 if n_vertices < (1 << 32) - 1 else np.uint64)
    low, number = np.zeros(n_vertices, dtype), np.empty(n_vertices, dtype)
    path, next_edge, waiting, component = (np.empty(n_vertices, np.int64) for _ in range(4))
    done = dtype.type((1 << 8 * dtype.itemsize) - 1)
    _search(row_ptr, col, low, done, path, next_edge, number, waiting, component)
    return component
