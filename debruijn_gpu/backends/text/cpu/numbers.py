"""Parse columns of numbers from text.

Digits are taken eight at a time. An integer of up to 18 digits, which nearly all are, is stored at once; anything else
takes the long way round. A column is of integers until a number is not one: then the kernel stops before the
record, the column is converted, and the kernel continues.
"""

from __future__ import annotations

import math

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.scalars import find_newline
from debruijn_gpu.backends.text.containers import NumberFault, NumberKind, ParsedNumbers
from debruijn_gpu.backends.text.cpu.number_printing import MOST_BYTES
from debruijn_gpu.backends.text.cpu.number_spelling import is_printed_double, is_printed_integer, keep_lines
from debruijn_gpu.backends.text.cpu.number_words import (
    ALIEN,
    FRACTIONAL,
    HASH,
    HUGE,
    INTEGER,
    LARGE,
    MINUS,
    MOST_EXACT,
    NEWLINE,
    RETURN,
    UNSURE,
    ZERO,
    ends_word,
    is_exact_double,
    is_mark,
    read_digits,
    read_number,
    skip_blanks,
)
from debruijn_gpu.run import log

_SIGNED, _UNSIGNED, _DOUBLE = map(int, NumberKind)

# Fields of the kernels' state
_POSITION, _N_ROWS, _N_LINES, _STATUS, _COLUMN, _START, _END, _N_UNSURE, _IS_KEPT = range(9)
_N_FIELDS = 9
# Fields of what was seen in a column; the last three are lines
_SAW_NEGATIVE, _SAW_FRACTION, _LARGE_LINE, _HUGE_LINE, _INEXACT_LINE = range(5)
_N_SEEN = 5

# Why the kernel stops
_GOING, _CONVERT, _FULL, _NOT_A_NUMBER, _RAGGED, _TOO_LARGE = range(6)

_MOST_UNSURE = 1024  # at once; Python parses them
_MOST_DIGITS = 400  # of an integer that a double may be equal to

_U0, _W63 = np.uint64(0), np.uint64(63)


