"""Generate sequences of linear feedback shift registers; see `SequenceOperations`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import add_elements
from debruijn_gpu.backends.sequences.containers import Recurrence, growth

#: Bytes of the rows on which the next one depends: they stay in the cache of a core.
_ROWS_BYTES = 1 << 19


@kernel
def _first_symbols(state, lags, products, p, out):
    """Symbol after symbol.

    Parameters
    ----------
    state : in, uint8 or uint16 (n,)
    lags : in, int64 (n_lags,)
    products : in, uint16 (n_lags, q)
    p : int64
    out : out, as state
    """
    for i in range(min(state.size, out.size)):
        out[i] = state[i]
    q = products.shape[1]
    for i in range(state.size, out.size):
        value = np.int64(0)
        for t in range(lags.size):
            value = add_elements(value, np.int64(products[t, out[i - lags[t]]]), p, q)
        out[i] = value


def _first(recurrence: Recurrence, state: NDArray[Any], n: int) -> NDArray[Any]:
    """The first n symbols."""
    out = np.empty(n, recurrence.dtype)
    _first_symbols(state.astype(recurrence.dtype), *_arrays(recurrence), recurrence.p, out)
    return out


def _arrays(recurrence: Recurrence) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    return np.array(recurrence.lags, np.int64), recurrence.products


@kernel
def _extend_bits(first, last, unit, begin, end, lags, words):
    """Columns first..last of all rows that are missing, in words begin..end.

    Parameters
    ----------
    first, last, unit : int64; columns, of all that a row has
    begin, end : int64; ``begin`` is the first of a row
    lags : in, int64 (2,) or (4,); in rows
    words : in, out, uint64
    """
    for row in range(begin + first, end, unit):
        size = min(last - first, end - row)
        out = words[row : row + size]
        a, b = row - lags[0] * unit, row - lags[1] * unit
        one, other = words[a : a + size], words[b : b + size]
        if lags.size == 2:
            for i in range(size):
                out[i] = one[i] ^ other[i]
        else:
            c, d = row - lags[2] * unit, row - lags[3] * unit
            third, fourth = words[c : c + size], words[d : d + size]
            for i in range(size):
                out[i] = one[i] ^ other[i] ^ third[i] ^ fourth[i]


@kernel
def _extend_by_steps(first, last, unit, begin, end, lags, steps, q, out):
    """As `_extend_bits`, for symbols (out, uint8) by a table (``steps``, uint8, see `Recurrence`; q uint32)."""
    for row in range(begin + first, end, unit):
        size = min(last - first, end - row)
        new, others = out[row : row + size], out[row - lags[0] * unit : row - lags[0] * unit + size]
        for t in range(1, lags.size):
            begin_t = row - lags[t] * unit
            symbols, table = out[begin_t : begin_t + size], steps[t - 1]
            for i in range(size):
                new[i] = table[np.uint32(others[i]) * q + np.uint32(symbols[i])]
            others = new


@kernel
def _extend_by_products(first, last, unit, begin, end, lags, products, p, out):
    """As `_extend_bits`, for symbols (out, uint16) by products (uint16 (n_lags, q)); p int64."""
    q = products.shape[1]
    for row in range(begin + first, end, unit):
        size = min(last - first, end - row)
        new = out[row : row + size]
        new[:] = np.uint16(0)
        for t in range(lags.size):
            begin_t = row - lags[t] * unit
            symbols, multiples = out[begin_t : begin_t + size], products[t]
            for i in range(size):
                new[i] = add_elements(np.int64(new[i]), np.int64(multiples[symbols[i]]), p, q)


def _extend(extend: Any, n: int, q: int, out: NDArray[Any], *args: Any) -> None:
    """Fill an array whose first n items are there. ``extend`` does the columns of a range, of rows of items given in
    number, from one item to another."""
    for unit, begin, end in growth(n, 1, q, _ROWS_BYTES // out.itemsize // n, out.size):
        whole = partial(_of_columns, extend, unit, begin, end, *args, out)
        threads.over_ranges(unit, whole, 1, work=(end - begin) * out.itemsize)


def _of_columns(extend: Any, unit: int, begin: int, end: int, *args: Any) -> None:
    """``extend`` with columns as the last arguments."""
    *arrays, first, last = args
    extend(first, last, unit, begin, end, *arrays)


def register_bits(recurrence: Recurrence, state: NDArray[np.uint8], n: int, is_cleared: bool) -> Array:
    """See `SequenceOperations.register_bits`."""
    words = np.empty(-(-n // 64), np.uint64)
    start = np.packbits(_first(recurrence, state, 64 * recurrence.n)).view(np.uint64)[: words.size]
    words[: start.size] = start
    _extend(_extend_bits, recurrence.n, 2, words, np.array(recurrence.lags, np.int64))
    packed = words.view(np.uint8)[: -(-n // 8)]
    packed[-1] &= 0xFF00 >> ((n - 1) % 8 + 1) & 0xFF
    if is_cleared:
        packed[0] &= 0x7F
    return packed


def register_symbols(recurrence: Recurrence, state: NDArray[Any], n: int, is_cleared: bool) -> Array:
    """See `SequenceOperations.register_symbols`."""
    out = np.empty(n, recurrence.dtype)
    start = _first(recurrence, state, min(n, recurrence.n))
    out[: start.size] = start
    lags, products = _arrays(recurrence)
    if recurrence.steps.size:
        _extend(_extend_by_steps, recurrence.n, recurrence.q, out, lags, recurrence.steps, np.uint32(recurrence.q))
    else:
        _extend(_extend_by_products, recurrence.n, recurrence.q, out, lags, products, recurrence.p)
    if is_cleared:
        out[0] = 0
    return out


@kernel
def _combine(start, stop, first, first_start, second, second_start, n_second, table, out):
    """The places start..stop (int64) of `SequenceOperations.combine_symbols`, to out."""
    a, b = (first_start + start) % first.size, (second_start + start) % second.size
    at = start
    while at < stop:
        size = min(stop - at, first.size - a, second.size - b)
        segment, one, other = out[at : at + size], first[a : a + size], second[b : b + size]
        for i in range(size):
            segment[i] = table[np.uint32(one[i]) * n_second + np.uint32(other[i])]
        at, a, b = at + size, a + size, b + size
        a = 0 if a == first.size else a
        b = 0 if b == second.size else b


def combine_symbols(
    first: Array, first_start: int, second: Array, second_start: int, n: int, n_second: int, table: NDArray[Any]
) -> Array:
    """See `SequenceOperations.combine_symbols`."""
    out, count = np.empty(n, table.dtype), np.uint32(n_second)

    def combine(start: int, stop: int) -> None:
        _combine(start, stop, first, first_start, second, second_start, count, table, out)

    threads.over_ranges(n, combine, 1)
    return out


def concatenate_symbols(first: Array, second: Array) -> Array:
    """See `SequenceOperations.concatenate_symbols`."""
    return np.concatenate((first, second))
