"""Compute min-cost flows; see `HostGraphOperations`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu.decorators import lean_kernel
from debruijn_gpu.backends.graphs.cpu.csr import csr_from_edges, csr_tails

_FAR = np.iinfo(np.int64).max


class Network(NamedTuple):
    """A graph with a flow, as kernels take it.

    Attributes
    ----------
    row_ptr, col : in; the graph
    back_ptr, back : in, int64 (n_vertices + 1,), unsigned (n_edges,); the edges into each vertex
    tails : in, unsigned (n_edges,)
    costs : in, uint8 (n_edges,)
    flow : in and out, int64 (n_edges,)
    excess : in and out, int64 (n_vertices,); see `HostGraphOperations.min_cost_flow`
    potential : in and out, int64 (n_vertices,); no edge, and no edge with flow turned round, has a reduced cost (its
        cost plus the potential of its tail, less that of its head) below 0
    """

    row_ptr: Array
    col: Array
    back_ptr: Array
    back: Array
    tails: Array
    costs: Array
    flow: Array
    excess: Array
    potential: Array


class Queue(NamedTuple):
    """Vertices by distance.

    Attributes
    ----------
    distance : int64 (n_vertices,)
    bucket : int64 (n_vertices + 1,); first vertex at each distance, or -1. No distance is more than the vertices: it
        is the cost of a path less the potential at its end, which is not below 0
    following, previous : int64 (n_vertices,); neighbours in the bucket, or -1
    """

    distance: Array
    bucket: Array
    following: Array
    previous: Array


class Search(NamedTuple):
    """Depth-first search for paths without reduced cost.

    Attributes
    ----------
    level : int64 (n_vertices,); fewest steps to a vertex that lacks something, or `_FAR`: also where no such path is
        left
    next_out, next_back : int64 (n_vertices,); next edge of each vertex to look at, and next place in ``back``
    path : int64 (n_vertices,); vertices from the start to the present one
    steps : int64 (n_vertices,); edge e on which each of these is left, ~e if against its direction
    """

    level: Array
    next_out: Array
    next_back: Array
    path: Array
    steps: Array


@lean_kernel
def _put(queue, vertex, new):
    """Put a vertex into the bucket of its new distance, and take it out of that of the old one."""
    old = queue.distance[vertex]
    if old != _FAR:
        before, after = queue.previous[vertex], queue.following[vertex]
        if before >= 0:
            queue.following[before] = after
        else:
            queue.bucket[old] = after
        if after >= 0:
            queue.previous[after] = before
    first = queue.bucket[new]
    queue.following[vertex], queue.previous[vertex] = first, -1
    if first >= 0:
        queue.previous[first] = vertex
    queue.bucket[new] = vertex
    queue.distance[vertex] = new


@lean_kernel
def _relax(network, queue, v, at):
    """Shorten distances by way of a vertex, which is at a distance for good."""
    for edge in range(network.row_ptr[v], network.row_ptr[v + 1]):
        head = np.int64(network.col[edge])
        new = at + np.int64(network.costs[edge]) + network.potential[v] - network.potential[head]
        if new < queue.distance[head]:
            _put(queue, head, new)
    for i in range(network.back_ptr[v], network.back_ptr[v + 1]):
        edge = network.back[i]
        if network.flow[edge] > 0:
            tail = np.int64(network.tails[edge])
            new = at - np.int64(network.costs[edge]) + network.potential[v] - network.potential[tail]
            if new < queue.distance[tail]:
                _put(queue, tail, new)


@lean_kernel
def _measure(network, queue):
    """Distances, by reduced cost, from the vertices with excess, up to the farthest vertex that lacks some; how far
    that is, -1 if it cannot be reached, 0 if none lacks any. Buckets are empty before and after."""
    distance, bucket = queue.distance, queue.bucket
    n_lacking = 0
    for v in range(distance.size):
        distance[v] = _FAR
        n_lacking += network.excess[v] < 0
    for v in range(distance.size):
        if network.excess[v] > 0:
            _put(queue, v, 0)
    at = 0
    while n_lacking > 0 and at < bucket.size:
        v = bucket[at]
        if v < 0:
            at += 1
            continue
        bucket[at] = queue.following[v]
        if bucket[at] >= 0:
            queue.previous[bucket[at]] = -1
        n_lacking -= network.excess[v] < 0
        _relax(network, queue, v, at)
    for v in range(distance.size):
        if distance[v] != _FAR:
            bucket[distance[v]] = -1
    return at if n_lacking == 0 else -1


@lean_kernel
def _set_level(search, n_queued, vertex, level):
    """Give a vertex a level if it has none, and queue it; how many are queued then."""
    if search.level[vertex] != _FAR:
        return n_queued
    search.level[vertex] = level
    search.path[n_queued] = vertex
    return n_queued + 1


@lean_kernel
def _set_levels(network, search):
    """Search breadth first, and backwards, from the vertices that lack something; the vertices are queued in ``path``.
    Whether one with excess is found."""
    n_queued, is_found = 0, False
    for v in range(network.excess.size):
        search.level[v] = _FAR
        search.next_out[v], search.next_back[v] = network.row_ptr[v], network.back_ptr[v]
    for v in range(network.excess.size):
        if network.excess[v] < 0:
            n_queued = _set_level(search, n_queued, v, 0)
    i = 0
    while i < n_queued:
        v = search.path[i]
        i += 1
        is_found |= network.excess[v] > 0
        level = search.level[v] + 1
        for place in range(network.back_ptr[v], network.back_ptr[v + 1]):
            edge = network.back[place]
            tail = np.int64(network.tails[edge])
            if np.int64(network.costs[edge]) + network.potential[tail] == network.potential[v]:
                n_queued = _set_level(search, n_queued, tail, level)
        for edge in range(network.row_ptr[v], network.row_ptr[v + 1]):
            if network.flow[edge] > 0:  # whose reduced cost is 0
                n_queued = _set_level(search, n_queued, np.int64(network.col[edge]), level)
    return is_found


@lean_kernel
def _next_step(network, search, v):
    """An edge e without reduced cost from a vertex to one of the level below, or ~e from its head to its tail; the
    number of edges if there is none."""
    row_end, back_end, below = network.row_ptr[v + 1], network.back_ptr[v + 1], search.level[v] - 1
    while search.next_out[v] < row_end:
        edge = search.next_out[v]
        head = np.int64(network.col[edge])
        if search.level[head] == below:
            if np.int64(network.costs[edge]) + network.potential[v] == network.potential[head]:
                return edge
        search.next_out[v] += 1
    while search.next_back[v] < back_end:
        edge = np.int64(network.back[search.next_back[v]])
        if network.flow[edge] > 0 and search.level[np.int64(network.tails[edge])] == below:
            return ~edge
        search.next_back[v] += 1
    return np.int64(network.col.size)


@lean_kernel
def _find_path(network, search, start):
    """Search from a vertex for one that lacks something; how many steps lead there, or -1."""
    n_steps = 0
    search.path[0] = start
    while True:
        v = search.path[n_steps]
        if network.excess[v] < 0:
            return n_steps
        step = _next_step(network, search, v) if search.level[v] != _FAR else np.int64(network.col.size)
        if step == network.col.size:
            search.level[v] = _FAR
            n_steps -= 1
            if n_steps < 0:
                return -1
            continue
        search.steps[n_steps] = step
        n_steps += 1
        search.path[n_steps] = np.int64(network.col[step]) if step >= 0 else np.int64(network.tails[~step])


@lean_kernel
def _send(network, search, n_steps):
    """Send along the path as much as can be."""
    start, end = search.path[0], search.path[n_steps]
    amount = min(network.excess[start], -network.excess[end])
    for i in range(n_steps):
        if search.steps[i] < 0:
            amount = min(amount, network.flow[~search.steps[i]])
    for i in range(n_steps):
        step = search.steps[i]
        if step >= 0:
            network.flow[step] += amount
        else:
            network.flow[~step] -= amount
    network.excess[start] -= amount
    network.excess[end] += amount


@lean_kernel
def _raise_potentials(network, distance, farthest):
    """Take distances, of vertices that are farther ``farthest``, for potentials."""
    for v in range(distance.size):
        network.potential[v] += min(distance[v], farthest)


@lean_kernel
def _find_flow(network, queue, search):
    """Find the flow; False if there is no way to some vertex that lacks something."""
    while True:
        farthest = _measure(network, queue)
        if farthest < 0:
            return False
        _raise_potentials(network, queue.distance, farthest)
        n_left = 0
        while _set_levels(network, search):
            n_left = 0
            for v in range(network.excess.size):
                while network.excess[v] > 0:
                    n_steps = _find_path(network, search, v)
                    if n_steps < 0:
                        break
                    _send(network, search, n_steps)
                n_left += network.excess[v] > 0
        if n_left == 0:
            return True


def min_cost_flow(row_ptr: Array, col: Array, costs: Array, excess: Array) -> Array:
    """See `HostGraphOperations.min_cost_flow`."""
    n, n_edges = len(row_ptr) - 1, len(col)
    edges = np.arange(n_edges, dtype=np.uint32 if n_edges <= 1 << 32 else np.uint64)
    back_ptr, back = csr_from_edges(col, edges, n)
    tails, flow, potential = csr_tails(row_ptr, col), np.zeros(n_edges, np.int64), np.zeros(n, np.int64)
    network = Network(row_ptr, col, back_ptr, back, tails, costs, flow, excess.astype(np.int64), potential)
    queue = Queue(np.empty(n, np.int64), np.full(n + 1, -1), np.empty(n, np.int64), np.empty(n, np.int64))
    search = Search(*(np.empty(n, np.int64) for _ in range(5)))
    if not _find_flow(network, queue, search):
        raise ValueError("there is no way to a vertex that lacks something")
    return flow