def parse_numbers(text, n_columns, separator=b""):
    """Parse lines of numbers; see `TextOperations.parse_numbers`."""
    text = np.require(text, np.uint8, "CW")  # one type only, so one compilation only
    with log.cpu_time("parse"):
        # a record that is not whole has a place, too
        n_rows = min(_count_newlines(text), text.size // (2 * n_columns)) + 1
        bits = np.empty((n_columns, n_rows), np.uint64)
        kinds, seen = np.zeros(n_columns, np.int64), np.zeros((n_columns, _N_SEEN), np.int64)
        seen[:, _LARGE_LINE:] = -1
        unsure = np.empty((max(_MOST_UNSURE, n_columns), 5), np.int64)
        kept = np.zeros(n_rows, np.bool_)
        spelling = np.uint8(ord(separator) if separator else 0), np.empty(MOST_BYTES, np.uint8), kept
        state = np.zeros(_N_FIELDS, np.int64)
        state[_STATUS] = _FULL
        while state[_STATUS] in (_FULL, _CONVERT):
            _scan_numbers(text, (bits, kinds, seen), unsure, *spelling, state)
            _parse_unsure(text, bits, seen, unsure, kept, state)
            if state[_STATUS] == _CONVERT:
                column = state[_COLUMN]
                _to_doubles(bits[column, : state[_N_ROWS]], kinds[column])
                kinds[column] = _DOUBLE
                kept[: state[_N_ROWS]] = True  # a float is written otherwise than an integer
        lines, places = keep_lines(text, kept[: state[_N_ROWS]] & bool(separator))
    return ParsedNumbers(
        bits=bits[:, : state[_N_ROWS]],
        kinds=tuple(NumberKind(int(kind)) for kind in kinds),
        negative=seen[:, _SAW_NEGATIVE] != 0,
        fractional=seen[:, _SAW_FRACTION] != 0,
        large_line=seen[:, _LARGE_LINE],
        huge_line=seen[:, _HUGE_LINE],
        inexact_line=seen[:, _INEXACT_LINE],
        lines=lines,
        places=places,
        n_lines=int(state[_N_LINES]),
        fault=_fault(text, state),
    )


def _to_doubles(bits, kind):
    """Turn integers into doubles where they are."""
    bits.view(np.float64)[:] = bits.view(np.uint64 if kind == _UNSIGNED else np.int64)


def _parse_unsure(text, bits, seen, unsure, kept, state):
    """Let Python parse the floats that the kernel was not sure about; they are in whole records."""
    doubles = bits.view(np.float64)
    for row, column, start, end, line in unsure[: state[_N_UNSURE]]:
        word = text[start:end].tobytes().decode()
        number = float(word)
        if math.isinf(number):  # what is spelled so is sure
            state[_STATUS], state[_START], state[_END], state[_N_LINES] = _TOO_LARGE, start, end, line
            return
        if seen[column, _INEXACT_LINE] < 0 and _is_inexact_integer(word, number):
            seen[column, _INEXACT_LINE] = line
        doubles[column, row] = number
        kept[row] |= repr(number) != word
    state[_N_UNSURE] = 0


def _is_inexact_integer(word, number):
    """Whether a word is an integer and not equal to the float that it was parsed as."""
    digits = word.lstrip("+-0")
    return digits.isdigit() and (len(digits) > _MOST_DIGITS or int(digits) != abs(number))


def _fault(text, state):
    if state[_STATUS] == _GOING:
        return None
    is_too_large = bool(state[_STATUS] == _TOO_LARGE)
    if is_too_large:  # the kernel has gone further
        state[_POSITION] = text[: state[_START]].tobytes().rfind(b"\n") + 1
    word = text[state[_START] : state[_END]].tobytes() if is_too_large or state[_STATUS] == _NOT_A_NUMBER else None
    return NumberFault(int(state[_N_LINES]), word, int(state[_POSITION]), is_too_large)


@lean_kernel
def _count_newlines(text):
    n = 0
    for byte in text:
        n += byte == NEWLINE
    return n


@lean_kernel
def _note_size(seen, column, magnitude, line):
    """Note an integer that no double is equal to."""
    if seen[column, _INEXACT_LINE] < 0 and not is_exact_double(magnitude):
        seen[column, _INEXACT_LINE] = line


@lean_kernel
def _note_seen(seen, column, what, bits, line):
    """Note what the dtype of a column depends on."""
    if what == INTEGER:
        negative = bits >> _W63
        seen[column, _SAW_NEGATIVE] |= np.int64(negative)
        _note_size(seen, column, _U0 - bits if negative else bits, line)
    elif what == LARGE:
        _note_size(seen, column, bits, line)
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
def _take_word(text, at, row, column, columns, unsure, separator, room, state):
    """Store any number in its column; returns the position after it, and leaves a status in `state`."""
    bits, kinds, seen = columns
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
    if separator:
        if kinds[column] == _DOUBLE:
            is_printed = what == FRACTIONAL and is_printed_double(text, at, end, word, room)
            state[_IS_KEPT] |= not (is_printed or what == UNSURE)
        else:
            state[_IS_KEPT] |= not is_printed_integer(text, at, end)
    if kinds[column] == _DOUBLE and what == INTEGER:
        word = np.float64(np.int64(word)).view(np.uint64)
    elif kinds[column] == _DOUBLE and what == LARGE:
        word = np.float64(word).view(np.uint64)
    elif what in (HUGE, UNSURE):
        n_unsure = state[_N_UNSURE]
        unsure[n_unsure, 0], unsure[n_unsure, 1], unsure[n_unsure, 2], unsure[n_unsure, 3] = row, column, at, end
        unsure[n_unsure, 4] = state[_N_LINES]
        state[_N_UNSURE] += 1
    bits[column, row] = word
    return end


@inlined_kernel
def _next_word(text, at):
    """Go past what separates columns: the position after it, and whether the line ends there."""
    at = skip_blanks(text, at)
    if is_mark(text, at):
        return skip_blanks(text, at + 1), False
    return at, at >= text.size or text[at] == NEWLINE


@inlined_kernel
def _take_record(text, at, row, columns, unsure, separator, room, kept, state):
    """Store the numbers of the line at `at`; returns the position after it, and leaves a status in `state`."""
    bits, kinds, seen = columns
    n_columns = bits.shape[0]
    is_kept = at > state[_POSITION]  # blanks come first
    state[_IS_KEPT] = 0
    for column in range(n_columns):
        negative = at < text.size and text[at] == MINUS
        magnitude, end = read_digits(text, at + negative)
        n_digits = end - at - negative
        if kinds[column] == _SIGNED and 0 < n_digits <= 18 and ends_word(text, end):
            sign = np.uint64(negative)
            bits[column, row] = (magnitude ^ (_U0 - sign)) + sign
            seen[column, _SAW_NEGATIVE] |= np.int64(sign if magnitude else _U0)
            is_kept |= text[at + negative] == ZERO and (n_digits > 1 or negative)
            if magnitude > MOST_EXACT:
                _note_size(seen, column, magnitude, state[_N_LINES])
        else:
            end = _take_word(text, at, row, column, columns, unsure, separator, room, state)
            if state[_STATUS] != _GOING:
                return end
        at, ends = _next_word(text, end)
        if ends != (column == n_columns - 1):
            state[_STATUS] = _RAGGED
            return at
        if ends:
            is_kept |= at > end and not (at == end + 1 and text[end] == RETURN)
        else:
            is_kept |= at != end + 1 or text[end] != separator
    kept[row] = is_kept or state[_IS_KEPT] != 0
    return at


@lean_kernel
def _scan_numbers(text, columns, unsure, separator, room, kept, state):
    """Parse the records from ``state[_POSITION]`` on.

    Parameters
    ----------
    text : in, uint8, shape (n_bytes,)
    columns : inout; bits, uint64, shape (n_columns, as many as lines), kinds, int64, shape (n_columns,), NumberKind of
        each column, and seen, int64, shape (n_columns, _N_SEEN), what occurs in it
    unsure : out, int64, shape (n, 5); row, column, start, end and line of numbers left to Python
    separator : uint8; 0 where it does not matter how records are written
    room : scratch, uint8, shape (MOST_BYTES,)
    kept : out, bool, shape (as many as lines,); whether a record would be written otherwise
    state : inout, int64, shape (_N_FIELDS,)
    """
    state[_STATUS] = _GOING
    at = state[_POSITION]
    while True:
        at = skip_blanks(text, at)
        if at >= text.size:
            break
        if text[at] != NEWLINE and text[at] != HASH:
            if state[_N_UNSURE] + columns[0].shape[0] > unsure.shape[0]:
                state[_STATUS] = _FULL
                return
            n_unsure = state[_N_UNSURE]
            at = _take_record(text, at, state[_N_ROWS], columns, unsure, separator, room, kept, state)
            if state[_STATUS] != _GOING:
                state[_N_UNSURE] = n_unsure
                return
            state[_N_ROWS] += 1
        at = find_newline(text, at) + 1
        state[_N_LINES] += 1
        state[_POSITION] = at
