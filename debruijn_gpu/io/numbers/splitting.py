"""Split text with any words between delimiters into records, by array operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Delimiters in the order in which a record is searched for them; the last one is for one or more blanks and tabs
DELIMITERS = (b"\t", b";", b",", b" ")

_NEWLINE, _RETURN, _HASH, _NUL = (ord(c) for c in "\n\r#\0")
_BLANKS = b" \t"


def _table_of(some: bytes) -> NDArray[np.bool_]:
    return np.isin(np.arange(256), list(some))


_IS_BLANK = _table_of(_BLANKS)
_ENDS_BLANK_WORD = _table_of(_BLANKS + b"\n")
_IS_EMPTY = _table_of(_BLANKS + b"\r\n")
_IS_CONTROL = _table_of(bytes(byte for byte in range(32) if byte not in b"\t\r\n") + b"\x7f")


def split_line(line: bytes, delimiter: bytes) -> list[bytes]:
    """Split a line without its end into words."""
    return line.split() if delimiter == b" " else line.split(delimiter)


@dataclass(frozen=True)
class SplitFault:
    """A line that is no record.

    Attributes
    ----------
    line : int
        0 for the first of the text.
    n_words : int
        -1 for a line with a control character.
    """

    line: int
    n_words: int


@dataclass(frozen=True)
class Records:
    """Records of a text, and the words of some of their columns.

    Attributes
    ----------
    lines : ndarray, dtype=uint8
        Lines of the records, each with a newline; no others.
    starts : ndarray, dtype=int64, shape=(n,)
        Start of each line.
    line_numbers : ndarray, dtype=int64, shape=(n,)
        Its number in the text, 0 for the first.
    word_starts, word_ends : ndarray, dtype=int64, shape=(n_chosen, n)
        Of the words of the chosen columns.
    n_lines : int
        Lines of the text.
    """

    lines: NDArray[np.uint8]
    starts: NDArray[np.int64]
    line_numbers: NDArray[np.int64]
    word_starts: NDArray[np.int64]
    word_ends: NDArray[np.int64]
    n_lines: int


def split_records(
    text: NDArray[np.uint8], delimiter: bytes, n_columns: int, chosen: Sequence[int]
) -> Records | SplitFault:
    """Split whole lines into records of ``n_columns`` words; skip lines that are blank or begin with #.

    Parameters
    ----------
    text : ndarray, dtype=uint8
    delimiter : bytes
        One of `DELIMITERS`.
    n_columns : int
    chosen : sequence of int
        Columns whose words are wanted, from 0.
    """
    if len(text) and text[-1] != _NEWLINE:
        text = np.append(text, np.uint8(_NEWLINE))
    if _IS_CONTROL[text].any():
        position = int(np.argmax(_IS_CONTROL[text]))
        return SplitFault(int(np.count_nonzero(text[:position] == _NEWLINE)), -1)
    lines, line_numbers, n_lines = _only_records(text)
    ends = np.flatnonzero(lines == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))[: len(ends)]
    split = _split_at_blanks if delimiter == b" " else _split_at_bytes
    word_starts, word_ends, n_words = split(lines, delimiter, ends)
    wrong = n_words != n_columns
    if wrong.any():
        first = int(np.argmax(wrong))
        return SplitFault(int(line_numbers[first]), int(n_words[first]))
    shape = (len(ends), n_columns)
    columns = list(chosen)
    return Records(
        lines,
        starts,
        line_numbers,
        word_starts.reshape(shape)[:, columns].T,
        word_ends.reshape(shape)[:, columns].T,
        n_lines,
    )


def _only_records(text: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
    """Leave out lines without a record, and returns before newlines; lines, their numbers, and how many were there."""
    ends = np.flatnonzero(text == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))[: len(ends)]
    is_record = _has_record(text, starts)
    returns = ends[(ends > starts) & (text[ends - 1] == _RETURN)] - 1
    if len(returns) or not is_record.all():
        kept = np.repeat(is_record, ends + 1 - starts)
        kept[returns] = False
        text = text[kept]
    return text, np.flatnonzero(is_record), len(ends)


def _has_record(text: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each line begins, perhaps after blanks, with something but # and its end."""
    firsts = text[starts]
    unsure = np.flatnonzero(_IS_EMPTY[firsts])
    if len(unsure):
        content = np.flatnonzero(~_IS_EMPTY[text] | (text == _NEWLINE))
        firsts[unsure] = text[content[np.searchsorted(content, starts[unsure])]]
    return np.asarray((firsts != _HASH) & (firsts != _NEWLINE))


_Split = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _split_at_bytes(lines: NDArray[np.uint8], delimiter: bytes, ends: NDArray[np.int64]) -> _Split:
    """Starts and ends of all words, and the number of words of each line; a byte ends a word."""
    word_ends = np.flatnonzero((lines == _NEWLINE) | (lines == delimiter[0]))
    word_starts = np.empty_like(word_ends)
    word_starts[:1] = 0
    word_starts[1:] = word_ends[:-1] + 1
    last = np.searchsorted(word_ends, ends)
    return word_starts, word_ends, np.diff(last, prepend=-1)


def _split_at_blanks(lines: NDArray[np.uint8], _delimiter: bytes, ends: NDArray[np.int64]) -> _Split:
    """The same of words between blanks."""
    between = np.ones(len(lines) + 1, np.bool_)
    np.take(_ENDS_BLANK_WORD, lines, out=between[1:])
    word_starts = np.flatnonzero(between[:-1] & ~between[1:])
    word_ends = np.flatnonzero(~between[1:-1] & between[2:]) + 1
    return word_starts, word_ends, np.diff(np.searchsorted(word_starts, ends), prepend=0)
