"""Columns of numbers as lines of text.

The text is cut into blocks of whole lines, which are parsed in threads. What a column holds (integers with or without
a sign, or floats) shows only at the end, so each block keeps its own view until then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.lines import TextStart, find_text, whole_lines
from debruijn_gpu.io.numbers.arrays import check_columns
from debruijn_gpu.io.numbers.blocks import NumberBlocks
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.io.reading_again import longest_line
from debruijn_gpu.primitives.columns import Columns, NumberFormat
from debruijn_gpu.run import progress
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import counted, shorten

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import TextBackend
    from debruijn_gpu.backends.text.containers import NumberFault, ParsedNumbers

#: Numbers that become text at once: a few MB
_PRINTED_AT_ONCE = 1 << 17

_LONGEST_WORD = 1 << 15

_COMMENT = b"#"
_SEPARATOR = re.compile(rb"[ \t]*,[ \t]*|[ \t]+")
_ONE_A_LINE = "give one record of numbers per line, with the same number of columns in each"
_RAW = "give numbers as text, or name their type if the file is raw (--dtype u32 ...)"


def read_text(
    path: str,
    blocks: Iterable[Block],
    backend: TextBackend,
    threads: int,
    n_bytes_allowed: int | None,
    as_read: bool = False,
) -> Columns:
    """Parse text; parameters as in `numbers.read_columns`."""
    lines = _WholeLines(display_name(path), blocks, n_bytes_allowed)
    records = NumberBlocks(path, n_bytes_allowed, lines.first_line - 1)

    def parse(text: NDArray[np.uint8]) -> tuple[ParsedNumbers, NDArray[np.uint8]]:
        return backend.text.parse_numbers(text, lines.n_columns, lines.separator if as_read else b""), text

    for parsed, text in ordered_map(parse, lines, threads):
        if parsed.fault is not None:
            raise _error(path, parsed.fault, text, records.n_lines, lines)
        records.add(parsed)
    return records.columns(NumberFormat("text", lines.separator), as_read, backend)


class _WholeLines:
    """Blocks of whole lines, from the first record on.

    Attributes
    ----------
    n_columns, separator
        As the first record has it; known as soon as there is a block.
    first_line : int
        The line of the first record, 1 for the first of the file.
    """

    def __init__(self, source: str, blocks: Iterable[Block], n_bytes_allowed: int | None) -> None:
        start = find_text(blocks, _COMMENT)
        _check_start(source, start)
        self._source = source
        self._allowed = n_bytes_allowed
        self._texts = whole_lines(start.blocks, source, longest_line(n_bytes_allowed)) if start.head else iter(())
        self.n_columns = 0
        self.separator = b"\t"
        self.first_line = start.n_lines + 1

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        for text in self._texts:
            if not self.n_columns:
                self._look(text.tobytes().split(b"\n", 1)[0])
            yield text

    def _look(self, line: bytes) -> None:
        """Take columns and separator from the first record."""
        n_columns = len(_words(line))
        check_columns(self._source, n_columns, self._allowed)
        self.n_columns = n_columns
        separator = _SEPARATOR.search(line.strip())
        if separator is not None:
            self.separator = b"," if b"," in separator[0] else separator[0][:1]


def _check_start(source: str, start: TextStart) -> None:
    """Raise an error at once if the first word cannot be a number, however long its line is."""
    words = _SEPARATOR.split(start.head.lstrip().split(b"\n", 1)[0], 1)
    if b"\0" in words[0] or len(words[0]) >= _LONGEST_WORD:
        raise FormatError(f"{source}: line {start.n_lines + 1:,}: '{shorten(words[0])}' is not a number", _RAW)


def _words(line: bytes) -> list[bytes]:
    """The columns of a line; none if it holds no record."""
    stripped = line.strip(b" \t\r\n")
    return [] if not stripped or stripped.startswith(_COMMENT) else _SEPARATOR.split(stripped)


def _error(path: str, fault: NumberFault, text: NDArray[np.uint8], n_lines: int, lines: _WholeLines) -> FormatError:
    """Build the error of a record in a block that follows `n_lines` lines."""
    where = f"{display_name(path)}: line {n_lines + fault.line + 1:,}"
    if fault.word is None:
        line = text[fault.start :].tobytes().split(b"\n", 1)[0]
        here, there = counted(len(_words(line)), "column"), f"{lines.n_columns} in line {lines.first_line:,}"
        return FormatError(f"{where}: {here}, but {there}", _ONE_A_LINE)
    shown, is_text = shorten(fault.word), fault.word.decode(errors="replace").isprintable()
    if fault.is_too_large:
        return FormatError(f"{where}: {shown} is beyond the range of floats", "give numbers up to 1.8e308, or inf")
    return FormatError(f"{where}: '{shown}' is not a number", _ONE_A_LINE if is_text else _RAW)


def write_text(
    stream: BinaryIO,
    columns: Columns,
    fields: Sequence[int],
    backend: TextBackend,
    threads: int,
    separator: bytes | None = None,
) -> None:
    """Write records, or some columns of them, as lines; by default with the separator of the text that was read."""
    file_format = columns.file_format if columns.file_format.kind == "text" else NumberFormat()
    if separator not in (None, file_format.separator) and not fields:
        fields = range(len(columns.arrays))  # word by word, as whole lines have the other separator
    separator = separator or file_format.separator
    arrays = [columns.column(field) for field in fields] or columns.arrays
    n, n_at_once = len(columns), _rows_at_once(arrays)
    if columns.places is None:
        texts = printed(arrays, separator, backend, threads)
    else:
        texts = _as_read(columns, arrays, fields, separator, backend, threads)
    for text in progress.through(texts, -(-n // n_at_once) * n_at_once, "records", lambda _: n_at_once):
        stream.write(text.data)


def _as_read(
    columns: Columns,
    arrays: Sequence[NDArray[Any]],
    fields: Sequence[int],
    separator: bytes,
    backend: TextBackend,
    threads: int,
) -> Iterator[NDArray[np.uint8]]:
    """Records as they were read; see `NumberBackend.record_lines`."""
    assert columns.spelling is not None
    n, n_at_once, n_read = len(columns), _rows_at_once(arrays), columns.spelling.n_columns
    words = [field if field < n_read else -1 for field in fields] or [-1] * (len(arrays) - n_read)
    lines, n_whole = columns.spelling.lines, 0 if fields else n_read

    def print_from(start: int) -> NDArray[np.uint8]:
        part = slice(start, start + n_at_once)
        shown = [array[part] for array in arrays]
        return backend.text.record_lines(shown, separator, columns.places[part], lines, n_whole, words)  # type: ignore[index]

    return ordered_map(print_from, range(0, n, n_at_once), threads)


def _rows_at_once(arrays: Sequence[NDArray[Any]]) -> int:
    return max(1, _PRINTED_AT_ONCE // len(arrays))


def printed(
    arrays: Sequence[NDArray[Any]],
    separator: bytes,
    backend: TextBackend,
    threads: int,
    decimals: Sequence[int] = (),
) -> Iterator[NDArray[np.uint8]]:
    """Records as lines, some at a time; ``decimals`` as in `NumberBackend.number_lines`."""
    n, n_at_once = len(arrays[0]), _rows_at_once(arrays)

    def print_from(start: int) -> NDArray[np.uint8]:
        return backend.text.number_lines(arrays, separator, start, min(start + n_at_once, n), decimals)

    yield from ordered_map(print_from, range(0, n, n_at_once), threads)
