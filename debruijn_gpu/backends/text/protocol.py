"""Protocol of the family `text`: parse and format numbers, names, graphs and records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Bytes, Longs, Vertices
from debruijn_gpu.backends.text.containers import Field, NameRows, NameTable, NumberRows, ParsedNumbers, RowFormat


class TextOperations(Protocol):
    """Parse and print numbers, names, graphs and records; text and results are on the host."""

    def parse_numbers(self, text: NDArray[np.uint8], n_columns: int, separator: bytes = b"") -> ParsedNumbers:
        """Parse lines of numbers, one record per line; the last line end is optional.

        With a separator (one byte), keep the records that `number_lines` would write otherwise with it, each column of
        the kind in `ParsedNumbers.kinds`, and those with -0.0, which is equal to 0.0.

        Columns are separated by blanks, or one comma or semicolon with or without blanks. Lines that are blank or
        begin with # are skipped. Numbers are Python's, without underscores; floats are the nearest to what is written.
        Source: see `text.cpu.floats`.
        """

    def number_lines(
        self,
        columns: Sequence[NDArray[Any]],
        separator: bytes,
        start: int,
        stop: int,
        decimals: Sequence[int] = (),
    ) -> NDArray[np.uint8]:
        """Format records start..stop as lines, with a separator of one byte.

        Columns have the dtypes of `ArrayOperations`.

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
        delimiter: bytes = b"",
    ) -> NDArray[np.uint8]:
        """Format records as lines, with the words of the text they were parsed from.

        Parameters
        ----------
        columns, separator
            As for `number_lines`.
        places, lines
            As in `ParsedNumbers`; records of place -1 are written from their numbers.
        n_whole : int
            Number of columns, the first ones, for which the whole line is written; 0 for none.
        words : sequence of int
            For each other column, the number of its word in the line, from 0; -1 for a column that is not in the line.
        delimiter : bytes
            The byte that separates the words of a line, a blank for one or more blanks and tabs; none: as in
            `parse_numbers`.
        """

    def parse_number_rows(self, text: Bytes, row_format: RowFormat) -> NumberRows | None:
        """Parse lines of numbers; None if a line does not fit `NumberRows`."""

    def parse_name_rows(self, text: Bytes, row_format: RowFormat) -> NameRows:
        """Parse lines of names; the last line end is optional."""

    def name_table(self) -> NameTable:
        """Create an empty name table.

        Open addressing; 32 bits of the hash are stored beside each number, so that growing needs no names, and
        comparisons rarely need names that differ. (Knuth, The Art of Computer Programming 3, 6.4, algorithm L.)
        """

    def number_names(self, numbers: Longs) -> tuple[Bytes, Longs, Longs, NDArray[np.uint64]]:
        """Format numbers as names for a `NameTable`: text, starts, ends, hashes."""

    def index_names(self, offsets: Longs, letters: Bytes) -> NDArray[np.uint64]:
        """Build a table for `find_name`; of equal names it holds the first."""

    def find_name(self, index: NDArray[np.uint64], offsets: Longs, letters: Bytes, word: Bytes) -> int:
        """Find the number of a name that equals a word; -1 if absent."""

    def gather_names(self, offsets: Longs, letters: Bytes, chosen: NDArray[np.integer]) -> tuple[Longs, Bytes]:
        """Gather the chosen names: offsets and letters."""

    def row_words(self, row_ptr: Longs, col: Vertices, start: int, stop: int) -> tuple[NDArray[np.uint64], Bytes]:
        """Compute the words of rows start..stop: each vertex and its successors.

        Returns vertices and the separator behind each: 0 if it is the last of its row, 1 behind a vertex with
        successors, 2 between these, 3 behind a vertex without.
        """

    def walk_words(
        self, row_ptr: Longs, col: Vertices, offsets: Longs, steps: Vertices, start: int, stop: int
    ) -> tuple[NDArray[np.uint64], Bytes]:
        """Compute the vertices along steps start..stop of walks given as edges.

        Returns vertices and the separator behind each: 0 if it is the last of its walk, otherwise 1. A walk of n edges
        has n + 1 vertices; its first two come with its first step.
        """

    def concatenate_numbers(self, numbers: NDArray[np.uint64], behind: Bytes, separators: Sequence[bytes]) -> Bytes:
        """Format numbers as text, number i followed by ``separators[behind[i]]``."""

    def concatenate_names(
        self,
        offsets: Longs,
        letters: Bytes,
        chosen: NDArray[np.uint64],
        behind: Bytes,
        separators: Sequence[bytes],
    ) -> Bytes:
        """Format the chosen names as text, the i-th followed by ``separators[behind[i]]``."""

    def format_records(self, fields: Sequence[Field]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Format records: offsets (int64, n + 1) and text (uint8).

        The fields of a record follow one another.

        At least one field is not of type bytes; all these fields have n items.
        """

    def name_spans(self, text: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find the names of n records of FASTA or FASTQ, given where these start: start and end of each (int64, 2 n).

        A name begins behind the mark of its record and ends before the first blank.
        """

    def leading_bases(
        self, text: NDArray[np.uint8], offsets: NDArray[np.int64], chosen: NDArray[np.int64], skip: int
    ) -> NDArray[np.uint64]:
        """Pack 32 bases of each chosen sequence, starting at base ``skip``, as in `ReadBatch`.

        Bases are ASCII: A, C, G or T. A sequence that ends before continues with its last base. Sequences of one length
        sort as the packed bases do.
        """

    def encode_letters(self, text: NDArray[np.uint8], codes_of: NDArray[np.int16]) -> tuple[NDArray[np.uint8], int]:
        """Encode text until the first byte that is no symbol.

        Returns the codes and the position of this byte, -1 if all bytes are symbols.

        Parameters
        ----------
        text : ndarray, dtype=uint8
        codes_of : ndarray, dtype=int16, shape=(256,)
            The code of each byte, `SKIPPED` or `ALIEN`.
        """

    def spell_names(
        self, codes: NDArray[Any], names: NDArray[np.uint8], offsets: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        """Concatenate the names of codes; that of code c is ``names[offsets[c]:offsets[c + 1]]``."""
