"""Read text as columns of numbers, with text beside them where a table has it.

The text is cut into blocks of whole lines, which are parsed in threads. What a column holds (integers with or without
a sign, or floats) shows only at the end, so each block keeps its own view until then. A table whose words are all
numbers is parsed by the kernels for numbers, until a word is none: then its lines are kept, and only the columns that
are needed are parsed (`text_tables`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.lines import TextStart, find_text, whole_lines
from debruijn_gpu.io.numbers.arrays import check_columns
from debruijn_gpu.io.numbers.blocks import NumberBlocks
from debruijn_gpu.io.numbers.first_lines import (
    COMMENT,
    TableShape,
    check_names,
    first_word,
    has_two_lines,
    is_number,
    misplaced_name,
    number_shape,
    number_words,
    take_line,
    text_shape,
)
from debruijn_gpu.io.numbers.text_tables import Table, TextTable
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.io.reading_again import longest_line
from debruijn_gpu.primitives.columns import Columns, NumberFormat, Spelling
from debruijn_gpu.primitives.keys import Key
from debruijn_gpu.run import log
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import counted, shorten

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import TextBackend
    from debruijn_gpu.backends.text.containers import NumberFault, ParsedNumbers

_LONGEST_WORD = 1 << 15

_ONE_A_LINE = "give one record of numbers per line, with the same number of columns in each"
_RAW = "give numbers as text, or name their type if the file is raw (--dtype u32 ...)"


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What is needed of a table.

    Attributes
    ----------
    keys : tuple of Key or None
        Columns that are compared; None: all are numbers.
    numbers : tuple of int or None
        Other columns that have to be numbers if the table has them, as for formats without text; None: all.
    as_read : bool
        Keep the lines that would be written otherwise than they are, so that they can be written as read.
    header : bool
        Whether the first line of each file is a header.
    finds_header : bool
        Whether a first line that cannot be a record is a header.
    """

    keys: tuple[Key, ...] | None = None
    numbers: tuple[int, ...] | None = ()
    as_read: bool = False
    header: bool = False
    finds_header: bool = False


