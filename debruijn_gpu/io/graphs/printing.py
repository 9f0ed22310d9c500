"""Format graphs and walks as lines of text."""

from __future__ import annotations

import io
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.text.containers import RowFormat
from debruijn_gpu.errors import DbgError, ParameterError
from debruijn_gpu.graph.graph import Graph, Walks
from debruijn_gpu.graph.names import OrientedNames, TextNames, VertexNames
from debruijn_gpu.io.graphs.formats import BYTE_ORDER_MARK, detect_format, needs_header
from debruijn_gpu.io.graphs.headers import COLUMN_NAMES
from debruijn_gpu.io.graphs.vertex_names import Words, check_names, print_words
from debruijn_gpu.io.lines import MOST_BYTES
from debruijn_gpu.run import progress
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend

_EDGES_TO_TELL = 4  # in which a reader looks for what the file is


def write_rows(stream: BinaryIO, graph: Graph, backend: HostBackend, threads: int) -> None:
    """Write ``a -> b, c``, one vertex per line; one without successors is ``a ->``."""
    check_names(graph.names, (b"->", b","), b"#%", "text")
    ranges = _row_ranges(graph)

    def words(start: int, stop: int) -> Words:
        return backend.text.row_words(graph.row_ptr, graph.col, start, stop)

    print_words(stream, graph.names, ranges, words, [b"\n", b" -> ", b", ", b" ->\n"], backend, threads)


def _row_ranges(graph: Graph) -> list[tuple[int, int]]:
    """Ranges of rows of about as many words each; a long row is alone."""
    n_words = graph.n_vertices + graph.n_edges
    marks = np.arange(0, n_words, tuning().words_at_once)
    words_before = graph.row_ptr + np.arange(graph.n_vertices + 1)
    edges = np.unique(np.append(np.searchsorted(words_before, marks), graph.n_vertices), return_index=True)[0].tolist()
    return list(pairwise(edges))


def write_edges(stream: BinaryIO, graph: Graph, separator: bytes, backend: HostBackend, threads: int) -> None:
    """Write tail, head and, if there are any, weight of each edge, a line each.

    A header such as ``source target`` comes first where the edges might be read as another format, or the first edge as
    a header.
    """
    check_names(graph.names, (separator,), b"#%", "tsv" if separator == b"\t" else "csv")
    if _looks_otherwise(graph.names) or not _tells_itself(graph, separator, backend):
        stream.write(separator.join(_header(graph)) + b"\n")
    n_at_once = tuning().words_at_once // 2
    ranges = [(at, min(at + n_at_once, graph.n_edges)) for at in range(0, graph.n_edges, n_at_once)]
    if graph.weights is None:
        print_words(stream, graph.names, ranges, partial(_edge_words, graph), [b"\n", separator], backend, threads)
        return
    texts = ordered_map(partial(_weighted, graph, separator, backend), ranges, threads)
    for text in progress.through(texts, len(ranges) * n_at_once, "edges", lambda _: n_at_once):
        stream.write(text.data)


def _header(graph: Graph) -> list[bytes]:
    """Choose names of columns. Without weights, no vertex has one of them: readers would take the line for an edge."""
    if graph.weights is not None:
        return [*COLUMN_NAMES[0], b"weight"]
    for names in COLUMN_NAMES:
        if not any(_is_vertex(graph.names, name.decode()) for name in names):
            return list(names)
    raise ParameterError("vertices have all names that a header could have", "choose npz, which holds any name")


def _is_vertex(names: VertexNames, name: str) -> bool:
    """Return whether a vertex has this name."""
    try:
        names.number(name)
    except KeyError:
        return False
    return True


def _looks_otherwise(names: VertexNames) -> bool:
    """Return whether a name contains an arrow, or a colon at the end of a word."""
    if not isinstance(names, TextNames):
        return isinstance(names, OrientedNames) and _looks_otherwise(names.segments)
    everything = np.arange(len(names), dtype=np.uint64)
    for start in range(0, len(names), tuning().words_at_once):
        vertices = everything[start : start + tuning().words_at_once]
        behind = np.zeros(len(vertices), np.uint8)
        if needs_header(
            backends.host().text.concatenate_names(names.offsets, names.letters, vertices, behind, [b"\n"])
        ):
            return True
    return False


