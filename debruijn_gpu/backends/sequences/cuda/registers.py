"""Generate sequences of linear feedback shift registers; see `SequenceOperations`.

The host makes the first part, until a row is long enough for the threads. Each thread does one column: what it reads it
has written itself, or an earlier launch has, and the rows that are read stay in the L2 cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign, concatenated
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import SIMULATED, cuda, device_function, kernel, launch, to_device, xp
from debruijn_gpu.backends.core.cuda.scalars import add_elements
from debruijn_gpu.backends.sequences.containers import Recurrence, growth

#: Words and symbols of a row: at least that of the host's part, and at most.
_LEAST = 2 if SIMULATED else 1 << 10
_MOST_WORDS = 8 if SIMULATED else 1 << 16
_MOST_SYMBOLS = 16 if SIMULATED else 1 << 21
_UNROLLED = 4


@device_function
def _next_word(words, i, a, b, c, d):
    """The word at i from those a, b and, unless c is 0, c and d words before."""
    word = words[i - a] ^ words[i - b]
    if c != 0:
        word ^= words[i - c] ^ words[i - d]
    return word


@kernel
def _extend_bits(begin, end, unit, a, b, c, d, words):
    """Rows of words, one thread per column.

    Parameters
    ----------
    begin, end, unit : int64; the words to be made, and how many a row has
    a, b, c, d : int64; lags in words, falling; c and d are 0 where there are two
    words : in, out, uint64
    """
    is_far = (b if c == 0 else d) >= _UNROLLED * unit
    for column in range(cuda.grid(1), unit, cuda.gridsize(1)):
        i = begin + column
        if is_far:  # no word depends on the three rows before it: so many reads go on at once
            while i + 3 * unit < end:
                first = _next_word(words, i, a, b, c, d)
                second = _next_word(words, i + unit, a, b, c, d)
                third = _next_word(words, i + 2 * unit, a, b, c, d)
                fourth = _next_word(words, i + 3 * unit, a, b, c, d)
                words[i] = first
                words[i + unit] = second
                words[i + 2 * unit] = third
                words[i + 3 * unit] = fourth
                i += 4 * unit
        while i < end:
            words[i] = _next_word(words, i, a, b, c, d)
            i += unit


@kernel
def _extend_by_steps(begin, end, unit, lags, steps, q, out):
    """Rows of symbols, one thread per column.

    Parameters
    ----------
    begin, end, unit : int64; as in `_extend_bits`
    lags : in, int64 (n_lags,); in rows
    steps : in, uint8 (n_lags - 1, q * q); see `Recurrence`
    q : int64
    out : in, out, uint8
    """
    for column in range(cuda.grid(1), unit, cuda.gridsize(1)):
        for i in range(begin + column, end, unit):
            a, b = np.int64(out[i - lags[0] * unit]), np.int64(out[i - lags[1] * unit])
            value = np.int64(steps[0, a * q + b])
            for t in range(2, lags.size):
                value = np.int64(steps[t - 1, value * q + np.int64(out[i - lags[t] * unit])])
            out[i] = value


@kernel
def _extend_by_products(begin, end, unit, lags, products, p, out):
    """As `_extend_by_steps`, by products (in, uint16 (n_lags, q)); p int64; out uint16."""
    q = np.int64(products.shape[1])
    for column in range(cuda.grid(1), unit, cuda.gridsize(1)):
        for i in range(begin + column, end, unit):
            value = np.int64(0)
            for t in range(lags.size):
                product = np.int64(products[t, out[i - lags[t] * unit]])
                value = add_elements(value, product, p, q)
            out[i] = value


@kernel
def _mask_ends(first_mask, last_mask, out):
    """The first and last item (unsigned) and their masks, of the same type. One thread."""
    if cuda.grid(1) == 0:
        out[0] &= first_mask
        out[out.size - 1] &= last_mask


def _host() -> Any:
    """The same on the CPU, whose kernels take long to import."""
    from debruijn_gpu.backends.sequences.cpu import registers

    return registers


def _first_rows(recurrence: Recurrence) -> int:
    """The length of a row (a power of q) of the host's part."""
    unit = 1
    while unit < _LEAST:
        unit *= recurrence.q
    return unit


@guarded
def register_bits(recurrence: Recurrence, state: NDArray[np.uint8], n: int, is_cleared: bool) -> Array:
    """See `SequenceOperations.register_bits`."""
    words, unit = xp.empty(-(-n // 64), np.uint64), _first_rows(recurrence)
    known = min(words.size, recurrence.n * unit)
    assign(words[:known], to_device(_host().register_bits(recurrence, state, 64 * known, False).view(np.uint64)))
    lags = (*recurrence.lags, 0, 0)[:4]
    for row, begin, end in growth(known, unit, 2, _MOST_WORDS, words.size):
        bounds = np.int64(begin), np.int64(end), np.int64(row)
        launch(_extend_bits, row, *bounds, *(np.int64(lag * row) for lag in lags), words)
    packed = words.view(np.uint8)[: -(-n // 8)]
    last = 0xFF00 >> ((n - 1) % 8 + 1) & 0xFF
    launch(_mask_ends, 1, np.uint8(0x7F if is_cleared else 0xFF), np.uint8(last), packed)
    return packed


@guarded
def register_symbols(recurrence: Recurrence, state: NDArray[Any], n: int, is_cleared: bool) -> Array:
    """See `SequenceOperations.register_symbols`."""
    out, unit = xp.empty(n, recurrence.dtype), _first_rows(recurrence)
    known = min(n, recurrence.n * unit)
    assign(out[:known], to_device(_host().register_symbols(recurrence, state, known, is_cleared=False)))
    lags = to_device(np.array(recurrence.lags, np.int64))
    by_steps = recurrence.steps.size > 0
    table = to_device(recurrence.steps if by_steps else recurrence.products)
    extend = _extend_by_steps if by_steps else _extend_by_products
    base = np.int64(recurrence.q if by_steps else recurrence.p)
    for row, begin, end in growth(known, unit, recurrence.q, _MOST_SYMBOLS, n):
        launch(extend, row, np.int64(begin), np.int64(end), np.int64(row), lags, table, base, out)
    if is_cleared:
        zero, all_ones = recurrence.dtype.type(0), ~recurrence.dtype.type(0)
        launch(_mask_ends, 1, zero, all_ones, out)
    return out


@kernel
def _combine(first, first_start, second, second_start, n_second, table, out):
    """Combine two cyclic arrays of symbols. One thread per symbol.

    Parameters
    ----------
    first, second : in, unsigned
    first_start, second_start : int64; below their sizes
    n_second : int64
    table : in, unsigned
    out : out, as table
    """
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        a, b = first_start + i, second_start + i
        if a >= first.size:
            a %= first.size
        if b >= second.size:
            b %= second.size
        out[i] = table[np.int64(first[a]) * n_second + np.int64(second[b])]


@guarded
def combine_symbols(
    first: Array, first_start: int, second: Array, second_start: int, n: int, n_second: int, table: NDArray[Any]
) -> Array:
    """See `SequenceOperations.combine_symbols`."""
    out = xp.empty(n, table.dtype)
    starts = np.int64(first_start), np.int64(second_start)
    launch(_combine, n, first, starts[0], second, starts[1], np.int64(n_second), to_device(table), out)
    return out


concatenate_symbols = guarded(concatenated)
