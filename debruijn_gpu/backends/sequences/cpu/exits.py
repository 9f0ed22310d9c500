"""Walk through de Bruijn graphs by the order of exits; see `HostSequenceOperations`.

A table holds some bits for each vertex. The vertices that a walk can reach in a few steps are neighbours there, hence
in one line of the cache for as many steps as fit: that line is asked for while the walk is still so far from it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import count_ones, nth_one, prefetch
from debruijn_gpu.backends.core.cpu.scalars import below, draw
from debruijn_gpu.backends.core.random_words import random_words

_LINE_BITS = 512  # of the cache
_ZERO, _ONE, _ALL_ONES = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_MOST_IN_A_WORD = 57  # exits that fit into a word as bits, together with the number of one


def _steps_ahead(n_symbols: int, order: int, vertex_bits: int) -> int:
    """Steps after which the vertices that can be reached are still in one line of a table."""
    steps = 0
    while steps < order - 2 and n_symbols ** (steps + 1) * vertex_bits <= _LINE_BITS:
        steps += 1
    return steps


def _log2_ceil(n: int) -> int:
    return (n - 1).bit_length()


@inlined_kernel
def _place(vertex, log, item_log):
    """Item and shift of a vertex's field of 2^log bits in items of 2^item_log bits; a field is at most an item."""
    return vertex >> (item_log - log), (vertex & ((1 << (item_log - log)) - 1)) << log


@lean_kernel
def _walk_prefer_same(n_symbols, order, log, item_log, n_ahead, used, codes):
    """Take the exits of each vertex in turn, beginning with that which repeats its last symbol.

    The symbol that leaves a vertex's word is read from the codes, which saves a division. Where the walk begins, these
    are the word that it begins at, which is also the last one of the round.

    Parameters
    ----------
    n_symbols, order, n_ahead : int64; order at least 2
    log, item_log : int64; see `_place`
    used : in, out, unsigned; a field for each vertex, 0: exits that are used
    codes : out, unsigned (n_symbols ** order,)
    """
    n_codes, length, mask = codes.size, order - 1, (1 << (1 << log)) - 1
    n_vertices = n_codes // n_symbols
    n_near = n_symbols**n_ahead  # vertices that are n_ahead steps away
    n_far = n_vertices // n_near
    vertex, symbol = 0, 0
    codes[0] = 0
    for place in range(1, length):
        codes[n_codes - place] = place % n_symbols
    for place in range(length):
        vertex = vertex * n_symbols + (length - 1 - place) % n_symbols
    rest = vertex % n_far  # the word less its first n_ahead symbols
    for i in range(1, n_codes):
        item, shift = _place(vertex, log, item_log)
        word = np.int64(used[np.uint64(item)])
        n_used = (word >> shift) & mask
        used[np.uint64(item)] = word ^ ((n_used ^ ((n_used + 1) & mask)) << shift)
        symbol += n_used
        symbol -= n_symbols if symbol >= n_symbols else 0
        codes[np.uint64(i)] = symbol
        leaving, leaving_rest = i - length, i - length + n_ahead
        leaving += n_codes if leaving < 0 else 0
        leaving_rest += n_codes if leaving_rest < 0 else 0
        vertex = vertex * n_symbols + symbol - n_vertices * np.int64(codes[np.uint64(leaving)])
        rest = rest * n_symbols + symbol - n_far * np.int64(codes[np.uint64(leaving_rest)])
        item, _ = _place(rest * n_near, log, item_log)
        prefetch(used, np.uint64(item))


def walk_prefer_same(n_symbols: int, order: int, codes: NDArray[Any]) -> None:
    """See `HostSequenceOperations.walk_prefer_same`."""
    if order == 1:
        codes[:] = np.arange(n_symbols)
        return
    n_vertices, item_log = n_symbols ** (order - 1), _log2_ceil(8 * codes.itemsize)
    log = _log2_ceil(_log2_ceil(n_symbols)) if item_log == 3 else item_log
    used = np.zeros(-(-(n_vertices << log) >> item_log), codes.dtype)
    _walk_prefer_same(n_symbols, order, log, item_log, _steps_ahead(n_symbols, order, 1 << log), used, codes)