class TextReader:
    """Reads the text of files as one table.

    Parameters
    ----------
    demand : Demand
    backend : TextBackend
    threads : int
    n_bytes_allowed : int, optional
    least_columns : int
        Columns of a table without records, at least.
    """

    def __init__(
        self,
        demand: Demand,
        backend: TextBackend,
        threads: int,
        n_bytes_allowed: int | None,
        least_columns: int = 1,
    ) -> None:
        self._least_columns = least_columns
        self._demand = demand
        self._backend = backend
        self._threads = threads
        self._allowed = n_bytes_allowed
        self._numbers = NumberBlocks(n_bytes_allowed)
        self._table: TextTable | None = None
        self._shape: TableShape | None = None
        self._header: bytes | None = None

    def add(self, path: str, blocks: Iterable[Block]) -> None:
        """Read a file."""
        source, n_before = iter(blocks), 0
        if self._demand.header:
            line, source = take_line(source, display_name(path))
            self._note_header(path, line)
            n_before = 1
        start = find_text(source, COMMENT, has_two_lines)
        _check_start(path, start, n_before, self._demand.keys is not None)
        if not start.head:
            return
        if self._demand.finds_header and self._is_headed(start):
            place = f"{display_name(path)}: line {start.n_lines + n_before + 1:,}"
            log.logger.info("%s names the columns: %s", place, shorten(start.head.split(b"\n", 1)[0].strip()))
            start = start.without(start.head.index(b"\n") + 1)
            n_before += 1
        texts = whole_lines(start.blocks, display_name(path), longest_line(self._allowed))
        self._add_texts(path, texts, start.head, start.n_lines + n_before)

    def _note_header(self, path: str, line: bytes | None) -> None:
        """Keep the header of the first file, and check that the others have the same."""
        if self._header is None:
            self._header = line
        elif line not in (None, self._header):
            what = f"{display_name(path)}: line 1: another header than that of the first file: {shorten(line or b'')}"
            raise FormatError(what, "give files with the same columns")

    def _is_headed(self, start: TextStart) -> bool:
        """Whether the first line cannot be a record."""
        shape = number_shape(start.head.split(b"\n", 1)[0], "")
        return misplaced_name(start.head, shape, self._demand.keys or ()) is not None

    def _add_texts(self, path: str, texts: Iterator[NDArray[np.uint8]], head: bytes, n_lines: int) -> None:
        """Read whole lines; the first one is a record."""
        numbers = self._numbers if self._table is None else self._table.numbers
        numbers.start_file(path, n_lines)
        first = next(texts, None)
        if first is None:
            return
        texts = chain([first], texts)
        if self._shape is None:
            self._look(first.tobytes().split(b"\n", 1)[0], numbers.place(numbers.n_lines), head)
        if self._table is None:
            texts = self._add_numbers(path, texts)
        if self._table is not None:
            self._table.add(texts)

    def _look(self, line: bytes, place: str, head: bytes) -> None:
        """Take the shape of the table from its first record."""
        shape = number_shape(line, place)
        check_columns(place.rpartition(":")[0], shape.n_columns, self._allowed)
        self._shape, keys = shape, self._demand.keys
        if keys is not None and not (all(map(is_number, number_words(line))) and not any(key.is_text for key in keys)):
            check_names(head, shape, keys, self._demand.header)
            self._table = self._text_table()

    def _text_table(self) -> TextTable:
        """Make a table with text, with the records so far."""
        assert self._shape is not None
        shape = text_shape(self._shape, self._demand.keys or (), self._demand.numbers)
        numbers = self._numbers.selected(shape.numbers)
        table = TextTable(shape, self._backend, self._threads, self._allowed, self._demand.as_read, numbers)
        table.add_known(self._numbers.as_text(self._shape.separator, self._backend))
        return table

    def _add_numbers(self, path: str, texts: Iterator[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
        """Read records of numbers; from the first word that is no number on, the rest is returned."""
        shape = self._shape
        assert shape is not None

        def parse(text: NDArray[np.uint8]) -> tuple[ParsedNumbers | None, NDArray[np.uint8]]:
            if self._table is not None:
                return None, text
            separator = shape.separator if self._demand.as_read else b""
            return self._backend.text.parse_numbers(text, shape.n_columns, separator), text

        parts = ordered_map(parse, texts, self._threads)
        for parsed, text in parts:
            assert parsed is not None
            fault = parsed.fault
            if fault is None:
                self._numbers.add(parsed)
                continue
            error = _error(path, fault, text, self._numbers, shape)
            if self._demand.keys is None or fault.word is None:
                raise error
            self._turn_to_text(error if fault.is_too_large else None)
            return _rest(text, parts)
        return iter(())

    def table(self) -> Table:
        """Return all records."""
        if self._shape is None and self._demand.keys is not None:
            return self._empty_table(self._demand.keys)
        separator = b"\t" if self._shape is None else self._shape.separator
        fault = None if self._table is not None else self._numbers.fault_of(self._unread())
        if fault is not None:
            self._turn_to_text(fault)
        if self._table is not None:
            return self._table.table(NumberFormat("text", self._table.shape.separator, self._header))
        file_format = NumberFormat("text", separator, self._header)
        return Table(self._numbers.columns(file_format, self._demand.as_read, self._backend), {})

    def _turn_to_text(self, fault: FormatError | None) -> None:
        """Go on with a table with text; if no one delimiter allows it, raise the error of the number that needs it."""
        try:
            self._table = self._text_table()
        except FormatError:
            if fault is None:
                raise
            raise fault from None

    def _unread(self) -> list[int]:
        """Columns whose numbers are not needed."""
        n_columns = 0 if self._shape is None else self._shape.n_columns
        if self._demand.keys is None or self._demand.numbers is None:
            return []
        needed = {key.column for key in self._demand.keys} | set(self._demand.numbers)
        return [column for column in range(n_columns) if column not in needed]

    def _empty_table(self, keys: tuple[Key, ...]) -> Table:
        """No records, of as many columns as are asked for."""
        held = tuple(sorted({key.column for key in keys} | set(self._demand.numbers or ())))
        n_columns = max(len(number_words(self._header or b"")), self._least_columns, *(number + 1 for number in held))
        none = np.empty(0, np.int64)
        places = none if self._demand.as_read else None
        spelling = Spelling(np.empty(0, np.uint8), n_columns)
        file_format = NumberFormat("text", header=self._header)
        return Table(Columns(tuple(none for _ in held), file_format, spelling, places, held), {})


def _rest(
    text: NDArray[np.uint8], parts: Generator[tuple[ParsedNumbers | None, NDArray[np.uint8]], None, None]
) -> Iterator[NDArray[np.uint8]]:
    """A text, and those that are still to come."""
    with closing(parts):
        yield text
        for _parsed, other in parts:
            yield other


def _check_start(path: str, start: TextStart, n_before: int, may_be_text: bool) -> None:
    """Raise an error at once if the first word can be neither number nor text, however long its line is."""
    word = first_word(start.head)
    if b"\0" in word or (len(word) >= _LONGEST_WORD and not (may_be_text and word.isascii())):
        place = f"{display_name(path)}: line {start.n_lines + n_before + 1:,}"
        raise FormatError(f"{place}: '{shorten(word)}' is not a number", _RAW)


def _error(
    path: str, fault: NumberFault, text: NDArray[np.uint8], numbers: NumberBlocks, shape: TableShape
) -> FormatError:
    """Build the error of a record in a block that follows some lines."""
    where = numbers.place(numbers.n_lines + fault.line)
    if fault.word is None:
        line = text[fault.start :].tobytes().split(b"\n", 1)[0]
        same_file, _, line_there = shape.place.rpartition(": ")
        there = line_there if same_file == display_name(path) else shape.place
        here = counted(len(number_words(line)), "column")
        return FormatError(f"{where}: {here}, but {shape.n_columns} in {there}", _ONE_A_LINE)
    shown = shorten(fault.word)
    if fault.is_too_large:
        return FormatError(f"{where}: {shown} is beyond the range of floats", "give numbers up to 1.8e308, or inf")
    is_text = fault.word.decode(errors="replace").isprintable()
    return FormatError(f"{where}: '{shown}' is not a number", _ONE_A_LINE if is_text else _RAW)
