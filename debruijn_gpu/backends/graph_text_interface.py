"""What a backend does with graphs as text: parsing, naming of vertices and printing. Text is on the host, and so are
graphs here.

A text is lines of one of the forms of `RowForm`. Names are what stands between separators, without blanks around;
they hold no control characters. Lines end with LF or CR LF. Lines that are blank or begin with ``#`` or ``%`` are
skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Longs: TypeAlias = NDArray[np.int64]
Vertices: TypeAlias = NDArray[np.uint32] | NDArray[np.uint64]


@dataclass(frozen=True)
class RowForm:
    """How a line is made up.

    Attributes
    ----------
    separator : str
        ``arrow``: a vertex, ``->`` and its successors, any number, separated by commas. ``arrow_sign``: the same with
        ``→``. ``colon``: a vertex, ``:`` before a blank or the end of the line, and its successors, separated by
        blanks, commas or both. ``tab``, ``comma`` or ``blank`` (one or more blanks): a record of `n_columns` columns.
    n_columns : int
        0 for lines of a vertex and its successors; 1: a vertex; 2: tail and head of an edge; 3: and its weight, a
        number.
    has_header : bool
        Whether names of the columns came before. Without them, lines in another format are faults.
    """

    separator: Literal["arrow", "arrow_sign", "colon", "tab", "comma", "blank"]
    n_columns: int = 0
    has_header: bool = False


class RowFaultKind(IntEnum):
    """What is wrong with a line."""

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


class GraphTextBackend(Protocol):
    """A module with these names."""

    # parsing

    def parse_number_rows(self, text: Bytes, form: RowForm) -> NumberRows | None:
        """Parse whole lines; None if one of them is not as `NumberRows` wants it, for whatever reason."""

    def parse_name_rows(self, text: Bytes, form: RowForm) -> NameRows:
        """Parse whole lines; the last one may lack its end."""

    # names

    def name_table(self) -> NameTable:
        """A table without names.

        Open addressing; 32 bits of the hash stand beside each number, so that growing needs no names and comparing
        mostly none that differ. (Knuth, The Art of Computer Programming 3, 6.4, algorithm L.)
        """

    def number_names(self, numbers: Longs) -> tuple[Bytes, Longs, Longs, NDArray[np.uint64]]:
        """Numbers as names for a `NameTable`: text, starts, ends, hashes."""

    def index_names(self, offsets: Longs, letters: Bytes) -> NDArray[np.uint64]:
        """A table with which `find_name` finds names; of equal ones it holds the first."""

    def find_name(self, index: NDArray[np.uint64], offsets: Longs, letters: Bytes, word: Bytes) -> int:
        """Which of some names a word is; -1 if none."""

    def take_names(self, offsets: Longs, letters: Bytes, chosen: NDArray[np.integer]) -> tuple[Longs, Bytes]:
        """The chosen ones of some names: offsets and letters."""

    # printing

    def row_words(self, row_ptr: Longs, col: Vertices, start: int, stop: int) -> tuple[NDArray[np.uint64], Bytes]:
        """Rows start..stop as words, the vertex and its successors; what stands behind each word: 0 if it is the last
        of its row, 1 behind a vertex with successors, 2 between these, 3 behind a vertex without."""

    def walk_words(
        self, row_ptr: Longs, col: Vertices, offsets: Longs, steps: Vertices, start: int, stop: int
    ) -> tuple[NDArray[np.uint64], Bytes]:
        """Vertices along steps start..stop of walks given as edges, and what stands behind each: 0 if it is the last of
        its walk, else 1. A walk of n edges has n + 1 vertices; its first two come with its first step."""

    def join_numbers(self, numbers: NDArray[np.uint64], behind: Bytes, separators: Sequence[bytes]) -> Bytes:
        """Numbers as text, number i followed by ``separators[behind[i]]``."""

    def join_names(
        self,
        offsets: Longs,
        letters: Bytes,
        chosen: NDArray[np.uint64],
        behind: Bytes,
        separators: Sequence[bytes],
    ) -> Bytes:
        """The chosen ones of some names as text, the i-th followed by ``separators[behind[i]]``."""
