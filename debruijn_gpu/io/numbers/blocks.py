"""Columns from the blocks of a text, each parsed by itself."""

from __future__ import annotations

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
    path : str
        For messages.
    n_bytes_allowed : int, optional
        Most bytes that the numbers may take.
    n_lines : int
        Lines before the first block.
    """

    def __init__(self, path: str, n_bytes_allowed: int | None, n_lines: int = 0) -> None:
        self._path = path
        self._allowed = n_bytes_allowed
        self._blocks: list[ParsedNumbers] = []
        self._n_bytes = self._n_records = 0
        self._lines = bytearray()  # grows in place, so that nothing is concatenated later
        self._has_places = False
        self.n_lines = n_lines

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

    def _dtype(self, column: int) -> type[np.generic]:
        """Return a dtype that holds all numbers of a column."""
        blocks = self._blocks
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
                    f"an integer above 2^53 in column {column + 1}, which also has floats: these would round it",
                    "give integers alone, or write it as a float (9007199254740993.0) if it need not be exact",
                )
            return np.float64
        if huge is not None:
            raise self._error(
                huge,
                f"an integer beyond 64 bits in column {column + 1}",
                "give it as a float (1e20) if it need not be exact",
            )
        if large is None:
            return np.int64
        if any(block.negative[column] for block in blocks):
            raise self._error(
                large,
                f"an integer above 2^63 - 1 in column {column + 1}, which also has negative ones",
                "no integer type of 64 bits holds both; give them as floats if they need not be exact",
            )
        return np.uint64

    def _error(self, line: int, what: str, fix: str) -> FormatError:
        return FormatError(f"{display_name(self._path)}: line {line + 1:,}: {what}", fix)

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
