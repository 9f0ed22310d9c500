"""Collect the rows of a text, block by block: vertices as numbers, and their names unless all are integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import NameRows, NumberRows, RowFault, RowFaultKind, RowFormat
from debruijn_gpu.errors import FormatError
from debruijn_gpu.graph.names import TextNames
from debruijn_gpu.io.graphs.formats import find_other_format
from debruijn_gpu.io.graphs.headers import Header

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import TextBackend
    from debruijn_gpu.backends.text.containers import NameTable


class CollectedRows:
    """The rows of all blocks so far.

    Attributes
    ----------
    table : NameTable or None
        The names; None as long as all are numbers. Those of a header that may be an edge are the first two.
    """

    def __init__(self, backend: TextBackend, row_format: RowFormat, header: Header | None) -> None:
        self._backend = backend
        self._row_format = row_format
        self._header = header
        self._holds_header = False
        self._blocks: list[NumberRows] = []
        self._deferred: FormatError | None = None
        self.table: NameTable | None = None

    def parse(self, text: NDArray[np.uint8]) -> tuple[NumberRows | NameRows, NDArray[np.uint8]]:
        """Parse lines; as numbers unless there were names already."""
        numbers = self._backend.text.parse_number_rows(text, self._row_format) if self.table is None else None
        if numbers is not None:
            return numbers, text
        rows = self._backend.text.parse_name_rows(text, self._row_format)
        other = find_other_format(text, self._row_format)
        is_first = rows.fault is None or (self._header is None and other is not None and other <= rows.fault.position)
        if other is not None and is_first:
            rows = replace(rows, fault=RowFault(RowFaultKind.OTHER_FORMAT, other))
        return rows, text

    def refuse(self, error: FormatError, kind: RowFaultKind) -> None:
        """Raise the error of a line, or keep it until the header turns out to be an edge: a header allows any name."""
        if self._header is None or kind is not RowFaultKind.OTHER_FORMAT:
            raise error
        self._deferred = self._deferred or error

    def _new_table(self) -> NameTable:
        """A table of names that holds those of a header that may be an edge."""
        table = self._backend.text.name_table()
        if self._header is not None and self._header.may_be_edge:
            text = np.frombuffer(bytearray(self._header.content + b"\n"), np.uint8)
            rows = self._backend.text.parse_name_rows(text, self._row_format)
            self._holds_header = rows.fault is None
            if self._holds_header:
                table.add(text, rows.starts, rows.ends, rows.hashes)
        return table

    def add(self, rows: NumberRows | NameRows, text: NDArray[np.uint8]) -> int:
        """Take the next rows; about how many bytes they need."""
        if isinstance(rows, NameRows) and self.table is None:
            self.table = self._new_table()
            self._blocks = [self._named(block) for block in self._blocks]
        if isinstance(rows, NameRows):
            assert self.table is not None
            ids = self.table.add(text, rows.starts, rows.ends, rows.hashes)
            block = _split(ids, rows)
        else:
            block = rows if self.table is None else self._named(rows)
        self._blocks.append(block)
        return sum(array.nbytes for array in (block.tails, block.row_ends, block.heads, block.weights))

    def _named(self, rows: NumberRows) -> NumberRows:
        """Rows with what numbers are as names in place of them."""
        assert self.table is not None
        firsts = np.append(0, rows.row_ends[:-1])[: len(rows.tails)] + np.arange(len(rows.tails))
        in_order = np.empty(len(rows.tails) + len(rows.heads), np.int64)
        is_head = np.ones(len(in_order), np.bool_)
        is_head[firsts] = False
        in_order[firsts], in_order[is_head] = rows.tails, rows.heads
        ids = self.table.add(*self._backend.text.number_names(in_order)).astype(np.int64)
        return NumberRows(ids[firsts], rows.row_ends, ids[is_head], rows.weights)

    def rows(self, path: str) -> tuple[NumberRows, TextNames | None]:
        """Concatenate the rows of all blocks and free these; the names, too, if there are any.

        Raises
        ------
        FormatError
            If the header is an edge, and a line has another format.
        """
        rows, is_edge = _concatenate(self._blocks), False
        self._blocks = []
        names = None if self.table is None else TextNames(*self.table.names())
        if names is not None and self._holds_header:
            assert self._header is not None
            others = TextNames(names.offsets[2:] - names.offsets[2], names.letters[names.offsets[2] :])
            is_edge = self._header.is_edge(rows.tails, rows.heads, others.letters)
            if is_edge:
                ends = np.append(1, rows.row_ends + 1)
                rows = replace(rows, tails=np.append(0, rows.tails), row_ends=ends, heads=np.append(1, rows.heads))
            else:
                names = others
                np.subtract(rows.tails, 2, out=rows.tails)
                np.subtract(rows.heads, 2, out=rows.heads)
        if self._header is not None:
            self._header.log(path, is_edge)
        if is_edge and self._deferred is not None:
            raise self._deferred
        return rows, names


def _concatenate(blocks: Sequence[NumberRows]) -> NumberRows:
    """The rows of blocks as those of one."""
    if len(blocks) == 1:
        return blocks[0]
    n_before, ends = 0, [np.empty(0, np.int64)]
    for block in blocks:
        ends.append(block.row_ends + n_before)
        n_before += len(block.heads)
    none = np.empty(0, np.int64)
    return NumberRows(
        np.concatenate([none, *(block.tails for block in blocks)]),
        np.concatenate(ends),
        np.concatenate([none, *(block.heads for block in blocks)]),
        np.concatenate([none.astype(np.float64), *(block.weights for block in blocks)]),
    )


def _split(ids: NDArray[np.uint32], rows: NameRows) -> NumberRows:
    """Rows with numbers in place of names."""
    is_head = np.ones(len(ids), np.bool_)
    is_head[rows.firsts] = False
    row_ends = np.append(rows.firsts[1:], len(ids))[: len(rows.firsts)] - np.arange(1, len(rows.firsts) + 1)
    return NumberRows(ids[rows.firsts].astype(np.int64), row_ends, ids[is_head].astype(np.int64), rows.weights)
