"""Write graphs for other programs: DOT (Graphviz), GraphML, and node-link JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.names import NUMBERS, KmerNames, Labels, Numbers, OrientedNames, Text, TextNames, VertexNames
from debruijn_gpu.io.graphs.printing import tails_of, weight_lines
from debruijn_gpu.io.graphs.vertex_names import check_names
from debruijn_gpu.run import progress
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend
    from debruijn_gpu.graph.graph import Graph

_TOKEN = np.isin(np.arange(256), np.frombuffer(b"-.:_" + bytes(range(48, 58)), np.uint8))
_TOKEN[65:91] = _TOKEN[97:123] = True  # what an identifier of XML (NMTOKEN) may hold, of ASCII
_NOT_XML = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")  # U+FFFE and U+FFFF
_BY_NUMBER = (Numbers, Labels)


@dataclass(frozen=True)
class _Records:
    """Text of records: ``parts[0]``, first column, ``parts[1]``, second column, ..., and what separates records."""

    parts: tuple[bytes, ...]
    separator: bytes = b"\n"


@dataclass(frozen=True)
class _Markup:
    """Text of a file: its start, the records of vertices, the text between, the records of edges, its end."""

    start: bytes
    vertices: _Records
    between: bytes
    edges: _Records
    end: bytes


def write_dot(stream: BinaryIO, graph: Graph, backend: HostBackend, threads: int = 1) -> None:
    """Write a graph in DOT, the language of Graphviz: all vertices, then all edges, with their weights.

    Raises
    ------
    ParameterError
        For names with control characters, and names that begin or end with a blank.
    """
    check_names(graph.names, (), b"", "dot")
    names = _escaped(graph.names, graph.n_vertices, b'"\\', lambda name: name.replace("\\", "\\\\").replace('"', '\\"'))
    weight = (b'" [weight="', b'"];') if graph.weights is not None else (b'";',)
    markup = _Markup(
        b"digraph {\n",
        _Records((b'  "', b'";')),
        b"\n",
        _Records((b'  "', b'" -> "', *weight)),
        b"\n}\n",
    )
    _write(stream, graph, markup, [names], names, backend, threads)


def write_graphml(stream: BinaryIO, graph: Graph, backend: HostBackend, threads: int = 1) -> None:
    """Write a graph in GraphML: names are the identifiers, if XML allows all of them; else they are data ``name``.

    Source of the format: http://graphml.graphdrawing.org/specification.html

    Raises
    ------
    ParameterError
        For names with control characters, and names that begin or end with a blank.
    """
    check_names(graph.names, (), b"", "graphml")
    names = _escaped(graph.names, graph.n_vertices, b"&<>", escape)
    _check_xml(names)
    are_tokens = _are_tokens(names)
    keys = b"" if are_tokens else b'  <key id="name" for="node" attr.name="name" attr.type="string"/>\n'
    if graph.weights is not None:
        keys += b'  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n'
    weight = (b'"><data key="weight">', b"</data></edge>") if graph.weights is not None else (b'"/>',)
    if are_tokens:
        vertex: tuple[bytes, ...] = (b'    <node id="', b'"/>')
        edge: tuple[bytes, ...] = (b'    <edge source="', b'" target="', *weight)
    else:
        vertex = (b'    <node id="n', b'"><data key="name">', b"</data></node>")
        edge = (b'    <edge source="n', b'" target="n', *weight)
    markup = _Markup(
        b'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        + keys
        + b'  <graph edgedefault="directed">\n',
        _Records(vertex),
        b"\n",
        _Records(edge),
        b"\n  </graph>\n</graphml>\n",
    )
    columns = [names] if are_tokens else [NUMBERS, names]
    _write(stream, graph, markup, columns, columns[0], backend, threads, {b"nan": b"NaN", b"inf": b"INF"})


def write_node_link(stream: BinaryIO, graph: Graph, backend: HostBackend, threads: int = 1) -> None:
    """Write a graph as node-link JSON, as `networkx.node_link_graph` reads it: vertices called by numbers are numbers.

    Raises
    ------
    ParameterError
        For weights that are not finite, which JSON does not have.
    """
    if graph.weights is not None and not np.isfinite(graph.weights).all():
        raise ParameterError("json has no weights that are infinite or no numbers", "choose tsv, dot or graphml")
    names = _escaped(
        graph.names,
        graph.n_vertices,
        b'"\\' + bytes(range(32)),
        lambda name: json.dumps(name, ensure_ascii=False)[1:-1],
    )
    quote = b"" if isinstance(names, _BY_NUMBER) else b'"'
    weight = (quote + b', "weight": ', b"}") if graph.weights is not None else (quote + b"}",)
    markup = _Markup(
        b'{"directed": true, "multigraph": true, "graph": {}, "nodes": [\n',
        _Records((b'{"id": ' + quote, quote + b"}"), b",\n"),
        b'\n], "edges": [\n',
        _Records((b'{"source": ' + quote, quote + b', "target": ' + quote, *weight), b",\n"),
        b"\n]}\n",
    )
    _write(stream, graph, markup, [names], names, backend, threads)


def _escaped(names: VertexNames, n_vertices: int, special: bytes, escape_name: Callable[[str], str]) -> VertexNames:
    """Return the names with special bytes escaped; names of digits and bases hold none."""
    if isinstance(names, _BY_NUMBER) or (isinstance(names, KmerNames) and names.k):
        return names
    if isinstance(names, OrientedNames):
        segments = _escaped(names.segments, len(names.segments), special, escape_name)
        assert isinstance(segments, TextNames)
        return OrientedNames(segments)
    if not isinstance(names, TextNames):
        names = TextNames(*names.text(np.arange(n_vertices)))
    is_special = np.zeros(256, np.bool_)
    is_special[np.frombuffer(special, np.uint8)] = True
    if not is_special[names.letters].any():
        return names
    return TextNames.of(escape_name(names.name(vertex)) for vertex in range(len(names)))


def _check_xml(names: VertexNames) -> None:
    """Raise an error for characters that XML has not."""
    letters = _letters(names)
    if letters is not None and any(word in letters.data.tobytes() for word in _NOT_XML):
        raise ParameterError("a name holds U+FFFE or U+FFFF, which XML does not allow", "choose json")


def _letters(names: VertexNames) -> NDArray[np.uint8] | None:
    """All letters of the names; None if they are digits or bases."""
    names = names.segments if isinstance(names, OrientedNames) else names
    return names.letters if isinstance(names, TextNames) else None


def _are_tokens(names: VertexNames) -> bool:
    """Return whether all names may be identifiers of XML. Names of oriented segments end with +, so they may not."""
    letters = _letters(names)
    return not isinstance(names, OrientedNames) and (letters is None or bool(_TOKEN[letters].all()))


def _write(
    stream: BinaryIO,
    graph: Graph,
    markup: _Markup,
    columns: Sequence[VertexNames],
    ends: VertexNames,
    backend: HostBackend,
    threads: int,
    words: dict[bytes, bytes] | None = None,
) -> None:
    """Write a file: vertices with the columns, and edges between ``ends``; ``words`` replace others in weights."""

    def of_vertices(start: int, stop: int) -> list[Text]:
        vertices = np.arange(start, stop)
        return [column.text(vertices) for column in columns]

    def of_edges(start: int, stop: int) -> list[Text]:
        heads = graph.col[start:stop].astype(np.int64)
        texts = [ends.text(tails_of(graph, start, stop)), ends.text(heads)]
        return texts if graph.weights is None else [*texts, _weights(graph, start, stop, backend, words or {})]

    stream.write(markup.start)
    _write_records(stream, markup.vertices, graph.n_vertices, of_vertices, backend, threads)
    stream.write(markup.between)
    _write_records(stream, markup.edges, graph.n_edges, of_edges, backend, threads)
    stream.write(markup.end)


def _weights(graph: Graph, start: int, stop: int, backend: HostBackend, words: dict[bytes, bytes]) -> Text:
    """Text of the weights of edges start..stop."""
    text = weight_lines(graph, start, stop, backend).tobytes()
    for word, other in words.items():
        text = text.replace(word, other)
    letters = np.frombuffer(text, np.uint8)
    is_end = letters == ord("\n")
    offsets = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(is_end) + 1))
    return offsets - np.arange(len(offsets)), letters[~is_end]


def _write_records(
    stream: BinaryIO,
    records: _Records,
    n: int,
    columns: Callable[[int, int], list[Text]],
    backend: HostBackend,
    threads: int,
) -> None:
    """Write n records, blocks of them in threads."""
    if not n:
        return
    n_at_once = max(1, tuning().words_at_once // (len(records.parts) - 1))
    ranges = [(at, min(at + n_at_once, n)) for at in range(0, n, n_at_once)]
    stream.write(records.parts[0])
    texts = ordered_map(partial(_record_text, records, n, columns, backend), ranges, threads)
    for text in progress.through(texts, n, "records", lambda _: n_at_once):
        stream.write(text.data)


def _record_text(
    records: _Records,
    n: int,
    columns: Callable[[int, int], list[Text]],
    backend: HostBackend,
    bounds: tuple[int, int],
) -> NDArray[np.uint8]:
    """Format the records of a range, without the first part of the first one, with that of the record behind it."""
    texts = columns(*bounds)
    n_rows, n_columns = bounds[1] - bounds[0], len(texts)
    starts = np.cumsum([0, *(len(letters) for _offsets, letters in texts)])
    offsets = np.concatenate([own[:-1] + start for (own, _letters), start in zip(texts, starts, strict=False)])
    offsets = np.append(offsets, starts[-1]).astype(np.int64)
    chosen = np.arange(n_rows * n_columns, dtype=np.uint64).reshape(n_columns, n_rows).T.reshape(-1)
    behind = np.tile(np.arange(n_columns, dtype=np.uint8), n_rows)
    if bounds[1] == n:
        behind[-1] = n_columns
    *parts, last = records.parts[1:]
    separators = [*parts, last + records.separator + records.parts[0], last]
    letters = np.concatenate([letters for _offsets, letters in texts])
    return backend.text.concatenate_names(offsets, letters, chosen, behind, separators)