def _tells_itself(graph: Graph, separator: bytes, backend: HostBackend) -> bool:
    """Return whether the first lines let readers detect the format."""
    plain = Graph(graph.row_ptr, graph.col, graph.names)
    text = io.BytesIO()
    n = min(graph.n_edges, _EDGES_TO_TELL)
    print_words(text, graph.names, [(0, n)][:n], partial(_edge_words, plain), [b"\n", separator], backend, 1)
    try:
        file_format = detect_format("", text.getvalue()[:MOST_BYTES], 0)
    except DbgError:
        return False
    wanted = RowFormat("tab" if separator == b"\t" else "comma", 2)
    is_marked = text.getvalue().startswith(BYTE_ORDER_MARK)
    return n == 0 or (file_format.rows == wanted and file_format.n_skipped == 0 and not is_marked)


def _edge_words(graph: Graph, start: int, stop: int) -> Words:
    """Tails and heads of edges start..stop in turn."""
    words, behind = np.empty(2 * (stop - start), np.uint64), np.zeros(2 * (stop - start), np.uint8)
    words[::2], words[1::2], behind[::2] = tails_of(graph, start, stop), graph.col[start:stop], 1
    return words, behind


def tails_of(graph: Graph, start: int, stop: int) -> NDArray[np.int64]:
    """Tails of edges start..stop, of at least one."""
    first, last = (np.searchsorted(graph.row_ptr, [start, stop - 1], "right") - 1).tolist()
    within = np.clip(graph.row_ptr[first : last + 2], start, stop)
    return np.repeat(np.arange(first, last + 1), np.diff(within))


def weight_lines(graph: Graph, start: int, stop: int, backend: HostBackend) -> NDArray[np.uint8]:
    """Format the weights of edges start..stop, one per line."""
    assert graph.weights is not None
    return backend.text.number_lines((graph.weights[start:stop],), b"\n", 0, stop - start)


def _weighted(graph: Graph, separator: bytes, backend: HostBackend, edges: tuple[int, int]) -> NDArray[np.uint8]:
    """Edges of a range with their weights as lines."""
    start, stop = edges
    n = stop - start
    weights = weight_lines(graph, start, stop, backend)
    ends = np.flatnonzero(weights == ord("\n"))
    name_offsets, letters = graph.names.text(
        np.concatenate((tails_of(graph, start, stop), graph.col[start:stop].astype(np.int64)))
    )
    offsets = np.concatenate((name_offsets, len(letters) + ends - np.arange(n)))
    letters = np.concatenate((letters, weights[weights != ord("\n")]))
    chosen = np.arange(3 * n, dtype=np.uint64).reshape(3, n).T.reshape(-1)
    behind = np.tile(np.array([1, 1, 0], np.uint8), n)
    return backend.text.concatenate_names(offsets, letters, chosen, behind, [b"\n", separator])


def write_walks(
    stream: BinaryIO, graph: Graph, walks: Walks, backend: HostBackend, separator: str = " -> ", threads: int = 1
) -> None:
    """Write a line for each walk: its vertices, one more than it has edges; a circuit ends where it began.

    Parameters
    ----------
    stream : BinaryIO
    graph : Graph
    walks : Walks
        Steps are edge ids; walks without steps are left out.
    backend : Backend
        Prints.
    separator : str
        Between vertices.
    threads : int
    """
    n_steps = int(walks.offsets[-1])
    ranges = [(at, min(at + tuning().words_at_once, n_steps)) for at in range(0, n_steps, tuning().words_at_once)]

    def words(start: int, stop: int) -> Words:
        return backend.text.walk_words(graph.row_ptr, graph.col, walks.offsets, walks.steps, start, stop)

    print_words(stream, graph.names, ranges, words, [b"\n", separator.encode()], backend, threads)
