"""Graphs from lines of text.

Blocks of whole lines are parsed in threads. As long as all names are integers nothing but these is kept; with the first
other name, those so far become names like any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import NameRows, NumberRows, RowFault, RowFaultKind, RowFormat
from debruijn_gpu.errors import FormatError, ParameterError, UsageError
from debruijn_gpu.graph.build import graph_from_rows, graph_from_vector
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import NUMBERS, Labels, TextNames, VertexNames
from debruijn_gpu.io.graphs.formats import find_other_format
from debruijn_gpu.io.graphs.vertex_names import COLUMNS_FIX, row_error
from debruijn_gpu.io.lines import whole_lines
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.io.reading_again import check_size, longest_line
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import shorten

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import TextBackend
    from debruijn_gpu.backends.text.containers import NameTable

_NAMES_AT_ONCE = 1 << 20  # looked at whether they are UTF-8
#: Names of a longer line are counted before it is parsed: each takes so many bytes, `COPIES` times
_LONG_LINE, _BYTES_PER_NAME = 1 << 24, 14
_DENSE = 8  # numbers are looked up in a table of all if that is at most so many times as long as there are of them


def read_rows(
    path: str,
    blocks: Iterable[Block],
    row_format: RowFormat,
    first_line: int,
    n_vertices: int | None,
    backend: TextBackend,
    threads: int,
    n_bytes_allowed: int | None,
) -> Graph:
    """Read lines of vertices with their successors, of edges, or of the heads of a vector.

    If all names are integers, vertices are in numeric order. Else they are in the order of their first lines, and those
    without a line of their own follow as they first come, so that a graph that was written reads as the same. Lines of
    one vertex are taken together, and its successors stay in the order of the text.

    Parameters
    ----------
    path : str
        For messages.
    blocks : iterable of Block
        The text from its first record on.
    row_format : RowFormat
    first_line : int
        The number of the first line of that.
    n_vertices : int, optional
        The vertices are 0, 1, ... below this; else those that occur.
    backend : GraphTextBackend
    threads : int
    n_bytes_allowed : int, optional

    Raises
    ------
    FormatError
        With file and line.
    """
    collected = _Collected(backend, row_format)
    n_lines, n_bytes = first_line - 1, 0
    texts = whole_lines(blocks, display_name(path), longest_line(n_bytes_allowed))
    for rows, text in ordered_map(collected.parse, _affordable(texts, n_bytes_allowed), threads):
        fault = rows.fault if isinstance(rows, NameRows) else None
        if fault is not None:
            raise row_error(path, fault, text, n_lines, row_format)
        n_lines += int(np.count_nonzero(text == ord("\n")))
        n_bytes += collected.add(rows, text)
        check_size(n_bytes, n_bytes_allowed)
    tails, row_ends, heads, weights = collected.rows()
    if row_format.n_columns == 1:
        return _vector(path, collected, tails, n_vertices)
    if collected.table is not None:
        names, tails, heads = _in_order(_text_names(path, collected.table), tails, heads)
        if n_vertices is not None:
            first = shorten(names.name(0))
            raise UsageError(
                f"{display_name(path)}: vertex '{first}' is not a number, and --n-vertices is for numbers",
                "leave --n-vertices out",
            )
        return graph_from_rows(tails, row_ends, heads, len(names), names, weights)
    if n_vertices is not None:
        _check_below(path, tails, heads, n_vertices)
        return graph_from_rows(tails, row_ends, heads, n_vertices, NUMBERS, weights)
    tails, heads, n_found, number_names = _numbered(tails, heads)
    return graph_from_rows(tails, row_ends, heads, n_found, number_names, weights)


def _affordable(texts: Iterable[NDArray[np.uint8]], n_bytes_allowed: int | None) -> Iterator[NDArray[np.uint8]]:
    """Yield texts; raise an error before one with a long line of more names than memory suffices for."""
    for text in texts:
        if len(text) > _LONG_LINE:
            n_names = max(int(np.count_nonzero(text == ord(separator))) for separator in ", \t")
            check_size(_BYTES_PER_NAME * n_names, n_bytes_allowed)
        yield text


class _Collected:
    """The rows of all blocks so far.

    Attributes
    ----------
    table : NameTable or None
        The names; None as long as all are numbers.
    """

    def __init__(self, backend: TextBackend, row_format: RowFormat) -> None:
        self._backend = backend
        self._row_format = row_format
        self._blocks: list[NumberRows] = []
        self.table: NameTable | None = None

    def parse(self, text: NDArray[np.uint8]) -> tuple[NumberRows | NameRows, NDArray[np.uint8]]:
        """Parse lines; as numbers unless there were names already."""
        numbers = self._backend.text.parse_number_rows(text, self._row_format) if self.table is None else None
        if numbers is not None:
            return numbers, text
        rows = self._backend.text.parse_name_rows(text, self._row_format)
        other = find_other_format(text, self._row_format)
        if other is not None and (rows.fault is None or other <= rows.fault.position):
            rows = replace(rows, fault=RowFault(RowFaultKind.OTHER_FORMAT, other))
        return rows, text

    def add(self, rows: NumberRows | NameRows, text: NDArray[np.uint8]) -> int:
        """Take the next rows; about how many bytes they need."""
        if isinstance(rows, NameRows) and self.table is None:
            self.table = self._backend.text.name_table()
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

    def rows(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64] | None]:
        """Concatenate tails, ends of rows, heads and weights of all blocks, and free these."""
        blocks, self._blocks = self._blocks, []
        if len(blocks) == 1:
            (only,) = blocks
            return only.tails, only.row_ends, only.heads, only.weights if self._row_format.n_columns == 3 else None
        n_before, ends = 0, [np.empty(0, np.int64)]
        for block in blocks:
            ends.append(block.row_ends + n_before)
            n_before += len(block.heads)
        none = np.empty(0, np.int64)
        return (
            np.concatenate([none, *(block.tails for block in blocks)]),
            np.concatenate(ends),
            np.concatenate([none, *(block.heads for block in blocks)]),
            np.concatenate([none.astype(np.float64), *(block.weights for block in blocks)])
            if self._row_format.n_columns == 3
            else None,
        )


def _split(ids: NDArray[np.uint32], rows: NameRows) -> NumberRows:
    """Rows with numbers in place of names."""
    is_head = np.ones(len(ids), np.bool_)
    is_head[rows.firsts] = False
    row_ends = np.append(rows.firsts[1:], len(ids))[: len(rows.firsts)] - np.arange(1, len(rows.firsts) + 1)
    return NumberRows(ids[rows.firsts].astype(np.int64), row_ends, ids[is_head].astype(np.int64), rows.weights)


def _numbered(
    tails: NDArray[np.int64], heads: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, VertexNames]:
    """Number the integers that occur, in their order: tails and heads so, how many there are, and their names."""
    if not len(tails):
        return tails, heads, 0, NUMBERS
    size = int(max(tails.max(), heads.max(initial=0))) + 1
    if size <= _DENSE * (len(tails) + len(heads)):
        occurs = np.zeros(size, np.bool_)
        occurs[tails] = occurs[heads] = True
        if occurs.all():
            return tails, heads, size, NUMBERS
        labels: NDArray[np.int64] = np.flatnonzero(occurs)
        rank = np.cumsum(occurs) - 1
        return rank[tails], rank[heads], len(labels), Labels(labels)
    labels, ranks = np.unique(np.concatenate((tails, heads)), return_inverse=True)
    return ranks[: len(tails)], ranks[len(tails) :], len(labels), Labels(labels)


def _check_below(path: str, tails: NDArray[np.int64], heads: NDArray[np.int64], n_vertices: int) -> None:
    largest = int(max(tails.max(initial=-1), heads.max(initial=-1)))
    if largest >= n_vertices:
        raise FormatError(
            f"{display_name(path)}: vertex {largest} is not below --n-vertices {n_vertices}", "give a larger number"
        )


def _vector(path: str, collected: _Collected, heads: NDArray[np.int64], n_vertices: int | None) -> Graph:
    """The graph of lines with one number each."""
    name = display_name(path)
    if collected.table is not None:
        raise FormatError(f"{name}: one column, but not of integers alone", COLUMNS_FIX)
    if n_vertices not in (None, len(heads)):
        raise ParameterError(f"{name}: {len(heads):,} lines, but --n-vertices {n_vertices}", "leave --n-vertices out")
    outside = np.flatnonzero(heads >= len(heads))
    if len(outside):
        raise FormatError(
            f"{name}: entry {outside[0] + 1:,} is {heads[outside[0]]}, but there are {len(heads):,} entries",
            "in a vector the i-th number from 0 on is where vertex i leads; for edges give two columns",
        )
    return graph_from_vector(heads)


def _text_names(path: str, table: NameTable) -> TextNames:
    """Names that have been checked to be UTF-8."""
    names = TextNames(*table.names())
    for first in range(0, len(names), _NAMES_AT_ONCE):
        offsets = names.offsets[first : first + _NAMES_AT_ONCE + 1]
        letters = names.letters[offsets[0] : offsets[-1]]
        if len(letters) and letters.max() >= 128:
            _check_utf8(path, letters.tobytes(), (offsets - offsets[0]).tolist())
    return names


def _in_order(
    names: TextNames, tails: NDArray[np.int64], heads: NDArray[np.int64]
) -> tuple[TextNames, NDArray[np.int64], NDArray[np.int64]]:
    """Names, tails and heads with the vertices that have a line first."""
    first_line = np.full(len(names), len(tails))
    first_line[tails[::-1]] = np.arange(len(tails))[::-1]  # the last that is written is the first line
    is_first = first_line[tails] == np.arange(len(tails))
    order = np.concatenate((tails[is_first], np.flatnonzero(first_line == len(tails))))
    if np.all(order[:-1] < order[1:]):
        return names, tails, heads
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return TextNames(*names.text(order)), rank[tails], rank[heads]


def _check_utf8(path: str, letters: bytes, offsets: list[int]) -> None:
    """Raise an error if a name is not UTF-8; each is looked at alone, as two halves of a letter would make one."""
    for start, end in pairwise(offsets):
        name = letters[start:end]
        if name.decode(errors="ignore").encode() != name:
            raise FormatError(f"{display_name(path)}: the name {shorten(name)} is not UTF-8", "save it as UTF-8")
