"""Generate graphs from a few numbers; see `GraphOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import below, draw, permute
from debruijn_gpu.backends.core.random_words import random_words
from debruijn_gpu.backends.graphs.cpu.csr import csr_tails
from debruijn_gpu.backends.graphs.protocol import Cactus, random_permutation

_ONE = np.uint64(1)
_BLOCK = 256  # numbers that are permuted before memory is read: with nothing between them, many reads go on at once


@kernel
def _permute(start, stop, n, n_bits, keys, out):
    """Where a permutation takes start..stop: to out (unsigned, (n,)), at these positions."""
    for i in range(start, stop):
        out[i] = permute(np.uint64(i), n, n_bits, keys)


def permutation(n: int, seed: int) -> Array:
    """See `GraphOperations.permutation`."""
    out = np.empty(n, id_dtype(n))
    if n:
        order = random_permutation(n, seed, "permutation")
        threads.over_ranges(n, lambda start, stop: _permute(start, stop, order.n, order.n_bits, order.keys, out))
    return out


@kernel
def _draw(start, stop, least, n_values, key, out):
    """Random integers from least (uint64) on, one of n_values (uint64): to out (n,), at start..stop."""
    for i in range(start, stop):
        out[i] = least + below(draw(key, np.uint64(i)), n_values)


def random_degrees(n_vertices: int, least: int, most: int, seed: int) -> Array:
    """See `GraphOperations.random_degrees`."""
    degrees = np.empty(n_vertices, np.int32)
    bounds = np.uint64(least), np.uint64(most - least + 1)
    (key,) = random_words(seed, "degrees")
    threads.over_ranges(n_vertices, lambda start, stop: _draw(start, stop, *bounds, key, degrees))
    return degrees


def random_heads(n_edges: int, n_vertices: int, seed: int) -> Array:
    """See `GraphOperations.random_heads`."""
    heads = np.empty(n_edges, id_dtype(n_vertices))
    (key,) = random_words(seed, "heads")
    threads.over_ranges(
        n_edges, lambda start, stop: _draw(start, stop, np.uint64(0), np.uint64(n_vertices), key, heads)
    )
    return heads


@kernel
def _write_cycle(start, stop, row_ptr, n, n_bits, keys, col):
    """Write places start..stop of the Hamiltonian cycle in the order of a permutation.

    Parameters
    ----------
    start, stop : int64
    row_ptr : in, int64 (n + 1,)
    n, n_bits, keys : see `core.scalars.permute`
    col : out, unsigned; the first edge of each row
    """
    vertices, places = np.empty(_BLOCK + 1, np.uint64), np.empty(_BLOCK, np.int64)
    for first in range(start, stop, _BLOCK):
        size = min(_BLOCK, stop - first)
        for i in range(size + 1):
            place = np.uint64(first + i)
            vertices[i] = permute(place if place < n else np.uint64(0), n, n_bits, keys)
        for i in range(size):
            places[i] = row_ptr[vertices[i]]
        for i in range(size):
            col[places[i]] = vertices[i + 1]


@kernel
def _write_shuffled(start, stop, extra_ptr, extra_tails, n, n_bits, keys, col):
    """The others, start..stop of them: their tails in the order of a permutation.

    Parameters
    ----------
    start, stop : int64
    extra_ptr : in, int64 (n_vertices + 1,)
    extra_tails : in, unsigned (n,); tail of each other edge
    n, n_bits, keys : see `core.scalars.permute`
    col : out, unsigned (n + n_vertices,); all but the first edge of each row
    """
    vertex = np.searchsorted(extra_ptr, start, side="right") - 1
    heads = np.empty(_BLOCK, np.uint64)
    for first in range(start, stop, _BLOCK):
        size = min(_BLOCK, stop - first)
        for i in range(size):
            heads[i] = permute(np.uint64(first + i), n, n_bits, keys)
        for i in range(size):
            heads[i] = extra_tails[heads[i]]
        for i in range(size):
            while extra_ptr[vertex + 1] <= first + i:
                vertex += 1
            col[first + i + vertex + 1] = heads[i]


def cycle_and_shuffle(extra_ptr: Array, seed: int) -> tuple[Array, Array]:
    """See `GraphOperations.cycle_and_shuffle`."""
    n_vertices, n_extra = len(extra_ptr) - 1, int(extra_ptr[-1])
    row_ptr, col = extra_ptr + np.arange(n_vertices + 1), np.empty(n_extra + n_vertices, id_dtype(n_vertices))
    cycle = random_permutation(n_vertices, seed, "ring")

    def write_cycle(start: int, stop: int) -> None:
        _write_cycle(start, stop, row_ptr, cycle.n, cycle.n_bits, cycle.keys, col)

    threads.over_ranges(n_vertices, write_cycle)
    if n_extra:
        order = random_permutation(n_extra, seed, "shuffle")
        tails = csr_tails(extra_ptr, col[:n_extra])

        def write_shuffled(start: int, stop: int) -> None:
            _write_shuffled(start, stop, extra_ptr, tails, order.n, order.n_bits, order.keys, col)

        threads.over_ranges(n_extra, write_shuffled)
    return row_ptr, col


@kernel
def _cycle_begin(cycle, size, n_longer, key):
    """First edge of a cycle; see `Cactus`. All uint64: ``size`` edges a cell, one more in the first ``n_longer``."""
    if cycle == np.uint64(0):
        return cycle
    own_size = size + _ONE if cycle < n_longer else size
    return cycle * size + min(cycle, n_longer) + below(draw(key, cycle), own_size - _ONE)


@kernel
def _write_cycles(start, stop, tree, keys, n, n_bits, order, tails, heads):
    """Write cycles start..stop of a cactus graph.

    Parameters
    ----------
    start, stop : int64
    tree : uint64 (4,): edges, cycles, edges of a cell, cells with one more; see `Cactus`
    keys : uint64 (2,), for the beginnings of cycles and for the vertices where they meet
    n, n_bits, order : see `core.scalars.permute`; of the vertices
    tails, heads : out, unsigned (n_edges,)
    """
    n_edges, n_cycles, size, n_longer = tree[0], tree[1], tree[2], tree[3]
    begin = _cycle_begin(np.uint64(start), size, n_longer, keys[0])
    for r in range(start, stop):
        cycle = np.uint64(r)
        end = _cycle_begin(cycle + _ONE, size, n_longer, keys[0]) if cycle + _ONE < n_cycles else n_edges
        n_before = begin + _ONE - cycle  # vertices; the first of cycle 0 is new, too
        first = below(draw(keys[1], cycle), n_before) if cycle else np.uint64(0)
        first = permute(first, n, n_bits, order)
        tail = first
        for edge in range(begin, end - _ONE):
            head = permute(np.uint64(edge) + _ONE - cycle, n, n_bits, order)
            tails[edge] = tail
            heads[edge] = head
            tail = head
        tails[end - _ONE] = tail
        heads[end - _ONE] = first
        begin = end


def cactus_edges(tree: Cactus, seed: int) -> tuple[Array, Array]:
    """See `GraphOperations.cactus_edges`."""
    dtype = id_dtype(tree.n_vertices)
    tails, heads = np.empty(tree.n_edges, dtype), np.empty(tree.n_edges, dtype)
    order = random_permutation(tree.n_vertices, seed, "rings")
    keys = random_words(seed, "ring tree", 2)
    numbers = np.array([tree.n_edges, tree.n_cycles, *tree.cells], np.uint64)

    def write(start: int, stop: int) -> None:
        _write_cycles(start, stop, numbers, keys, order.n, order.n_bits, order.keys, tails, heads)

    threads.over_ranges(tree.n_cycles, write, work=tree.n_edges)
    return tails, heads


@kernel
def _write_de_bruijn(start, stop, n_letters, row_ptr, col):
    """Rows start..stop of a de Bruijn graph: row_ptr (out, int64 (n_vertices,)), col (out, unsigned (n_edges,))."""
    n_vertices = row_ptr.size - 1
    for vertex in range(start, stop):
        row_ptr[vertex] = vertex * n_letters
        head = (vertex * n_letters) % n_vertices
        for letter in range(n_letters):
            col[vertex * n_letters + letter] = head + min(letter, n_vertices - 1)  # a single vertex has loops alone


def de_bruijn_edges(n_letters: int, n_vertices: int) -> tuple[Array, Array]:
    """See `GraphOperations.de_bruijn_edges`."""
    row_ptr = np.empty(n_vertices + 1, np.int64)
    col = np.empty(n_vertices * n_letters, id_dtype(n_vertices))
    row_ptr[n_vertices] = len(col)
    write = lambda start, stop: _write_de_bruijn(start, stop, n_letters, row_ptr, col)  # noqa: E731
    threads.over_ranges(n_vertices, write, work=n_vertices + len(col))
    return row_ptr, col
