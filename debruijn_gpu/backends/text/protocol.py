"""Protocol of the family `text`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Bytes, Longs, Vertices
from debruijn_gpu.backends.text.containers import Field, NameRows, NameTable, NumberRows, ParsedNumbers, RowForm


class TextOperations(Protocol):
    """Parse and print numbers, names, graphs and records; text and results are on the host."""

    def parse_numbers(self, text: NDArray[np.uint8], n_columns: int, separator: bytes = b"") -> ParsedNumbers:
        """Parse whole lines, one record each; the last line may lack its end.

        With a separator (one byte), keep the records that `number_lines` would write otherwise with it, each column of
        the kind in `ParsedNumbers.kinds`, and those with -0.0, which is equal to 0.0.

        Columns are separated by blanks, or one comma with or without blanks. Lines that are blank or begin with # are
        skipped. Numbers are Python's, without underscores; floats are the nearest to what is written. Source: see
        `text.cpu.floats`.
        """

    def number_lines(
        self,
        columns: Sequence[NDArray[Any]],
        separator: bytes,
        start: int,
        stop: int,
        decimals: Sequence[int] = (),
    ) -> NDArray[np.uint8]:
        """Records start..stop as lines; columns of the dtypes of `ArrayOperations`, the separator one byte.

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

    def parse_number_rows(self, text: Bytes, form: RowForm) -> NumberRows | None:
        """Parse whole lines; None if one of them is not as `NumberRows` wants it, for whatever reason."""

    def parse_name_rows(self, text: Bytes, form: RowForm) -> NameRows:
        """Parse whole lines; the last one may lack its end."""

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

    def format_records(self, fields: Sequence[Field]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Format n records, the fields of a record one after another: offsets (int64, n + 1) and text (uint8).

        At least one field is none of bytes, and those agree in n.
        """

    def leading_bases(
        self, text: NDArray[np.uint8], offsets: NDArray[np.int64], chosen: NDArray[np.int64], skip: int
    ) -> NDArray[np.uint64]:
        """Pack 32 bases (ASCII, A, C, G or T) of each chosen sequence from base ``skip`` on, as in `ReadBatch`; a
        sequence that ends before continues with its last base. Sequences of one length are in the order of these."""

    def encode_letters(self, text: NDArray[np.uint8], codes_of: NDArray[np.int16]) -> tuple[NDArray[np.uint8], int]:
        """The codes of some text, and the position in it of the first byte that is no symbol, where encoding ends; -1
        if there is none.

        Parameters
        ----------
        text : ndarray, dtype=uint8
        codes_of : ndarray, dtype=int16, shape=(256,)
            The code of each byte, `SKIPPED` or `ALIEN`.
        """

    def spell_names(
        self, codes: NDArray[Any], names: NDArray[np.uint8], offsets: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        """The name of each code, one after another; that of code c is ``names[offsets[c]:offsets[c + 1]]``."""
