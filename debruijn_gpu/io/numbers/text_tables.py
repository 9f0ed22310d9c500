"""Tables with text: numbers and words of the key columns, and the lines of all records.

Blocks are split by array operations in threads. A column of numbers is copied out of its block, and parsed as a table
of one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import ParsedNumbers, TextField
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.numbers.blocks import NumberBlocks
from debruijn_gpu.io.numbers.first_lines import TableShape, listed_column, no_number, several_delimiters
from debruijn_gpu.io.numbers.splitting import Records, SplitFault, split_records
from debruijn_gpu.io.reading_again import check_size
from debruijn_gpu.primitives.columns import Columns, NumberFormat, Spelling
from debruijn_gpu.primitives.words import PADDING, Words, rank_words
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import counted, shorten

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ArrayBackend, TextBackend

_PLACE_BYTES = 8
_WORD_BYTES = 16
_HASH = ord("#")


@dataclass(frozen=True)
class Table:
    """A table that was read.

    Attributes
    ----------
    columns : Columns
        Of NumPy arrays; those of text are to be replaced by ranks.
    words : dict of int to Words
        Words of the text columns that were asked for, by column.
    """

    columns: Columns
    words: dict[int, Words]


def with_ranks(tables: Sequence[Table], backend: ArrayBackend) -> list[Columns]:
    """Replace the words of all columns of some tables by their ranks among all of them.

    Parameters
    ----------
    tables : sequence of Table
    backend : ArrayBackend
        Of the host.
    """
    ranks = iter(rank_words([words for table in tables for words in table.words.values()], backend))
    found = []
    for table in tables:
        columns = table.columns
        for number in table.words:
            columns = columns.with_held(number, next(ranks))
        found.append(columns)
    return found


class _NoNumberError(Exception):
    """A word in a column of numbers, in a thread that does not know the lines before.

    Attributes
    ----------
    line : int
        Of the text, from 0.
    """

    def __init__(self, line: int, column: int, word: bytes, is_too_large: bool) -> None:
        super().__init__(line)
        self.line, self.column, self.word, self.is_too_large = line, column, word, is_too_large


@dataclass(frozen=True)
class _Part:
    """Records of a block, or what is wrong with one of them, and the parsed numbers of its columns of numbers."""

    records: Records | SplitFault
    numbers: ParsedNumbers | None = None
    fault: _NoNumberError | None = None


class TextTable:
    """A growing table with text.

    Parameters
    ----------
    shape : TableShape
    backend : TextBackend
    threads : int
    n_bytes_allowed : int, optional
    keeps_lines : bool
        Whether records will be written.
    numbers : NumberBlocks
        Columns of numbers of the records so far; it knows the files.
    """

    def __init__(
        self,
        shape: TableShape,
        backend: TextBackend,
        threads: int,
        n_bytes_allowed: int | None,
        keeps_lines: bool,
        numbers: NumberBlocks,
    ) -> None:
        self.shape = shape
        self.numbers = numbers
        self._backend = backend
        self._threads = threads
        self._allowed = n_bytes_allowed
        self._keeps_places = keeps_lines
        self._keeps_lines = keeps_lines or bool(shape.texts)
        self._lines = bytearray()  # grows in place
        self._starts: list[NDArray[np.int64]] = []
        self._words: list[list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = [[] for _ in shape.texts]
        self._n_records = 0

    def add(self, texts: Iterable[NDArray[np.uint8]]) -> None:
        """Add records of whole lines."""
        for part in ordered_map(self._parse, texts, self._threads):
            self._check(part)
            assert isinstance(part.records, Records)
            assert part.numbers is not None
            self.numbers.add(part.numbers)
            self._keep(part.records)

    def add_known(self, texts: Iterable[NDArray[np.uint8]]) -> None:
        """Add lines of records whose numbers are known."""
        for text in texts:
            records = split_records(
                text, self.shape.delimiter, self.shape.n_columns, self.shape.numbers + self.shape.texts
            )
            if isinstance(records, SplitFault):
                raise several_delimiters(self.shape)
            self._keep(records)

    def _parse(self, text: NDArray[np.uint8]) -> _Part:
        """Split and parse a text; runs in threads."""
        shape = self.shape
        records = split_records(text, shape.delimiter, shape.n_columns, shape.numbers + shape.texts)
        if isinstance(records, SplitFault):
            return _Part(records)
        try:
            parsed = [self._parse_column(records, i, column) for i, column in enumerate(shape.numbers)]
        except _NoNumberError as fault:
            return _Part(records, None, fault)
        return _Part(records, _side_by_side(parsed, records))

    def _parse_column(self, records: Records, i: int, column: int) -> ParsedNumbers:
        """Parse the words of a column as numbers."""
        starts, ends = records.word_starts[i], records.word_ends[i]
        offsets = np.stack([starts, ends], axis=1).reshape(-1)
        words = TextField(records.lines, offsets, np.arange(0, len(offsets), 2))
        text = self._backend.text.format_records([words, b"\n"])[1] if len(starts) else np.empty(0, np.uint8)
        parsed = self._backend.text.parse_numbers(text, 1)
        if parsed.fault is not None or parsed.bits.shape[1] != len(starts):
            raise _first_fault(records, starts, ends, column, parsed)
        return parsed

    def _check(self, part: _Part) -> None:
        """Raise the error of a part."""
        fault = part.fault
        if fault is not None:
            line = self.numbers.n_lines + fault.line
            place, is_first = self.numbers.place(line), not self._n_records and fault.line == _first_line(part.records)
            if fault.is_too_large:
                what = f"{place}: {shorten(fault.word)} is beyond the range of floats"
                raise FormatError(what, "give numbers up to 1.8e308, or inf")
            raise no_number(place, fault.word, fault.column, listed_column(fault.column, self.shape.keys), is_first)
        if isinstance(part.records, SplitFault):
            place = self.numbers.place(self.numbers.n_lines + part.records.line)
            if part.records.n_words < 0:
                fix = "give text without control characters, or name the type of raw numbers (--dtype u32 ...)"
                raise FormatError(f"{place}: a control character", fix)
            here = counted(part.records.n_words, "column")
            what = f"{place}: {here}, but {self.shape.n_columns} in {self.shape.place}"
            raise FormatError(what, "give the same number of columns, between the same delimiters, in each line")

    def _keep(self, records: Records) -> None:
        """Keep the lines, and the positions of words."""
        self._n_records += len(records.starts)
        if not self._keeps_lines:
            return
        n_bytes = _PLACE_BYTES * self._n_records * (1 + len(self.shape.numbers))
        n_bytes += _WORD_BYTES * self._n_records * len(self.shape.texts)
        check_size(n_bytes, self._allowed, len(self._lines) + len(records.lines))
        base = len(self._lines)
        self._lines += records.lines.data
        if self._keeps_places:
            self._starts.append(records.starts + base)
        n_numbers = len(self.shape.numbers)
        for i, words in enumerate(self._words):
            starts, ends = records.word_starts[n_numbers + i], records.word_ends[n_numbers + i]
            words.append((starts + base, ends - starts))

    def table(self, file_format: NumberFormat) -> Table:
        """Return all records."""
        shape = self.shape
        numbers = self.numbers.columns(file_format, False, self._backend).arrays
        self._lines += bytes(PADDING)
        text = np.frombuffer(self._lines, np.uint8)
        words = {
            column: Words(text, *(np.concatenate(each) for each in zip(*parts, strict=True)))
            for column, parts in zip(shape.texts, self._words, strict=True)
        }
        arrays = dict(zip(shape.numbers, numbers, strict=True)) | {
            column: np.broadcast_to(np.int32(0), self._n_records) for column in shape.texts
        }
        held = tuple(sorted(arrays))
        places = np.concatenate(self._starts) if self._keeps_places else None
        spelling = Spelling(text[: len(text) - PADDING], shape.n_columns, shape.delimiter)
        return Table(Columns(tuple(arrays[i] for i in held), file_format, spelling, places, held), words)


def _first_line(records: Records | SplitFault) -> int:
    return int(records.line_numbers[0]) if isinstance(records, Records) else -1


def _first_fault(
    records: Records, starts: NDArray[np.int64], ends: NDArray[np.int64], column: int, parsed: ParsedNumbers
) -> _NoNumberError:
    """Find the first word that is no number: also words that the parser takes for blank lines and comments."""
    fault = parsed.fault
    faults = [len(starts) if fault is None else fault.line]
    is_blank = np.isin(records.lines[starts], list(b" \t\r\v\f#"))  # an empty word begins with what ends it
    for i in np.flatnonzero(is_blank | (ends == starts)).tolist():
        word = records.lines[starts[i] : ends[i]].tobytes().strip()
        if not word or word[0] == _HASH:
            faults.append(i)
            break
    first = min(faults)
    word = records.lines[starts[first] : ends[first]].tobytes()
    is_too_large = fault is not None and fault.is_too_large and first == fault.line
    return _NoNumberError(int(records.line_numbers[first]), column, word, is_too_large)


def _side_by_side(parsed: list[ParsedNumbers], records: Records) -> ParsedNumbers:
    """Columns of numbers, parsed one by one, as those of one table."""
    n = len(records.starts)

    def lines_of(name: str) -> NDArray[np.int64]:
        """Lines of the text, for records."""
        found = np.array([getattr(column, name)[0] for column in parsed], np.int64)
        return np.array([records.line_numbers[record] if record >= 0 else -1 for record in found], np.int64)

    return ParsedNumbers(
        bits=np.concatenate([column.bits for column in parsed]) if parsed else np.empty((0, n), np.uint64),
        kinds=tuple(column.kinds[0] for column in parsed),
        negative=np.array([column.negative[0] for column in parsed], np.bool_),
        fractional=np.array([column.fractional[0] for column in parsed], np.bool_),
        large_line=lines_of("large_line"),
        huge_line=lines_of("huge_line"),
        inexact_line=lines_of("inexact_line"),
        lines=np.empty(0, np.uint8),
        places=None,
        n_lines=records.n_lines,
        fault=None,
    )
