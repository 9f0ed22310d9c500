"""Generate graphs from a few numbers; see `GraphOperations`."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, to_device, xp
from debruijn_gpu.backends.core.cuda.scalars import below, draw, permute
from debruijn_gpu.backends.core.random_words import random_words
from debruijn_gpu.backends.graphs.cuda.csr import csr_tails
from debruijn_gpu.backends.graphs.protocol import Cactus, Permutation, random_permutation

_ONE = np.uint64(1)


def _on_device(order: Permutation) -> tuple[Any, Any, Array]:
    """The arguments of `core.scalars.permute`."""
    return order.n, order.n_bits, to_device(order.keys)


@kernel
def _permute(n, n_bits, keys, out):
    """A permutation of 0..n-1. One thread per number.

    Parameters
    ----------
    n, n_bits : uint64
    keys : in, uint64 (8,); see `core.scalars.permute`
    out : out, unsigned (n,)
    """
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = permute(np.uint64(i), n, n_bits, keys)


@guarded
def permutation(n: int, seed: int) -> Array:
    """See `GraphOperations.permutation`."""
    out = xp.empty(n, id_dtype(n))
    if n:
        launch(_permute, n, *_on_device(random_permutation(n, seed, "permutation")), out)
    return out


@kernel
def _draw(least, n_values, key, out):
    """Random integers. One thread each.

    Parameters
    ----------
    least, n_values : uint64; the least integer, and how many different ones there are
    key : uint64; see `core.scalars.draw`
    out : out, any integers (n,)
    """
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = least + below(draw(key, np.uint64(i)), n_values)


@guarded
def random_degrees(n_vertices: int, least: int, most: int, seed: int) -> Array:
    """See `GraphOperations.random_degrees`."""
    degrees = xp.empty(n_vertices, np.int32)
    launch(_draw, n_vertices, np.uint64(least), np.uint64(most - least + 1), random_words(seed, "degrees")[0], degrees)
    return degrees


@guarded
def random_heads(n_edges: int, n_vertices: int, seed: int) -> Array:
    """See `GraphOperations.random_heads`."""
    heads = xp.empty(n_edges, id_dtype(n_vertices))
    launch(_draw, n_edges, np.uint64(0), np.uint64(n_vertices), random_words(seed, "heads")[0], heads)
    return heads


@kernel
def _write_cycle(extra_ptr, n, n_bits, keys, row_ptr, col):
    """Write the Hamiltonian cycle through vertices in the order of a permutation. One thread per place in it.

    Parameters
    ----------
    extra_ptr : in, int64 (n + 1,)
    n, n_bits : uint64
    keys : in, uint64 (8,); see `core.scalars.permute`
    row_ptr : out, int64 (n + 1,)
    col : out, unsigned (extra_ptr[n] + n,); the first edge of each row
    """
    for i in range(cuda.grid(1), row_ptr.size, cuda.gridsize(1)):
        place = np.uint64(i)
        if place == n:
            row_ptr[i] = extra_ptr[i] + i
        else:
            following = place + _ONE
            if following == n:
                following = np.uint64(0)
            vertex = np.int64(permute(place, n, n_bits, keys))
            at = extra_ptr[vertex] + vertex
            row_ptr[vertex] = at
            col[at] = permute(following, n, n_bits, keys)


@kernel
def _write_shuffled(extra_ptr, extra_tails, n, n_bits, keys, col):
    """The other edges of each row: the tails of the others in the order of a permutation. One thread per vertex.

    Neighbouring threads write neighbouring rows, so that the cache gathers their writes.

    Parameters
    ----------
    extra_ptr : in, int64 (n_vertices + 1,)
    extra_tails : in, unsigned (n,); tail of each other edge
    n, n_bits : uint64
    keys : in, uint64 (8,); see `core.scalars.permute`
    col : out, unsigned (n + n_vertices,); all but the first edge of each row
    """
    for vertex in range(cuda.grid(1), extra_ptr.size - 1, cuda.gridsize(1)):
        for i in range(extra_ptr[vertex], extra_ptr[vertex + 1]):
            col[i + vertex + 1] = extra_tails[permute(np.uint64(i), n, n_bits, keys)]


@guarded
def cycle_and_shuffle(extra_ptr: Array, seed: int) -> tuple[Array, Array]:
    """See `GraphOperations.cycle_and_shuffle`."""
    extra_ptr = contiguous(extra_ptr)
    n_vertices, n_extra = extra_ptr.size - 1, int(extra_ptr[-1])
    row_ptr, col = xp.empty(n_vertices + 1, np.int64), xp.empty(n_extra + n_vertices, id_dtype(n_vertices))
    cycle = random_permutation(n_vertices, seed, "ring")
    launch(_write_cycle, n_vertices + 1, extra_ptr, *_on_device(cycle), row_ptr, col)
    if n_extra:
        tails = csr_tails(extra_ptr, col[:n_extra])
        order = random_permutation(n_extra, seed, "shuffle")
        launch(_write_shuffled, n_vertices, extra_ptr, tails, *_on_device(order), col)
    return row_ptr, col


@device_function
def _cycle_begin(cycle, tree, key):
    """First edge of a cycle; see `Cactus`. All uint64, ``tree`` as in `_write_cycles`."""
    if cycle == np.uint64(0):
        return cycle
    own_size = tree[2] + _ONE if cycle < tree[3] else tree[2]
    return cycle * tree[2] + min(cycle, tree[3]) + below(draw(key, cycle), own_size - _ONE)


@device_function
def _cell_of(edge, tree):
    """Cell of an edge (uint64); see `Cactus`."""
    in_longer = tree[3] * (tree[2] + _ONE)
    if edge < in_longer:
        return edge // (tree[2] + _ONE)
    return tree[3] + (edge - in_longer) // tree[2]


@kernel
def _write_cycles(tree, keys, n, n_bits, order, tails, heads):
    """Write the edges of a cactus graph. One thread per edge.

    Parameters
    ----------
    tree : in, uint64 (4,): edges, cycles, edges of a cell, cells with one more; see `Cactus`
    keys : in, uint64 (2,), for the beginnings of cycles and for the vertices where they meet
    n, n_bits : uint64
    order : in, uint64 (8,); see `core.scalars.permute`; of the vertices
    tails, heads : out, unsigned (n_edges,)
    """
    for i in range(cuda.grid(1), tails.size, cuda.gridsize(1)):
        edge = np.uint64(i)
        cycle = _cell_of(edge, tree)
        begin = _cycle_begin(cycle, tree, keys[0])
        if edge < begin:
            cycle -= _ONE
            begin = _cycle_begin(cycle, tree, keys[0])
        end = tree[0]
        if cycle + _ONE < tree[1]:
            end = _cycle_begin(cycle + _ONE, tree, keys[0])
        tail, head = edge - cycle, edge + _ONE - cycle
        if edge == begin or edge + _ONE == end:
            first = np.uint64(0)
            if cycle != np.uint64(0):
                first = below(draw(keys[1], cycle), begin + _ONE - cycle)
            if edge == begin:
                tail = first
            else:
                head = first
        tails[i] = permute(tail, n, n_bits, order)
        heads[i] = permute(head, n, n_bits, order)


@guarded
def cactus_edges(tree: Cactus, seed: int) -> tuple[Array, Array]:
    """See `GraphOperations.cactus_edges`."""
    dtype = id_dtype(tree.n_vertices)
    tails, heads = xp.empty(tree.n_edges, dtype), xp.empty(tree.n_edges, dtype)
    order = random_permutation(tree.n_vertices, seed, "rings")
    keys = to_device(random_words(seed, "ring tree", 2))
    numbers = to_device(np.array([tree.n_edges, tree.n_cycles, *tree.cells], np.uint64))
    launch(_write_cycles, tree.n_edges, numbers, keys, *_on_device(order), tails, heads)
    return tails, heads


@kernel
def _write_de_bruijn(n_letters, row_ptr, col):
    """A de Bruijn graph. One thread per edge, and one per row.

    Parameters
    ----------
    n_letters : int64
    row_ptr : out, int64 (n_vertices + 1,)
    col : out, unsigned (n_vertices * n_letters,)
    """
    n_vertices = row_ptr.size - 1
    for vertex in range(cuda.grid(1), row_ptr.size, cuda.gridsize(1)):
        row_ptr[vertex] = vertex * n_letters
    for edge in range(cuda.grid(1), col.size, cuda.gridsize(1)):
        col[edge] = edge % n_vertices


@guarded
def de_bruijn_edges(n_letters: int, n_vertices: int) -> tuple[Array, Array]:
    """See `GraphOperations.de_bruijn_edges`."""
    row_ptr = xp.empty(n_vertices + 1, np.int64)
    col = xp.empty(n_vertices * n_letters, id_dtype(n_vertices))
    launch(_write_de_bruijn, max(col.size, row_ptr.size), np.int64(n_letters), row_ptr, col)
    return row_ptr, col
