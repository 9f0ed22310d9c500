"""Write columns of numbers, and lines with text beside them, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.io.numbers.first_lines import number_words
from debruijn_gpu.io.numbers.splitting import DELIMITERS, split_line
from debruijn_gpu.primitives.columns import Columns, NumberFormat, check_column
from debruijn_gpu.run import progress
from debruijn_gpu.run.parallel import ordered_map

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import TextBackend

#: Numbers that become text at once: a few MB
_PRINTED_AT_ONCE = 1 << 17

_COPIED_AT_ONCE = 1 << 23  # bytes of lines as they were read


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
        _check_words(columns, separator)
        fields = range(columns.n_columns)  # word by word, as whole lines have the other separator
    separator = separator or file_format.separator
    if file_format.header is not None:
        stream.write(_header(columns, fields, separator) + b"\n")
    arrays = _shown(columns, fields)
    n, n_at_once = len(columns), _lines_at_once(columns, arrays)
    if columns.places is None:
        texts = printed(arrays, separator, backend, threads)
    else:
        texts = _as_read(columns, arrays, fields, separator, backend, threads)
    for text in progress.through(texts, -(-n // n_at_once) * n_at_once, "records", lambda _: n_at_once):
        stream.write(text.data)


def _check_words(columns: Columns, separator: bytes | None) -> None:
    """Raise ParameterError if words would hold the separator with which they are to be written."""
    spelling = columns.spelling
    if columns.held is None or spelling is None or (separator == b"\t" and spelling.delimiter == b" "):
        return
    if separator is not None and (spelling.lines == separator[0]).any():
        shown = "a tab" if separator == b"\t" else f"'{separator.decode()}'"
        raise ParameterError(
            f"the text holds {shown}, which is to separate columns", "write another format (--format text|tsv|csv)"
        )


def _header(columns: Columns, fields: Sequence[int], separator: bytes) -> bytes:
    """The line before the records: as read, or the names of some columns."""
    line = columns.file_format.header
    assert line is not None
    if not fields:
        return line
    known = b"" if columns.spelling is None else columns.spelling.delimiter
    splits = [split_line(line, known) if known else number_words(line), *(split_line(line, d) for d in DELIMITERS)]
    names = next((names for names in splits if len(names) == columns.n_columns), None)
    if names is None:
        raise ParameterError(
            f"the header has not one name for each of {columns.n_columns} columns", "leave --fields, or --header, out"
        )
    for field in fields:
        check_column(field, columns.n_columns)
    return separator.join(names[field] for field in fields)


def _shown(columns: Columns, fields: Sequence[int]) -> Sequence[NDArray[Any]]:
    """Columns to write, by `_as_read` if some are in lines only; zeros are where no array is needed."""
    if columns.held is None or columns.places is None:
        return [columns.column(field) for field in fields] or columns.arrays
    assert columns.spelling is not None
    n_read, in_line = columns.spelling.n_columns, np.broadcast_to(np.int64(0), len(columns))
    for field in fields:
        check_column(field, columns.n_columns)
    shown = [in_line if field < n_read else columns.column(field) for field in fields]
    return shown or [in_line, *(columns.column(number) for number in range(n_read, columns.n_columns))]


def _as_read(
    columns: Columns,
    arrays: Sequence[NDArray[Any]],
    fields: Sequence[int],
    separator: bytes,
    backend: TextBackend,
    threads: int,
) -> Iterator[NDArray[np.uint8]]:
    """Records as they were read; see `TextOperations.record_lines`."""
    assert columns.spelling is not None
    n, n_at_once, n_read = len(columns), _lines_at_once(columns, arrays), columns.spelling.n_columns
    words = [field if field < n_read else -1 for field in fields] or [-1] * (columns.n_columns - n_read)
    lines, n_whole = columns.spelling.lines, len(arrays) - len(words)

    def print_from(start: int) -> NDArray[np.uint8]:
        part = slice(start, start + n_at_once)
        shown = [array[part] for array in arrays]
        places, delimiter = columns.places[part], columns.spelling.delimiter  # type: ignore[index, union-attr]
        return backend.text.record_lines(shown, separator, places, lines, n_whole, words, delimiter)

    return ordered_map(print_from, range(0, n, n_at_once), threads)


def _lines_at_once(columns: Columns, arrays: Sequence[NDArray[Any]]) -> int:
    """Number of records to write at once; long lines are fewer."""
    if columns.spelling is None or not len(columns):
        return _rows_at_once(arrays)
    return max(1, min(_rows_at_once(arrays), _COPIED_AT_ONCE * len(columns) // max(1, len(columns.spelling.lines))))


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
