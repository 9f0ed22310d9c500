"""Parse graphs from lines of names, or of numbers, which is faster."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.text.containers import NameRows, NumberRows, RowFault, RowFaultKind
from debruijn_gpu.backends.text.cpu.graph_names import hash_name
from debruijn_gpu.backends.text.cpu.graph_scanning import (
    CLASSES,
    COLUMN,
    LINE,
    MARK,
    NEWLINE,
    ODD,
    after_name,
    name_end,
    next_record,
    skip_blanks,
)
from debruijn_gpu.backends.text.cpu.number_words import ALIEN, HUGE, INTEGER, LARGE, UNSURE, read_digits, read_number
from debruijn_gpu.run import log
from debruijn_gpu.run.hash_seed import hash_seed

_ZERO = np.uint8(ord("0"))
_MOST_DIGITS = 18
_MOST_EXACT = 1 << 53  # up to here floats hold all integers

# Fields of what the kernels tell: lines and names with content, floats left to Python, and a fault
_N_ROWS, _N_WORDS, _N_UNSURE, _FAULT, _POSITION = range(5)

_NONE, _NO_NAME, _ALIEN_BYTE, _NO_MARK, _SECOND_MARK, _COLUMNS, _NO_WEIGHT = map(int, list(RowFaultKind)[:7])


def parse_number_rows(text, row_format):
    """See `TextOperations.parse_number_rows`."""
    text = np.require(text, np.uint8, "CW")  # one type only, so one compilation only
    with log.cpu_time("parse"):
        told = np.zeros(5, np.int64)
        n_lines, n_words = _bounds(text, row_format)
        tails, row_ends = np.empty(n_lines, np.int64), np.empty(n_lines, np.int64)
        heads = np.empty(n_words, np.int64)
        weights, unsure = _weight_arrays(n_lines, row_format)
        _scan_numbers(
            text, CLASSES[row_format.separator], row_format.n_columns, tails, row_ends, heads, weights, unsure, told
        )
        if told[_FAULT] != _NONE:
            return None
        n_rows, n_heads = told[_N_ROWS], told[_N_WORDS]
        if _parse_unsure(text, weights, unsure[: told[_N_UNSURE]]) is not None:
            return None
    return NumberRows(tails[:n_rows], row_ends[:n_rows], heads[:n_heads], weights[: n_heads if len(weights) else 0])


def parse_name_rows(text, row_format):
    """See `TextOperations.parse_name_rows`."""
    text = np.require(text, np.uint8, "CW")
    with log.cpu_time("parse"):
        told = np.zeros(5, np.int64)
        n_lines, n_words = _bounds(text, row_format)
        starts, ends = np.empty(n_words, np.int64), np.empty(n_words, np.int64)
        hashes, firsts = np.empty(n_words, np.uint64), np.empty(n_lines, np.int64)
        weights, unsure = _weight_arrays(n_lines, row_format)
        names = (starts, ends, hashes, np.uint64(hash_seed()))
        _scan_names(text, CLASSES[row_format.separator], row_format.n_columns, names, firsts, weights, unsure, told)
        n_rows, n = told[_N_ROWS], told[_N_WORDS]
        fault = _parse_unsure(text, weights, unsure[: told[_N_UNSURE]])
    if fault is None and told[_FAULT] != _NONE:  # which comes after all weights
        fault = RowFault(RowFaultKind(int(told[_FAULT])), int(told[_POSITION]))
    weights = weights[: n_rows if len(weights) else 0]
    return NameRows(starts[:n], ends[:n], hashes[:n], firsts[:n_rows], weights, fault)


def _bounds(text, row_format):
    """Most lines and most words that a text can hold; what is not used of arrays of that size costs nothing."""
    n_lines = np.count_nonzero(text == ord("\n")) + 1
    return n_lines, min(n_lines * row_format.n_columns, len(text) + 2) if row_format.n_columns else len(text) // 2 + 2


def _weight_arrays(n_lines, row_format):
    """Room for weights, and for row, start and end of those that are left to Python."""
    n = n_lines if row_format.n_columns == 3 else 0
    return np.empty(n, np.float64), np.empty((n, 3), np.int64)


def _parse_unsure(text, weights, unsure):
    """Parse the weights that are left to Python; the fault of the first that no float holds, or None."""
    for row, start, end in unsure.tolist():
        word = text[start:end].tobytes()
        weights[row] = float(word)
        if np.isinf(weights[row]):  # inf itself is never unsure
            return RowFault(RowFaultKind.WEIGHT_TOO_LARGE, start)
        if word.lstrip(b"+-").isdigit() and not _is_exact(word, weights[row]):
            return RowFault(RowFaultKind.WEIGHT_ROUNDED, start)
    return None


def _is_exact(word, weight):
    """Whether a finite float is the integer of a word, which may have more digits than Python converts."""
    digits = word.lstrip(b"+-").lstrip(b"0")
    return digits == b"%d" % abs(int(weight))


@lean_kernel
def _take_weight(text, at, row, weights, unsure, told):
    """Store the number at `at`; the position after it, and whether it is one."""
    what, end, bits = read_number(text, at)
    if what == ALIEN:
        return at, False
    if what == INTEGER and abs(np.int64(bits)) <= _MOST_EXACT:
        weights[row] = np.float64(np.int64(bits))
    elif what in (INTEGER, LARGE, HUGE, UNSURE):
        n = told[_N_UNSURE]
        unsure[n, 0], unsure[n, 1], unsure[n, 2] = row, at, end
        told[_N_UNSURE] += 1
    else:
        weights.view(np.uint64)[row] = bits
    return end, True


@inlined_kernel
def _take_number(text, at):
    """The number at `at`, the position after it, and whether it is written as `NumberRows` wants it."""
    value, end = read_digits(text, at)
    n_digits = end - at
    return np.int64(value), end, 0 < n_digits <= _MOST_DIGITS and (n_digits == 1 or text[at] != _ZERO)


@inlined_kernel
def _store_number(text, at, numbers, i):
    """Store the number at `at` as number i; the position after it, and whether it is written as it should be."""
    numbers[i], end, good = _take_number(text, at)
    return end, good


@lean_kernel
def _scan_numbers(text, classes, n_columns, tails, row_ends, heads, weights, unsure, told):
    """Parse lines of numbers; a fault is told where a line is not of numbers alone.

    Parameters
    ----------
    text : in, uint8, shape (n_bytes,)
    classes : in, uint8, shape (256,)
    n_columns : int64, 0 if a line is a vertex, a mark and any number of heads
    tails, row_ends : out, int64, shape (n_lines,)
    heads : out, int64, shape (most words,)
    weights : out, float64, shape (n_lines,) or none
    unsure : out, int64, shape (n_lines, 3) or none; row, start and end of weights left to Python
    told : out, int64, shape (5,)
    """
    n_rows, n_heads = 0, 0
    told[_FAULT] = _NO_NAME  # until the end is reached
    at = next_record(text, 0, classes)
    while at < text.size:
        at, good = _store_number(text, at, tails, n_rows)
        if not good:
            return
        at, behind = after_name(text, at, classes)
        column = 1
        if n_columns:
            while behind == COLUMN and column < n_columns:
                at = skip_blanks(text, at, classes)
                if column == 2:
                    at, good = _take_weight(text, at, n_rows, weights, unsure, told)
                else:
                    at, good = _store_number(text, at, heads, n_heads)
                    n_heads += 1
                if not good:
                    return
                at, behind = after_name(text, at, classes)
                column += 1
        else:
            if behind != MARK:
                return
            at = skip_blanks(text, at, classes)
            behind = LINE if at >= text.size or classes[text[at]] == NEWLINE else COLUMN
            while behind == COLUMN:
                at = skip_blanks(text, at, classes)
                at, good = _store_number(text, at, heads, n_heads)
                if not good:
                    return
                n_heads += 1
                at, behind = after_name(text, at, classes)
        if column < n_columns or behind != LINE:
            return
        row_ends[n_rows] = n_heads
        n_rows += 1
        at = next_record(text, at, classes)
    told[_N_ROWS], told[_N_WORDS], told[_FAULT] = n_rows, n_heads, _NONE


@lean_kernel
def _fault(told, kind, position):
    told[_FAULT] = kind
    told[_POSITION] = position
    return False


@lean_kernel
def _take_name(text, at, classes, names, told):
    """Store the name that begins at `at` or after blanks; the position of what is next and what came behind it."""
    start = skip_blanks(text, at, classes)
    end = name_end(text, start, classes)
    after, behind = after_name(text, end, classes)
    if behind == ODD:
        _fault(told, _ALIEN_BYTE, after)
    elif end == start:
        _fault(told, _NO_NAME, start)
    n = told[_N_WORDS]
    starts, ends, hashes, seed = names
    starts[n] = start
    ends[n] = end
    hashes[n] = hash_name(text, start, end, seed)
    told[_N_WORDS] += 1
    return after, behind


@lean_kernel
def _take_columns(text, at, behind, classes, n_columns, names, weights, unsure, told):
    """Store the columns after the first; the position after the line, or anything with a fault told."""
    column = 1
    while behind == COLUMN and column < n_columns:
        at = skip_blanks(text, at, classes)
        if column < 2:
            at, behind = _take_name(text, at, classes, names, told)
            if told[_FAULT] != _NONE:
                return at
        else:
            start = at
            at, good = _take_weight(text, at, told[_N_ROWS], weights, unsure, told)
            if good:
                at, behind = after_name(text, at, classes)
            if not good or behind == ODD:
                _fault(told, _NO_WEIGHT, start)
                return at
        column += 1
    if column < n_columns or behind != LINE:
        _fault(told, _COLUMNS, min(at, text.size) - 1)
    return at


@lean_kernel
def _take_heads(text, at, behind, classes, names, told):
    """Store the names after a mark; the position after the line, or anything with a fault told."""
    if behind != MARK:
        _fault(told, _NO_MARK, at - 1)
        return at
    at = skip_blanks(text, at, classes)
    if at >= text.size or classes[text[at]] == NEWLINE:
        return at
    behind = COLUMN
    while behind == COLUMN:
        at, behind = _take_name(text, at, classes, names, told)
        if told[_FAULT] != _NONE:
            return at
    if behind == MARK:
        _fault(told, _SECOND_MARK, at - 1)
    return at


@lean_kernel
def _scan_names(text, classes, n_columns, names, firsts, weights, unsure, told):
    """Parse lines of names.

    Parameters
    ----------
    text, classes, n_columns, weights, unsure, told : as `_scan_numbers`
    names : out; starts and ends (int64) and hashes (uint64) of names, shape (most words,), and the seed of the hash
    firsts : out, int64, shape (n_lines,)
    """
    at = next_record(text, 0, classes)
    while at < text.size:
        n_words = told[_N_WORDS]
        firsts[told[_N_ROWS]] = n_words
        start = at
        at, behind = _take_name(text, at, classes, names, told)
        if told[_FAULT] == _NONE:
            if n_columns:
                at = _take_columns(text, at, behind, classes, n_columns, names, weights, unsure, told)
            else:
                at = _take_heads(text, at, behind, classes, names, told)
        if told[_FAULT] != _NONE:
            if told[_FAULT] == _COLUMNS or told[_FAULT] == _NO_MARK:
                told[_POSITION] = start
            told[_N_WORDS] = n_words
            return
        told[_N_ROWS] += 1
        at = next_record(text, at, classes)
