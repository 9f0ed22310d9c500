"""Format graphs and walks as text: vertices in order, then their names."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import prefetch
from debruijn_gpu.backends.text.cpu.graph_names import ask_for_name
from debruijn_gpu.backends.text.cpu.number_printing import count_digits, put_digits
from debruijn_gpu.run import log

_MOST_DIGITS = 20
_AHEAD = 16  # names whose place is asked for before it is needed
_LAST, _ARROW, _COMMA, _ALONE = range(4)
_U0, _U1 = np.uint64(0), np.uint64(1)


@lean_kernel
def _row_words(row_ptr, col, start, stop, words, behind):
    """Rows start..stop of a graph as words (out, uint64) and what stands behind each (out, uint8)."""
    n = 0
    for row in range(start, stop):
        first, end = row_ptr[row], row_ptr[row + 1]
        words[n] = np.uint64(row)
        behind[n] = _ARROW if first < end else _ALONE
        n += 1
        for i in range(first, end):
            words[n] = np.uint64(col[i])
            behind[n] = _COMMA
            n += 1
        if first < end:
            behind[n - 1] = _LAST


def row_words(row_ptr, col, start, stop):
    """See `TextOperations.row_words`."""
    n = stop - start + int(row_ptr[stop] - row_ptr[start])
    words, behind = np.empty(n, np.uint64), np.empty(n, np.uint8)
    _row_words(*_plain(row_ptr, col), start, stop, words, behind)
    return words, behind


def _plain(*arrays):
    """Arrays as kernels want them: each of one type, so that there is one compilation."""
    return tuple(np.require(array, array.dtype, "CW") for array in arrays)


@lean_kernel
def _tail(row_ptr, edge):
    """Vertex that an edge leaves: the last row that begins at it or before (binary search)."""
    low, high = 0, row_ptr.size - 1
    while high - low > 1:
        middle = (low + high) >> 1
        if row_ptr[middle] <= edge:
            low = middle
        else:
            high = middle
    return low


@lean_kernel
def _walk_words(row_ptr, col, offsets, steps, walk, start, stop, words, behind):
    """Write the vertices (uint64) along steps start..stop and the separator (uint8) behind each; return their number.

    Step ``start`` is on walk ``walk``.
    """
    n = 0
    for i in range(start, stop):
        while offsets[walk + 1] <= i:
            walk += 1
        if offsets[walk] == i:
            words[n] = np.uint64(_tail(row_ptr, np.int64(steps[i])))
            behind[n] = _ARROW
            n += 1
        words[n] = np.uint64(col[np.uint64(steps[i])])
        behind[n] = _LAST if offsets[walk + 1] == i + 1 else _ARROW
        n += 1
    return n


def walk_words(row_ptr, col, offsets, steps, start, stop):
    """See `TextOperations.walk_words`."""
    first, last = np.searchsorted(offsets, [start, stop - 1], "right") - 1
    room = stop - start + int(last - first) + 1
    words, behind = np.empty(room, np.uint64), np.empty(room, np.uint8)
    n = _walk_words(*_plain(row_ptr, col, offsets, steps), int(first), start, stop, words, behind)
    return words[:n], behind[:n]


def _concatenated(separators):
    """Separators one after another: bytes and offsets."""
    offsets = np.cumsum([0, *map(len, separators)], dtype=np.int64)
    return np.array(bytearray(b"".join(separators)), np.uint8), offsets


@lean_kernel
def _put(text, at, source, start, end):
    for i in range(start, end):
        text[at] = source[i]
        at += 1
    return at


@lean_kernel
def _concatenate_numbers(numbers, behind, separators, bounds, text):
    """Numbers (in, uint64), each with the separator that stands behind it, as text (out, uint8); its length."""
    at = 0
    for i in range(numbers.size):
        value = numbers[i]
        at = put_digits(text, at, value, count_digits(value) if value else 1)
        at = _put(text, at, separators, bounds[behind[i]], bounds[behind[i] + 1])
    return at


def concatenate_numbers(numbers, behind, separators):
    """See `TextOperations.concatenate_numbers`."""
    with log.cpu_time("print"):
        numbers = np.ascontiguousarray(numbers, np.uint64)
        text = np.empty(len(numbers) * (_MOST_DIGITS + max(map(len, separators))), np.uint8)
        return text[: _concatenate_numbers(numbers, behind, *_concatenated(separators), text)]


@lean_kernel
def _concatenated_length(offsets, chosen, behind, bounds):
    """Bytes that `_concatenate_names` writes."""
    n = 0
    for i in range(chosen.size):
        if i + _AHEAD < chosen.size:
            prefetch(offsets, chosen[i + _AHEAD])
        n += offsets[chosen[i] + _U1] - offsets[chosen[i]] + bounds[behind[i] + 1] - bounds[behind[i]]
    return n


@lean_kernel
def _concatenate_names(offsets, letters, chosen, behind, separators, bounds, text):
    """Chosen names (in, uint64), each with the separator that stands behind it, as text (out, uint8)."""
    at = 0
    for i in range(chosen.size):
        ask_for_name(offsets, letters, chosen, i)
        at = _put(text, at, letters, offsets[chosen[i]], offsets[chosen[i] + _U1])
        at = _put(text, at, separators, bounds[behind[i]], bounds[behind[i] + 1])


def concatenate_names(offsets, letters, chosen, behind, separators):
    """See `TextOperations.concatenate_names`."""
    with log.cpu_time("print"):
        offsets, letters = _plain(offsets, letters)
        chosen = np.ascontiguousarray(chosen, np.uint64)
        separator_text, bounds = _concatenated(separators)
        text = np.empty(_concatenated_length(offsets, chosen, behind, bounds), np.uint8)
        _concatenate_names(offsets, letters, chosen, behind, separator_text, bounds, text)
    return text
