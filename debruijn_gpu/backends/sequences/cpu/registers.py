"""Step shift registers, and compute discrete logarithms; see `SequenceOperations`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.intrinsics import copy_items
from debruijn_gpu.backends.core.cpu.scalars import add_elements
from debruijn_gpu.backends.sequences.containers import Recurrence, StepTable, growth
from debruijn_gpu.backends.sequences.cpu.binary_rings import binary_logs, binary_steps
from debruijn_gpu.backends.sequences.cpu.rings import is_binary, is_symbol, multiply, over_rows, small_power
from debruijn_gpu.backends.sequences.cpu.windows import find_slot

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _key(ring, element, base):
    """A number (uint64) that stands for an element: itself to the base q where q^n is at most 2^64."""
    key = np.uint64(0)
    for i in range(element.size):
        key = key * base + np.uint64(element[i])
    return key


@kernel
def _key_base(ring):
    """The base for `_key`, and whether different elements have different keys."""
    most = np.uint64(0xFFFFFFFFFFFFFFFF)
    for _ in range(ring.n):
        most //= np.uint64(ring.q)
    return (np.uint64(ring.q), True) if most else (_SPREAD, False)


@kernel
def _make_steps(ring, base, inverse, n_steps, n_bits):
    """See `HostSequenceOperations.make_steps`; the table has 2^n_bits slots, twice as many as steps or more."""
    keys, exponents = np.zeros(1 << n_bits, np.uint64), np.zeros(1 << n_bits, np.uint32)
    power, wide = np.zeros(ring.n, np.uint32), np.empty(2 * ring.n - 1, np.uint64)
    key_base, _ = _key_base(ring)
    power[0] = 1
    for i in range(n_steps):
        key = _key(ring, power, key_base)
        slot = find_slot(keys, key)
        keys[slot] = key
        exponents[slot] = i
        multiply(ring, power, base, wide, power)
    small_power(ring, inverse, n_steps, wide, power)
    return keys, exponents, power


def make_steps(ring, base, inverse, n_steps):
    """See `HostSequenceOperations.make_steps`."""
    make = binary_steps if is_binary(ring) else _make_steps
    return StepTable(*make(ring, base, inverse, n_steps, (2 * n_steps).bit_length()))


@kernel
def _log(ring, value, inverse, prime, steps, n_steps, wide, scratch):
    """The logarithm to the base of a table (Shanks 1971); -1 if there is none.

    Parameters
    ----------
    value, scratch : in, out, uint32 (n,); both are changed
    inverse : in, uint32 (n,); the inverse of the base
    prime : int64; the order of the base
    steps, n_steps : see `HostSequenceOperations.make_steps`
    wide : scratch as in `multiply`
    """
    key_base, is_exact = _key_base(ring)
    for passed in range(0, prime, n_steps):
        key = _key(ring, value, key_base)
        slot = find_slot(steps.keys, key)
        if steps.keys[slot] == key:
            found = np.int64(steps.exponents[slot])
            if is_exact:
                return passed + found
            small_power(ring, inverse, found, wide, scratch)
            multiply(ring, scratch, value, wide, scratch)
            if is_symbol(scratch, 0, 1):
                return passed + found
        multiply(ring, value, steps.stride, wide, value)
    return np.int64(-1)


@kernel
def _find_logs(ring, values, roots, prime, steps, n_steps):
    """See `HostSequenceOperations.find_logs`."""
    n_digits = roots.shape[0]
    digits, wide = np.empty((values.shape[0], n_digits), np.int64), np.empty(2 * ring.n - 1, np.uint64)
    rest, value, scratch = np.empty(ring.n, np.uint32), np.empty(ring.n, np.uint32), np.empty(ring.n, np.uint32)
    for i in range(values.shape[0]):
        copy_items(values[i], rest)
        for k in range(n_digits):
            copy_items(rest, value)
            for _ in range(n_digits - 1 - k):
                small_power(ring, value, prime, wide, scratch)
                copy_items(scratch, value)
            digit = _log(ring, value, roots[n_digits - 1], prime, steps, n_steps, wide, scratch)
            digits[i, k] = digit
            small_power(ring, roots[k], digit, wide, scratch)
            multiply(ring, rest, scratch, wide, rest)
    return digits


def find_logs(ring, values, roots, prime, steps, n_steps):
    """See `HostSequenceOperations.find_logs`."""
    compute = binary_logs if is_binary(ring) else _find_logs
    find = lambda start, stop: compute(ring, values[start:stop], roots, prime, steps, n_steps)  # noqa: E731
    n_products = len(roots) * (len(roots) + int(prime) // int(n_steps) + 64)
    return over_rows(find, len(values), len(values) * n_products * ring.n)


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
