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

from debruijn_gpu import progress
from debruijn_gpu.backends.number_interface import NumberKind
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.lines import whole_lines
from debruijn_gpu.io.memory import check_size, longest_line
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.io.text_start import TextStart, find_text
from debruijn_gpu.parallel import ordered_map
from debruijn_gpu.primitives.columns import Columns, Form

if TYPE_CHECKING:
    from debruijn_gpu.backends.number_interface import NumberBackend, NumberFault, ParsedNumbers

#: Numbers that become text at once: a few MB
_PRINTED_AT_ONCE = 1 << 17

_SHOWN_BYTES = 40  # of what is no number
_LONGEST_WORD = 1 << 15

_COMMENT = b"#"
_SEPARATOR = re.compile(rb"[ \t]*,[ \t]*|[ \t]+")
_DTYPES = {NumberKind.SIGNED: np.int64, NumberKind.UNSIGNED: np.uint64, NumberKind.DOUBLE: np.float64}

_ONE_A_LINE = "give numbers, one record a line, with as many columns in each"
_RAW = "give numbers as text, or name their type if the file is raw (--dtype u32 ...)"


def read_text(
    path: str, blocks: Iterable[Block], backend: NumberBackend, threads: int, n_bytes_allowed: int | None
) -> Columns:
    """Parse text; parameters as in `numbers.read_columns`."""
    lines = _WholeLines(display_name(path), blocks, longest_line(n_bytes_allowed))
    pieces: list[ParsedNumbers] = []
    n_lines, n_bytes = lines.first_line - 1, 0
    parse = lambda text: (backend.parse_numbers(text, lines.n_columns), text)  # noqa: E731
    for parsed, text in ordered_map(parse, lines, threads):
        if parsed.fault is not None:
            raise _error(path, parsed.fault, text, n_lines, lines)
        parsed.large_line[parsed.large_line >= 0] += n_lines
        parsed.huge_line[parsed.huge_line >= 0] += n_lines
        n_lines += parsed.n_lines
        n_bytes += parsed.bits.nbytes
        check_size(n_bytes, n_bytes_allowed)
        pieces.append(parsed)
    if not pieces:
        return Columns((np.empty(0, np.int64),), Form("text", lines.separator))
    dtypes = [_dtype(path, pieces, column) for column in range(lines.n_columns)]
    return Columns(_joined(pieces, dtypes), Form("text", lines.separator))


class _WholeLines:
    """Blocks of whole lines, from the first record on.

    Attributes
    ----------
    n_columns, separator
        As the first record has it; known as soon as there is a block.
    first_line : int
        The line of the first record, 1 for the first of the file.
    """

    def __init__(self, source: str, blocks: Iterable[Block], most_bytes: int | None) -> None:
        start = find_text(blocks, _COMMENT)
        _check_start(source, start)
        self._texts = whole_lines(start.blocks, source, most_bytes) if start.head else iter(())
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
        self.n_columns = len(_words(line))
        separator = _SEPARATOR.search(line.strip())
        if separator is not None:
            self.separator = b"," if b"," in separator[0] else separator[0][:1]


def _check_start(source: str, start: TextStart) -> None:
    """Raise an error at once if the first word cannot be a number, however long its line is."""
    words = _SEPARATOR.split(start.head.lstrip().split(b"\n", 1)[0], 1)
    if b"\0" in words[0] or len(words[0]) >= _LONGEST_WORD:
        shown = words[0][:_SHOWN_BYTES].decode(errors="replace") + "..."
        raise FormatError(f"{source}: line {start.n_lines + 1:,}: {shown!r} is not a number", _RAW)


def _words(line: bytes) -> list[bytes]:
    """The columns of a line; none if it holds no record."""
    stripped = line.strip(b" \t\r\n")
    return [] if not stripped or stripped.startswith(_COMMENT) else _SEPARATOR.split(stripped)