def _exit_table(n_symbols: int, n_vertices: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Room for the exits of each vertex, 0, and how it is laid out.

    A vertex has the number of its last exit, and a bit for each exit that is not used yet, the last one's being 0.
    Both are in one field of a word, the bits above the number, or the number in a word and the bits in those after it.

    Returns
    -------
    table : ndarray, dtype=uint64
    layout : ndarray, dtype=int64, shape=(5,)
        Logarithm of the bits of a field; words from one vertex to the next, if not several are in one; words of bits;
        the first of these, counted from the number's; the lowest bit of them.
    """
    if n_symbols > _MOST_IN_A_WORD:
        n_words = -(-n_symbols // 64)
        return np.zeros(n_vertices * (1 + n_words), np.uint64), np.array([6, 1 + n_words, n_words, 1, 0])
    n_bits = _log2_ceil(n_symbols)
    log = _log2_ceil(n_symbols + n_bits)
    return np.zeros(-(-(n_vertices << log) >> 6), np.uint64), np.array([log, 1, 1, 0, n_bits])


@inlined_kernel
def _first_word(vertex, log, stride):
    """Word and shift (uint64) of a vertex in the table of `_exit_table`."""
    item, shift = _place(vertex, log, 6)
    return np.uint64(item * stride), np.uint64(shift)


@inlined_kernel
def _next_vertex(vertex, symbol, n_symbols, n_vertices):
    shifted = vertex * n_symbols
    if n_vertices & (n_vertices - 1) == 0:
        return (shifted & (n_vertices - 1)) + symbol
    return shifted % n_vertices + symbol


@inlined_kernel
def _mark_exits(table, first, n_words, shift, n_symbols, symbol):
    """Set the bits of all exits but one."""
    for i in range(n_words):
        n_bits = min(n_symbols - 64 * i, 64)
        bits = _ALL_ONES >> np.uint64(64 - n_bits)
        if symbol >> 6 == i:
            bits ^= _ONE << np.uint64(symbol & 63)
        table[first + np.uint64(i)] |= bits << shift


@lean_kernel
def _grow_tree(n_symbols, n_vertices, key, layout, table):
    """A random spanning tree of last exits to vertex 0: from each vertex that is not in it, walk at random until the
    tree is reached. Of each vertex, the exit that was taken last leads along the walk without its loops.

    Parameters
    ----------
    n_symbols, n_vertices : int64
    key : uint64; see `core.scalars.draw`
    layout, table : see `_exit_table`; table is in, out: set are the last exits of all vertices but 0, where that takes
        the place of the one that is taken first, and the bits of the others. Vertices without bits are not in the tree
    """
    log, stride, n_words, lead, low = layout[0], layout[1], layout[2], np.uint64(layout[3]), np.uint64(layout[4])
    bits_mask = _ALL_ONES >> np.uint64(64 - min(64, n_symbols))
    number_mask = (_ONE << low) - _ONE if low else _ALL_ONES
    bound, step = np.uint64(n_symbols), _ZERO
    _mark_exits(table, lead, n_words, low, n_symbols, 0)
    for start in range(1, n_vertices):
        for is_marking in range(2):
            vertex = start
            while True:
                first, shift = _first_word(vertex, log, stride)
                if (table[first + lead] >> (shift + low)) & bits_mask:
                    break
                word = table[first]
                number = (word >> shift) & number_mask
                if is_marking:
                    _mark_exits(table, first + lead, n_words, shift + low, n_symbols, np.int64(number))
                else:
                    symbol = below(draw(key, step), bound)
                    step += _ONE
                    table[first] = word ^ ((number ^ symbol) << shift)
                    number = symbol
                vertex = _next_vertex(vertex, np.int64(number), n_symbols, n_vertices)


@lean_kernel
def _walk_tree(n_symbols, order, key, layout, n_ahead, table, codes):
    """Take the exits of each vertex in random order, but the last one in the end.

    Parameters
    ----------
    n_symbols, order, n_ahead : int64; order at least 2
    key : uint64; see `core.scalars.draw`
    layout, table : see `_exit_table`; table is in, out
    codes : out, unsigned (n_symbols ** order,)
    """
    log, stride, n_words, lead, low = layout[0], layout[1], layout[2], np.uint64(layout[3]), np.uint64(layout[4])
    bits_mask = _ALL_ONES >> np.uint64(64 - min(64, n_symbols))
    number_mask = (_ONE << low) - _ONE if low else _ALL_ONES
    half = _ONE
    while half * np.uint64(2) < np.uint64(min(64, n_symbols)):
        half *= np.uint64(2)
    n_vertices = codes.size // n_symbols
    n_near = n_symbols**n_ahead
    n_far = n_vertices // n_near
    codes[:order] = 0
    vertex, rest = 0, 0
    for i in range(order, codes.size):
        first, shift = _first_word(vertex, log, stride)
        number = (table[first] >> shift) & number_mask
        first, shift = first + lead, shift + low
        n_left = _ZERO
        for at in range(n_words):
            n_left += count_ones((table[first + np.uint64(at)] >> shift) & bits_mask)
        chosen = below(draw(key, np.uint64(i)), n_left)
        at, bits = _ZERO, (table[first] >> shift) & bits_mask
        if n_words > 1:
            while chosen >= count_ones(bits) and n_left:
                chosen -= count_ones(bits)
                at += _ONE
                bits = table[first + at]
        place = nth_one(bits, chosen, half)
        table[first + at] &= ~(_ONE << (place + shift)) if n_left else _ALL_ONES
        symbol = np.int64((at << np.uint64(6)) + place if n_left else number)
        codes[np.uint64(i)] = symbol
        leaving = np.uint64(i - (order - 1))
        vertex = vertex * n_symbols + symbol - n_vertices * np.int64(codes[leaving])
        rest = rest * n_symbols + symbol - n_far * np.int64(codes[leaving + np.uint64(n_ahead)])
        first, _ = _first_word(rest * n_near, log, stride)
        prefetch(table, first)


def walk_at_random(n_symbols: int, order: int, seed: int, codes: NDArray[Any]) -> None:
    """See `HostSequenceOperations.walk_at_random`."""
    tree_key, order_key = random_words(seed, "random sequence", 2)
    n_vertices = n_symbols ** (order - 1)
    table, layout = _exit_table(n_symbols, n_vertices)
    vertex_bits = int(layout[1]) << int(layout[0])
    _grow_tree(n_symbols, n_vertices, tree_key, layout, table)
    _walk_tree(n_symbols, order, order_key, layout, _steps_ahead(n_symbols, order, vertex_bits), table, codes)
