"""What a backend does with numbers as text: parsing and printing of columns. Text is on the host, and so are they."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class NumberKind(IntEnum):
    """What the 64 bits of a parsed number are."""

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


class NumberBackend(Protocol):
    """A module with these names."""

    def parse_numbers(self, text: NDArray[np.uint8], n_columns: int, separator: bytes = b"") -> ParsedNumbers:
        """Parse whole lines, one record each; the last line may lack its end.

        With a separator (one byte), keep the records that `number_lines` would write otherwise with it, each column of
        the kind in `ParsedNumbers.kinds`, and those with -0.0, which is equal to 0.0.

        Columns are separated by blanks, or one comma with or without blanks. Lines that are blank or begin with # are
        skipped. Numbers are Python's, without underscores; floats are the nearest to what is written. Source: see
        `backends.cpu.floats`.
        """

    def number_lines(
        self,
        columns: Sequence[NDArray[Any]],
        separator: bytes,
        start: int,
        stop: int,
        decimals: Sequence[int] = (),
    ) -> NDArray[np.uint8]:
        """Records start..stop as lines; columns of the dtypes of `ArrayBackend`, the separator one byte.

        A float is written with the fewest digits that read as the same float of its size, as Python's repr does. An
        integer of a column that has ``decimals`` (0 to 18; one for each column, or none) is in units of the last of
        them, and all of them are written: 571000 with 4 is 57.1000.
        """

    def record_lines(
        self,
        columns: Sequence[NDArray[Any]],
        separator: bytes,
        places: NDArray[np.int64],
        lines: NDArray[np.uint8],
        n_whole: int,
        words: Sequence[int],
    ) -> NDArray[np.uint8]:
        """Records as lines, with the words that they had in a text.

        Parameters
        ----------
        columns, separator
            As for `number_lines`.
        places, lines
            As in `ParsedNumbers`; records of place -1 are written from their numbers.
        n_whole : int
            Number of columns, the first ones, for which the whole line is written; 0 for none.
        words : sequence of int
            For each other column, the number of its word in the line, from 0; -1 for a column that is not in it.
        """