def _error(path: str, fault: NumberFault, text: NDArray[np.uint8], n_lines: int, lines: _WholeLines) -> FormatError:
    """What is wrong with a record of a block that comes after `n_lines` lines."""
    where = f"{display_name(path)}: line {n_lines + fault.line + 1:,}"
    if fault.word is None:
        line = text[fault.start :].tobytes().split(b"\n", 1)[0]
        here, there = _counted(len(_words(line))), f"{lines.n_columns} in line {lines.first_line:,}"
        return FormatError(f"{where}: {here}, but {there}", _ONE_A_LINE)
    word = fault.word.decode(errors="replace")
    shown = word if len(word) <= _SHOWN_BYTES else word[:_SHOWN_BYTES] + "..."
    return FormatError(f"{where}: {shown!r} is not a number", _ONE_A_LINE if word.isprintable() else _RAW)


def _counted(n_columns: int) -> str:
    return "1 column" if n_columns == 1 else f"{n_columns} columns"


def _dtype(path: str, pieces: Sequence[ParsedNumbers], column: int) -> type[np.generic]:
    """What holds all numbers of a column."""
    if any(piece.fractional[column] for piece in pieces):
        return np.float64
    huge = next((int(piece.huge_line[column]) for piece in pieces if piece.huge_line[column] >= 0), None)
    if huge is not None:
        raise FormatError(
            f"{display_name(path)}: line {huge + 1:,}: an integer beyond 64 bits in column {column + 1}",
            "give it as a float (1e20) if it need not be exact",
        )
    large = next((int(piece.large_line[column]) for piece in pieces if piece.large_line[column] >= 0), None)
    if large is None:
        return np.int64
    if any(piece.negative[column] for piece in pieces):
        raise FormatError(
            f"{display_name(path)}: line {large + 1:,}: an integer above 2^63 - 1 in column {column + 1}, "
            "which also has negative ones",
            "no integer type of 64 bits holds both; give them as floats if they need not be exact",
        )
    return np.uint64


def _joined(pieces: list[ParsedNumbers], dtypes: Sequence[type[np.generic]]) -> tuple[NDArray[Any], ...]:
    """The columns of all blocks, each block let go of when it is copied."""
    if len(pieces) == 1 and all(_DTYPES[kind] is dtype for kind, dtype in zip(pieces[0].kinds, dtypes, strict=True)):
        return tuple(row.view(dtype) for row, dtype in zip(pieces[0].bits, dtypes, strict=True))
    n = sum(piece.bits.shape[1] for piece in pieces)
    columns = tuple(np.empty(n, dtype) for dtype in dtypes)
    start = 0
    while pieces:
        piece = pieces.pop(0)
        stop = start + piece.bits.shape[1]
        for bits, kind, column in zip(piece.bits, piece.kinds, columns, strict=True):
            column[start:stop] = bits.view(_DTYPES[kind])
        start = stop
    return columns


def write_text(
    stream: BinaryIO, arrays: Sequence[NDArray[Any]], separator: bytes, backend: NumberBackend, threads: int
) -> None:
    """Write records as lines."""
    n, n_at_once = len(arrays[0]), _rows_at_once(arrays)
    texts = printed(arrays, separator, backend, threads)
    for text in progress.through(texts, -(-n // n_at_once) * n_at_once, "records", lambda _: n_at_once):
        stream.write(text.data)


def _rows_at_once(arrays: Sequence[NDArray[Any]]) -> int:
    return max(1, _PRINTED_AT_ONCE // len(arrays))


def printed(
    arrays: Sequence[NDArray[Any]],
    separator: bytes,
    backend: NumberBackend,
    threads: int,
    decimals: Sequence[int] = (),
) -> Iterator[NDArray[np.uint8]]:
    """Records as lines, some at a time; ``decimals`` as in `NumberBackend.number_lines`."""
    n, n_at_once = len(arrays[0]), _rows_at_once(arrays)

    def print_from(start: int) -> NDArray[np.uint8]:
        return backend.number_lines(arrays, separator, start, min(start + n_at_once, n), decimals)

    yield from ordered_map(print_from, range(0, n, n_at_once), threads)
