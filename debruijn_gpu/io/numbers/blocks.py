"""Columns from the blocks of a text, each parsed by itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import NumberKind
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.io.reading_again import check_size
from debruijn_gpu.primitives.columns import Columns, NumberFormat, Spelling

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import TextBackend
    from debruijn_gpu.backends.text.containers import ParsedNumbers

_DTYPES = {NumberKind.SIGNED: np.int64, NumberKind.UNSIGNED: np.uint64, NumberKind.DOUBLE: np.float64}
_PLACE_BYTES = 8
_NEWLINE = ord("\n")


class NumberBlocks:
    """The parsed blocks of a text.

    Parameters
    ----------
    n_bytes_allowed : int, optional
        Most bytes that the numbers may take.
    numbers : sequence of int, optional
        Numbers of the columns, from 0, for messages; by default 0, 1, ...
    """

    def __init__(self, n_bytes_allowed: int | None, numbers: Sequence[int] | None = None) -> None:
        self._allowed = n_bytes_allowed
        self._numbers = numbers
        self._files: list[tuple[int, str]] = []
        self._blocks: list[ParsedNumbers] = []
        self._n_bytes = self._n_records = 0
        self._lines = bytearray()  # grows in place, so that nothing is concatenated later
        self._has_places = False
        self.n_lines = 0

    def selected(self, numbers: Sequence[int]) -> NumberBlocks:
        """Some columns, by their numbers, of the same blocks, without lines."""
        chosen = NumberBlocks(self._allowed, numbers)
        chosen._files, chosen.n_lines, chosen._n_records = self._files, self.n_lines, self._n_records
        chosen._blocks = [_selected(block, list(numbers)) for block in self._blocks]
        chosen._n_bytes = sum(block.bits.nbytes for block in chosen._blocks)
        return chosen

    def start_file(self, path: str, n_lines: int) -> None:
        """Begin a file with some lines before its first block."""
        self._files.append((self.n_lines, path))
        self.n_lines += n_lines

    def place(self, line: int) -> str:
        """Name the file and the line in it of a line (from 0) of all blocks."""
        first, path = self._files[bisect_right(self._files, line, key=lambda file: file[0]) - 1]
        return f"{display_name(path)}: line {line - first + 1:,}"

    def add(self, block: ParsedNumbers) -> None:
        """Take the next block."""
        for line in (block.large_line, block.huge_line, block.inexact_line):
            line[line >= 0] += self.n_lines
        self.n_lines += block.n_lines
        self._n_records += block.bits.shape[1]
        self._n_bytes += block.bits.nbytes
        self._blocks.append(self._keep(block))

    def _keep(self, block: ParsedNumbers) -> ParsedNumbers:
        """Move the lines of a block to those of all blocks, and check the memory."""
        places, self._has_places = block.places, self._has_places or block.places is not None
        n_bytes = self._n_bytes + (_PLACE_BYTES * self._n_records if self._has_places else 0)
        check_size(n_bytes, self._allowed, len(self._lines) + len(block.lines))
        if places is not None:
            places[places >= 0] += len(self._lines)
            self._lines += block.lines.data
        return replace(block, lines=block.lines[:0].copy())

    def columns(self, file_format: NumberFormat, as_read: bool, backend: TextBackend) -> Columns:
        """Concatenate all records; the blocks are freed. ``as_read``: with lines whose spelling is not canonical."""
        if not self._blocks:
            return Columns((np.empty(0, np.int64),), file_format)
        dtypes = [self._dtype(column) for column in range(len(self._blocks[0].kinds))]
        if as_read:
            self._keep_integers(dtypes, file_format.separator, backend)
        if not self._has_places:
            return Columns(self._concatenated(dtypes), file_format)
        places = np.empty(self._n_records, np.int64)
        spelling = Spelling(np.frombuffer(self._lines, np.uint8), len(dtypes))
        return Columns(self._concatenated(dtypes, places), file_format, spelling, places)

    def fault_of(self, columns: Iterable[int]) -> FormatError | None:
        """Return the error of the first of some columns whose numbers no dtype holds together."""
        try:
            for column in columns if self._blocks else ():
                self._dtype(column)
        except FormatError as error:
            return error
        return None

    def _dtype(self, column: int) -> type[np.generic]:
        """Return a dtype that holds all numbers of a column."""
        blocks, number = self._blocks, (column if self._numbers is None else self._numbers[column]) + 1
        huge, inexact, large = (
            next((line for line in lines if line >= 0), None)
            for lines in zip(
                *((p.huge_line[column], p.inexact_line[column], p.large_line[column]) for p in blocks), strict=True
            )
        )
        if any(block.fractional[column] for block in blocks):
            if inexact is not None:
                raise self._error(
                    inexact,
                    f"an integer above 2^53 in column {number}, which also has floats: these would round it",
                    "give integers alone, or write it as a float (9007199254740993.0) if it need not be exact",
                )
            return np.float64
        if huge is not None:
            raise self._error(
                huge,
                f"an integer beyond 64 bits in column {number}",
                "give it as a float (1e20) if it need not be exact",
            )
        if large is None:
            return np.int64
        if any(block.negative[column] for block in blocks):
            raise self._error(
                large,
                f"an integer above 2^63 - 1 in column {number}, which also has negative ones",
                "no integer type of 64 bits holds both; give them as floats if they need not be exact",
            )
        return np.uint64

    def _error(self, line: int, what: str, fix: str) -> FormatError:
        return FormatError(f"{self.place(line)}: {what}", fix)

    def as_text(self, separator: bytes, backend: TextBackend) -> Iterator[NDArray[np.uint8]]:
        """Yield the records of each block as lines; the blocks are freed."""
        lines = np.frombuffer(bytes(self._lines), np.uint8)
        while self._blocks:
            block = self._blocks.pop(0)
            numbers = [bits.view(_DTYPES[kind]) for bits, kind in zip(block.bits, block.kinds, strict=True)]
            places = np.full(block.bits.shape[1], -1) if block.places is None else block.places
            yield backend.text.record_lines(numbers, separator, places, lines, len(numbers), [])

    def _keep_integers(self, dtypes: list[type[np.generic]], separator: bytes, backend: TextBackend) -> None:
        """Keep the records of blocks of integers, where a column has floats in others: these are written otherwise."""
        for i, block in enumerate(self._blocks):
            n = block.bits.shape[1]
            if not n or all(_DTYPES[k] is t or t is not np.float64 for k, t in zip(block.kinds, dtypes, strict=True)):
                continue
            numbers = [bits.view(_DTYPES[kind]) for bits, kind in zip(block.bits, block.kinds, strict=True)]
            lines = backend.text.number_lines(numbers, separator, 0, n)
            places = np.concatenate(([0], np.flatnonzero(lines == _NEWLINE)[:-1] + 1))
            known, is_known = block.places, block.places is not None and block.places >= 0
            self._blocks[i] = self._keep(replace(block, lines=lines, places=places))
            if known is not None:
                places[is_known] = known[is_known]

    def _concatenated(
        self, dtypes: list[type[np.generic]], places: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[Any], ...]:
        """Concatenate the columns of all blocks, and their places if there are any; free each block once copied."""
        first = self._blocks[0]
        if places is None and len(self._blocks) == 1 and [_DTYPES[kind] for kind in first.kinds] == dtypes:
            return tuple(row.view(dtype) for row, dtype in zip(first.bits, dtypes, strict=True))
        columns = tuple(np.empty(self._n_records, dtype) for dtype in dtypes)
        start = 0
        while self._blocks:
            block = self._blocks.pop(0)
            stop = start + block.bits.shape[1]
            for bits, kind, column in zip(block.bits, block.kinds, columns, strict=True):
                column[start:stop] = bits.view(_DTYPES[kind])
            if places is not None:
                places[start:stop] = -1 if block.places is None else block.places
            start = stop
        return columns


def _selected(block: ParsedNumbers, columns: list[int]) -> ParsedNumbers:
    """Some columns of a block, without lines."""
    return replace(
        block,
        bits=block.bits[columns],
        kinds=tuple(block.kinds[column] for column in columns),
        negative=block.negative[columns],
        fractional=block.fractional[columns],
        large_line=block.large_line[columns],
        huge_line=block.huge_line[columns],
        inexact_line=block.inexact_line[columns],
        lines=block.lines[:0],
        places=None,
    )
