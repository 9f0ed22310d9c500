"""Graphs from lines of text.

Blocks of whole lines are parsed in threads. As long as all names are integers nothing but these is kept; with the first
other name, those so far become names like any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import NameRows, RowFormat
from debruijn_gpu.errors import FormatError, ParameterError, UsageError
from debruijn_gpu.graph.build import graph_from_rows, graph_from_vector
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import NUMBERS, Labels, TextNames, VertexNames
from debruijn_gpu.io.graphs.headers import Header
from debruijn_gpu.io.graphs.row_collection import CollectedRows
from debruijn_gpu.io.graphs.vertex_names import COLUMNS_FIX, row_error
from debruijn_gpu.io.lines import whole_lines
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.io.reading_again import check_size, longest_line
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import shorten

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import TextBackend

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
    header: Header | None = None,
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
    header : Header, optional
        A line before the text; an edge if the text shows it.

    Raises
    ------
    FormatError
        With file and line.
    """
    collected = CollectedRows(backend, row_format, header)
    n_lines, n_bytes = first_line - 1, 0
    texts = whole_lines(blocks, display_name(path), longest_line(n_bytes_allowed))
    for rows, text in ordered_map(collected.parse, _affordable(texts, n_bytes_allowed), threads):
        if isinstance(rows, NameRows) and rows.fault is not None:
            collected.refuse(row_error(path, rows.fault, text, n_lines, row_format), rows.fault.kind)
        n_lines += int(np.count_nonzero(text == ord("\n")))
        n_bytes += collected.add(rows, text)
        check_size(n_bytes, n_bytes_allowed)
    rows, all_names = collected.rows(path)
    tails, row_ends, heads = rows.tails, rows.row_ends, rows.heads
    weights = rows.weights if row_format.n_columns == 3 and len(heads) else None
    if row_format.n_columns == 1:
        return _vector(path, collected, tails, n_vertices)
    if all_names is not None:
        _check_encoding(path, all_names)
        names, tails, heads = _in_order(all_names, tails, heads)
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


def _vector(path: str, collected: CollectedRows, heads: NDArray[np.int64], n_vertices: int | None) -> Graph:
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


def _check_encoding(path: str, names: TextNames) -> None:
    """Raise an error if a name is not UTF-8."""
    for first in range(0, len(names), _NAMES_AT_ONCE):
        offsets = names.offsets[first : first + _NAMES_AT_ONCE + 1]
        letters = names.letters[offsets[0] : offsets[-1]]
        if len(letters) and letters.max() >= 128:
            _check_utf8(path, letters.tobytes(), (offsets - offsets[0]).tolist())


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
