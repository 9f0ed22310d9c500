"""Store the words of parsed records, and write records with them."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.scalars import find_newline
from debruijn_gpu.backends.text.cpu.number_printing import MOST_BYTES, put_float, put_number, take_columns
from debruijn_gpu.backends.text.cpu.number_words import (
    HASH,
    MINUS,
    NEWLINE,
    RETURN,
    ZERO,
    ends_word,
    is_blank,
    is_mark,
    skip_blanks,
)
from debruijn_gpu.run import log

_NINE = np.uint8(ord("9"))
_SIGN_BIT = np.uint64(1 << 63)
_ANY, _BLANK = np.uint8(0), np.uint8(ord(" "))


@lean_kernel
def is_printed_integer(text, at, end):
    """Return whether an integer is spelled as it is printed: no plus, no leading zeros, no minus 0."""
    start = at + (text[at] == MINUS)
    return ZERO < text[start] <= _NINE or (text[start] == ZERO and end == at + 1)


@lean_kernel
def is_printed_double(text, at, end, bits, room):
    """Whether the word of a double is the one that is written for it; -0.0 is taken for a word of 0.0."""
    if bits == _SIGN_BIT or end - at > room.size or put_float(room, 0, bits, False) != end - at:
        return False
    same = True
    for i in range(end - at):
        same &= room[i] == text[at + i]
    return same


def keep_lines(text, kept):
    """Copy the records that are to be kept (bool, one for each record of the text).

    Returns
    -------
    tuple of (lines : uint8 (n_bytes,), places : int64 (n_records,) or None); see `ParsedNumbers`
    """
    if not kept.any():
        return np.empty(0, np.uint8), None
    lines, places = np.empty(text.size + 1, np.uint8), np.empty(kept.size, np.int64)
    n_bytes = _copy_records(text, kept, places, lines)
    return lines[:n_bytes], places


@inlined_kernel
def _copy(source, at, end, target, to):
    """Copy ``source[at:end]``; returns the position after it in the target."""
    for i in range(end - at):
        target[to + i] = source[at + i]
    return to + end - at


@lean_kernel
def _copy_records(text, kept, places, lines):
    """Copy the lines of records.

    Parameters
    ----------
    text : in, uint8, shape (n_bytes,)
    kept : in, bool, shape (n_records,); records after the last one are left out
    places : out, int64, shape (n_records,)
    lines : out, uint8, shape (n_bytes + 1,)

    Returns
    -------
    int64
        The number of bytes.
    """
    at, to, row = 0, 0, 0
    while row < kept.size:
        first = skip_blanks(text, at)
        end = find_newline(text, at)
        if first < end and text[first] != HASH:
            places[row] = to if kept[row] else -1
            if kept[row]:
                to = _copy(text, at, end - (text[end - 1] == RETURN), lines, to)
                lines[to] = NEWLINE
                to += 1
            row += 1
        at = end + 1
    return to


def record_lines(columns, separator, places, lines, n_whole, words, delimiter=b""):
    """See `TextOperations.record_lines`."""
    with log.cpu_time("print"):
        bits, kinds = take_columns(columns, 0, len(places))
        words = np.array(words, np.int64)
        starts, ends = np.empty((2, words.max(initial=-1) + 1), np.int64)
        counted = np.empty(0, np.uint8)
        mark = np.uint8(delimiter[0]) if delimiter else _ANY
        args = bits, kinds, np.uint8(separator[0]), places, lines, n_whole, words, mark, starts, ends
        text = np.empty(_put_records(*args, counted), np.uint8)
        return text[: _put_records(*args, text)]


@inlined_kernel
def _word_ends(lines, at, delimiter):
    """Return whether a word of a line with a delimiter ends at `at`."""
    if lines[at] == NEWLINE or delimiter == _BLANK:
        return lines[at] == NEWLINE or is_blank(lines, at)
    return lines[at] == delimiter


@lean_kernel
def _find_words(lines, at, delimiter, starts, ends):
    """Find the first words of a line: starts and ends (out, int64); delimiter 0: what separates numbers."""
    for word in range(starts.size):
        if delimiter in (_ANY, _BLANK):
            at = skip_blanks(lines, at)
        if delimiter == _ANY and is_mark(lines, at):
            at = skip_blanks(lines, at + 1)
        starts[word] = at
        if delimiter == _ANY:
            while not ends_word(lines, at):
                at += 1
        else:
            while not _word_ends(lines, at, delimiter):
                at += 1
        ends[word] = at
        if delimiter != _ANY and delimiter != _BLANK and lines[at] == delimiter:
            at += 1


@lean_kernel
def _put_records(bits, kinds, separator, places, lines, n_whole, words, delimiter, starts, ends, text):
    """Write records, or count the bytes that they take at most, if there is no room for any.

    Parameters
    ----------
    bits : in, uint64, shape (n_columns, n)
    kinds : in, int64, shape (n_columns,)
    separator : uint8
    places : in, int64, shape (n,)
    lines : in, uint8
    n_whole : int64
    words : in, int64, shape (n_columns - n_whole,)
    delimiter : uint8
    starts, ends : scratch, int64, shape (words.max() + 1,)
    text : out, uint8

    Returns
    -------
    int64
        The number of bytes.
    """
    n_columns, counts = bits.shape[0], text.size == 0
    at = 0
    for row in range(bits.shape[1]):
        place = places[row]
        first = n_whole if place >= 0 else 0
        if place >= 0:
            _find_words(lines, place, delimiter, starts, ends)
            if n_whole:
                end = find_newline(lines, place)
                at = at + end - place if counts else _copy(lines, place, end, text, at)
                if not counts:
                    text[at] = separator
                at += 1
        for column in range(first, n_columns):
            word = words[column - n_whole] if place >= 0 else -1
            if word >= 0:
                size = ends[word] - starts[word]
                at = at + size if counts else _copy(lines, starts[word], ends[word], text, at)
            else:
                at = at + MOST_BYTES if counts else put_number(text, at, bits[column, row], kinds[column])
            if not counts:
                text[at] = separator
            at += 1
        if not counts:
            text[at - 1] = NEWLINE
    return at
