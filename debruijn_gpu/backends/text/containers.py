"""Containers of the family `text`, and functions on their sizes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Bytes, Longs


class NumberKind(IntEnum):
    """Type of the 64 bits of a parsed number."""

    SIGNED = 0
    UNSIGNED = 1
    DOUBLE = 2


@dataclass(frozen=True)
class NumberFault:
    """The record after the last whole one is not sound.

    Attributes
    ----------
    line : int
        Where it is, 0 for the first line of the text.
    word : bytes or None
        The word that is no number, or too large; None where the number of columns is wrong.
    start : int
        Position in the text at which the line begins.
    is_too_large : bool
        Whether the word is a number beyond the range of floats.
    """

    line: int
    word: bytes | None
    start: int
    is_too_large: bool = False


@dataclass(frozen=True)
class ParsedNumbers:
    """The records of some text, column by column.

    Attributes
    ----------
    bits : ndarray, dtype=uint64, shape=(n_columns, n)
        Numbers as `kinds` says.
    kinds : tuple of NumberKind, one per column
        DOUBLE where a number has a point or exponent, or is nan or inf, or does not fit in an integer with the others.
    negative, fractional : ndarray, dtype=bool, shape=(n_columns,)
        Whether an integer below 0 occurs, and whether a number that is no integer.
    large_line, huge_line : ndarray, dtype=int64, shape=(n_columns,)
        Line of the first integer from 2^63 to 2^64 - 1, and of the first one beyond 64 bits; -1 if there is none.
    inexact_line : ndarray, dtype=int64, shape=(n_columns,)
        Line of the first integer that no double is equal to; -1 if there is none.
    lines : ndarray, dtype=uint8
        Records that `number_lines` would write otherwise, as they are in the text, each with a newline.
    places : ndarray, dtype=int64, shape=(n,), or None
        Position in `lines` of each record, -1 where it is not in them; None if no record is.
    n_lines : int
        Lines of the text, with those that hold no record.
    fault : NumberFault or None
        What ended the parsing early.
    """

    bits: NDArray[np.uint64]
    kinds: tuple[NumberKind, ...]
    negative: NDArray[np.bool_]
    fractional: NDArray[np.bool_]
    large_line: NDArray[np.int64]
    huge_line: NDArray[np.int64]
    inexact_line: NDArray[np.int64]
    lines: NDArray[np.uint8]
    places: NDArray[np.int64] | None
    n_lines: int
    fault: NumberFault | None


@dataclass(frozen=True)
class RowFormat:
    """Columns and separator of a line.

    Attributes
    ----------
    separator : str
        ``arrow``: a vertex, ``->`` and its successors, any number, separated by commas. ``arrow_sign``: the same with
        ``→``. ``colon``: a vertex, ``:`` before a blank or the end of the line, and its successors, separated by
        blanks, commas or both. ``tab``, ``comma`` or ``blank`` (one or more blanks): a record of `n_columns` columns.
    n_columns : int
        0 for lines of a vertex and its successors; 1: a vertex; 2: tail and head of an edge; 3: and its weight, a
        number.
    """

    separator: Literal["arrow", "arrow_sign", "colon", "tab", "comma", "blank"]
    n_columns: int = 0


class RowFaultKind(IntEnum):
    """Kind of fault of a line."""

    NONE = 0
    NO_NAME = 1  # nothing where a name should be
    ALIEN_BYTE = 2  # a control character
    NO_MARK = 3  # a line without ->, → or :
    SECOND_MARK = 4
    COLUMNS = 5  # more or fewer of them
    NO_WEIGHT = 6  # the third column is no number
    OTHER_FORMAT = 7  # a line of a vertex and its successors in another format
    WEIGHT_ROUNDED = 8  # an integer that no float equals
    WEIGHT_TOO_LARGE = 9  # beyond the range of floats


@dataclass(frozen=True)
class RowFault:
    """The line after the last sound one."""

    kind: RowFaultKind
    position: int  # in the text


@dataclass(frozen=True)
class NumberRows:
    """Lines whose vertices are all written as integers below 10^18, without needless zeros.

    Attributes
    ----------
    tails : ndarray, dtype=int64, shape=(n_rows,)
        First number of each line.
    row_ends : ndarray, dtype=int64, shape=(n_rows,)
        The other numbers of line i end at ``row_ends[i]`` of the heads.
    heads : ndarray, dtype=int64
    weights : ndarray, dtype=float64
        Of each head; none without a column of them.
    """

    tails: Longs
    row_ends: Longs
    heads: Longs
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class NameRows:
    """Lines whose vertices are called anything.

    Attributes
    ----------
    starts, ends : ndarray, dtype=int64, shape=(n_names,)
        Where each name is in the text, in order.
    hashes : ndarray, dtype=uint64, shape=(n_names,)
        Of the names; see `NameTable`.
    firsts : ndarray, dtype=int64, shape=(n_rows,)
        Which of the names are the first of a line.
    weights : ndarray, dtype=float64
        As in `NumberRows`.
    fault : RowFault or None
        What ended the parsing early.
    """

    starts: Longs
    ends: Longs
    hashes: NDArray[np.uint64]
    firsts: Longs
    weights: NDArray[np.float64]
    fault: RowFault | None


class NameTable(Protocol):
    """Different names, numbered in the order in which they first came."""

    def add(self, text: Bytes, starts: Longs, ends: Longs, hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Number of each of some names."""

    def names(self) -> tuple[Longs, Bytes]:
        """Offsets (int64, n_names + 1) and letters of all names."""


@dataclass(frozen=True)
class NumberField:
    """A number in each record.

    Attributes
    ----------
    values : ndarray, dtype=int64 or float64, shape=(n,)
        0 or more, finite.
    decimals : int
        Digits after the point of float64: 1 to 3, rounded as Python formats them (half to even of the exact value).
    """

    values: NDArray[np.int64] | NDArray[np.float64]
    decimals: int = 0


@dataclass(frozen=True)
class TextField:
    """A text in each record.

    Attributes
    ----------
    text : ndarray, dtype=uint8
    offsets : ndarray, dtype=int64, shape=(n_texts + 1,)
        Text i is ``text[offsets[i]:offsets[i + 1]]``.
    chosen : ndarray, dtype=int64, shape=(n,), or None
        Text of each record; None: text i of record i.
    """

    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    chosen: NDArray[np.int64] | None = None


#: A part of every record; bytes are the same in all of them
Field: TypeAlias = bytes | NumberField | TextField
#: In a table of the codes of bytes: no symbol, and nothing to mind either
SKIPPED, ALIEN = -1, -2
