"""Columns of numbers from text.

Digits are taken eight at a time. An integer of up to 18 digits, which nearly all are, is stored at once; anything else
takes the long way round. A column is of integers until a number says otherwise: then the kernel stops before the
record, the column is converted, and the kernel goes on.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu import log
from debruijn_gpu.backends.cpu.jit import inlined_kernel, lean_kernel
from debruijn_gpu.backends.cpu.number_words import (
    ALIEN,
    COMMA,
    HASH,
    HUGE,
    INTEGER,
    LARGE,
    MINUS,
    NEWLINE,
    UNSURE,
    ends_word,
    read_digits,
    read_number,
    skip_blanks,
)
from debruijn_gpu.backends.cpu.swar import find_newline
from debruijn_gpu.backends.number_interface import NumberFault, NumberKind, ParsedNumbers

_SIGNED, _UNSIGNED, _DOUBLE = map(int, NumberKind)

# Fields of the kernels' state
_POSITION, _N_ROWS, _N_LINES, _STATUS, _COLUMN, _START, _END, _N_UNSURE = range(8)
_N_FIELDS = 8
# Fields of what was seen in a column; the last two are lines
_SAW_NEGATIVE, _SAW_FRACTION, _LARGE_LINE, _HUGE_LINE = range(4)

# Why the kernel stops
_GOING, _CONVERT, _FULL, _NOT_A_NUMBER, _RAGGED = range(5)

_MOST_UNSURE = 1024  # at once; Python parses them

_U0, _W63 = np.uint64(0), np.uint64(63)


def parse_numbers(text, n_columns):
    """Parse lines of numbers; see `number_interface.NumberBackend.parse_numbers`."""
    text = np.require(text, np.uint8, "CW")  # one type only, so one compilation only
    with log.cpu_time("parse"):
        bits = np.empty((n_columns, _count_newlines(text) + 1), np.uint64)
        kinds, seen = np.zeros(n_columns, np.int64), np.zeros((n_columns, 4), np.int64)
        seen[:, _LARGE_LINE:] = -1
        unsure = np.empty((max(_MOST_UNSURE, n_columns), 4), np.int64)
        state = np.zeros(_N_FIELDS, np.int64)
        state[_STATUS] = _FULL
        while state[_STATUS] in (_FULL, _CONVERT):
            _scan_numbers(text, bits, kinds, seen, unsure, state)
            _parse_unsure(text, bits, unsure, state)
            if state[_STATUS] == _CONVERT:
                column = state[_COLUMN]
                _to_doubles(bits[column, : state[_N_ROWS]], kinds[column])
                kinds[column] = _DOUBLE
    return ParsedNumbers(
        bits=bits[:, : state[_N_ROWS]],
        kinds=tuple(NumberKind(int(kind)) for kind in kinds),
        negative=seen[:, _SAW_NEGATIVE] != 0,
        fractional=seen[:, _SAW_FRACTION] != 0,
        large_line=seen[:, _LARGE_LINE],
        huge_line=seen[:, _HUGE_LINE],
        n_lines=int(state[_N_LINES]),
        fault=_fault(text, state),
    )


def _to_doubles(bits, kind):
    """Turn integers into doubles where they are."""
    bits.view(np.float64)[:] = bits.view(np.uint64 if kind == _UNSIGNED else np.int64)


def _parse_unsure(text, bits, unsure, state):
    """Let Python parse the floats that the kernel was not sure about; they are in whole records."""
    doubles = bits.view(np.float64)
    for row, column, start, end in unsure[: state[_N_UNSURE]]:
        doubles[column, row] = float(text[start:end].tobytes())
    state[_N_UNSURE] = 0


def _fault(text, state):
    if state[_STATUS] == _GOING:
        return None
    word = text[state[_START] : state[_END]].tobytes() if state[_STATUS] == _NOT_A_NUMBER else None
    return NumberFault(line=int(state[_N_LINES]), word=word, start=int(state[_POSITION]))


@lean_kernel
def _count_newlines(text):
    n = 0
    for byte in text:
        n += byte == NEWLINE
    return n


@lean_kernel
def _note_seen(seen, column, what, bits, line):
    """Remember what the dtype of a column depends on."""
    if what == INTEGER:
        seen[column, _SAW_NEGATIVE] |= np.int64(bits >> _W63)
    elif what == LARGE:
        if seen[column, _LARGE_LINE] < 0:
            seen[column, _LARGE_LINE] = line
    elif what == HUGE:
        if seen[column, _HUGE_LINE] < 0:
            seen[column, _HUGE_LINE] = line
    else:
        seen[column, _SAW_FRACTION] = 1


@lean_kernel
def _fits(kinds, seen, column, what):
    """Whether a number can be stored in its column as that is."""
    if kinds[column] == _DOUBLE:
        return True
    if what != INTEGER and what != LARGE:
        return False
    return seen[column, _SAW_NEGATIVE] == 0 or seen[column, _LARGE_LINE] < 0


@lean_kernel
def _take_word(text, at, row, column, bits, kinds, seen, unsure, state):
    """Store any number in its column; returns the position after it, and leaves a status in `state`."""
    what, end, word = read_number(text, at)
    if what == ALIEN:
        state[_STATUS], state[_START], state[_END] = _NOT_A_NUMBER, at, end
        return end
    _note_seen(seen, column, what, word, state[_N_LINES])
    if not _fits(kinds, seen, column, what):
        state[_STATUS], state[_COLUMN] = _CONVERT, column
        return end
    if what == LARGE and kinds[column] != _DOUBLE:
        kinds[column] = _UNSIGNED
    if kinds[column] == _DOUBLE and what == INTEGER:
        word = np.float64(np.int64(word)).view(np.uint64)
    elif kinds[column] == _DOUBLE and what == LARGE:
        word = np.float64(word).view(np.uint64)
    elif what in (HUGE, UNSURE):
        n_unsure = state[_N_UNSURE]
        unsure[n_unsure, 0], unsure[n_unsure, 1], unsure[n_unsure, 2], unsure[n_unsure, 3] = row, column, at, end
        state[_N_UNSURE] += 1
    bits[column, row] = word
    return end


@inlined_kernel
def _next_word(text, at):
    """Go past what separates columns: the position after it, and whether the line ends there."""
    at = skip_blanks(text, at)
    if at < text.size and text[at] == COMMA:
        return skip_blanks(text, at + 1), False
    return at, at >= text.size or text[at] == NEWLINE


@inlined_kernel
def _take_record(text, at, row, bits, kinds, seen, unsure, state):
    """Store the numbers of the line at `at`; returns the position after it, and leaves a status in `state`."""
    n_columns = bits.shape[0]
    for column in range(n_columns):
        negative = at < text.size and text[at] == MINUS
        magnitude, end = read_digits(text, at + negative)
        n_digits = end - at - negative
        if kinds[column] == _SIGNED and 0 < n_digits <= 18 and ends_word(text, end):
            sign = np.uint64(negative)
            bits[column, row] = (magnitude ^ (_U0 - sign)) + sign
            seen[column, _SAW_NEGATIVE] |= np.int64(sign if magnitude else _U0)
        else:
            end = _take_word(text, at, row, column, bits, kinds, seen, unsure, state)
            if state[_STATUS] != _GOING:
                return end
        at, ends = _next_word(text, end)
        if ends != (column == n_columns - 1):
            state[_STATUS] = _RAGGED
            return at
    return at


@lean_kernel
def _scan_numbers(text, bits, kinds, seen, unsure, state):
    """Parse the records from ``state[_POSITION]`` on.

    Parameters
    ----------
    text : in, uint8, shape (n_bytes,)
    bits : inout, uint64, shape (n_columns, as many as lines)
    kinds : inout, int64, shape (n_columns,); NumberKind of each column
    seen : inout, int64, shape (n_columns, 4); what occurs in it
    unsure : out, int64, shape (n, 4); row, column, start and end of numbers left to Python
    state : inout, int64, shape (_N_FIELDS,)
    """
    state[_STATUS] = _GOING
    at = state[_POSITION]
    while True:
        at = skip_blanks(text, at)
        if at >= text.size:
            break
        if text[at] != NEWLINE and text[at] != HASH:
            if state[_N_UNSURE] + bits.shape[0] > unsure.shape[0]:
                state[_STATUS] = _FULL
                return
            n_unsure = state[_N_UNSURE]
            at = _take_record(text, at, state[_N_ROWS], bits, kinds, seen, unsure, state)
            if state[_STATUS] != _GOING:
                state[_N_UNSURE] = n_unsure
                return
            state[_N_ROWS] += 1
        at = find_newline(text, at) + 1
        state[_N_LINES] += 1
        state[_POSITION] = at
