"""Weak components and Euler walks of a graph in compressed sparse rows."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.cpu.jit import kernel


@kernel
def _root(parent, v):
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@kernel
def weak_components(row_ptr, col):
    """Smallest vertex of each vertex's component; see `Backend.weak_components`."""
    n_vertices = len(row_ptr) - 1
    parent = np.arange(n_vertices)
    for tail in range(n_vertices):
        for edge in range(row_ptr[tail], row_ptr[tail + 1]):
            a, b = _root(parent, tail), _root(parent, np.int64(col[edge]))
            if a < b:
                parent[b] = a
            elif b < a:
                parent[a] = b
    for v in range(n_vertices):  # parents are smaller, so they are final already
        parent[v] = parent[parent[v]]
    return parent


@kernel
def spanning_forest(row_ptr, col):
    """Edges that connect what smaller ones leave apart; see `Backend.spanning_forest`."""
    n_vertices = len(row_ptr) - 1
    parent = np.arange(n_vertices)
    forest = np.empty(min(len(col), n_vertices), np.int64)
    n_found = 0
    for tail in range(n_vertices):
        for edge in range(row_ptr[tail], row_ptr[tail + 1]):
            a, b = _root(parent, tail), _root(parent, np.int64(col[edge]))
            if a != b:
                parent[max(a, b)] = min(a, b)
                forest[n_found] = edge
                n_found += 1
    return forest[:n_found]


@kernel
def hierholzer(row_ptr, col, starts, offsets, steps):
    """One Euler walk from each start; see `Backend.hierholzer`.

    The stack of edges not yet closed grows from the left end of the walk's own room in ``steps``, the walk
    from its right end; together they never hold more than the component's edges.
    """
    next_edge = row_ptr[:-1].copy()
    for walk in range(len(starts)):
        first, closed = offsets[walk], offsets[walk + 1]
        top = first
        v = np.int64(starts[walk])
        while True:
            edge = next_edge[v]
            if edge < row_ptr[v + 1]:
                next_edge[v] += 1
                steps[top] = edge
                top += 1
                v = np.int64(col[edge])
                continue
            if top == first:
                break
            top -= 1
            closed -= 1
            steps[closed] = steps[top]
            v = np.int64(col[steps[top - 1]]) if top > first else np.int64(starts[walk])
