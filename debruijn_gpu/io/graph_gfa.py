"""Assembly graphs (GFA 1) from and to `Graph`: each segment is two vertices, one for each direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.graph.convert import edges_of
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import KmerNames, OrientedNames, TextNames, VertexNames
from debruijn_gpu.io.lines import whole_lines
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.io.sequences import write_joined
from debruijn_gpu.io.vertex_names import check_names

_LINKS_AT_ONCE = 1 << 16
_DAMAGED = "copy the file again, or check the program that wrote it"
_SIGNS = {b"+": 0, b"-": 1}


def read_gfa(path: str, blocks: Iterable[Block], first_line: int, most_bytes: int | None = None) -> Graph:
    """Read segments (S) and links (L); other lines are left out.

    Segment i, in the order of the S lines, is vertex 2i as it is written (``name+``) and 2i + 1 reverse-complemented
    (``name-``). A link a -> b is an edge, and with it its mirror b' -> a', both once, however often the file says so.

    Raises
    ------
    FormatError
        With file and line.
    """
    source = display_name(path)
    names: dict[bytes, int] = {}
    links: list[tuple[bytes, int, bytes, int, int]] = []
    for number, line in _lines(whole_lines(blocks, source, most_bytes), first_line):
        if line.startswith(b"H\t"):
            check_version(line, source)
        elif line.startswith(b"S\t"):
            fields = line.split(b"\t", 2)
            if len(fields) < 3 or not fields[1]:
                raise FormatError(f"{source}: line {number:,}: a segment without name or sequence", _DAMAGED)
            if fields[1] in names:
                raise FormatError(f"{source}: line {number:,}: segment {_text(fields[1])} is there already", _DAMAGED)
            names[fields[1]] = len(names)
        elif line.startswith(b"L\t"):
            fields = line.split(b"\t", 5)
            if len(fields) < 5 or fields[2] not in _SIGNS or fields[4] not in _SIGNS:
                raise FormatError(f"{source}: line {number:,}: not a link", "a link is L, name, + or -, name, + or -")
            links.append((fields[1], _SIGNS[fields[2]], fields[3], _SIGNS[fields[4]], number))
    edges = np.empty((len(links), 2), np.int64)
    for i, (tail, tail_sign, head, head_sign, number) in enumerate(links):
        for name in (tail, head):
            if name not in names:
                raise FormatError(f"{source}: line {number:,}: there is no segment {_text(name)}", _DAMAGED)
        edges[i] = 2 * names[tail] + tail_sign, 2 * names[head] + head_sign
    return _graph(source, list(names), edges)


def check_version(header: bytes, source: str) -> None:
    """Raise if a line H says that what follows is GFA 2, whose segments have their length where GFA 1 has the sequence.

    Raises
    ------
    FormatError
    """
    if b"\tVN:Z:2" in header:
        raise FormatError(f"{source}: this is GFA 2, which is not read", "give it as GFA 1, which assemblers write")


def _lines(texts: Iterable[NDArray[np.uint8]], first_line: int) -> Iterator[tuple[int, bytes]]:
    """Numbered lines without their ends."""
    number = first_line
    for text in texts:
        for line in text.tobytes().removesuffix(b"\n").split(b"\n"):
            yield number, line.removesuffix(b"\r")
            number += 1


def _text(name: bytes) -> str:
    return name.decode(errors="backslashreplace")


def _graph(source: str, names: list[bytes], links: NDArray[np.int64]) -> Graph:
    n_vertices = 2 * len(names)
    mirrors = links[:, ::-1] ^ 1
    numbers = np.concatenate((links, mirrors)) @ np.array([max(n_vertices, 1), 1])
    tails, heads = np.divmod(np.unique(numbers, return_index=True)[0], max(n_vertices, 1))
    try:
        called = TextNames.of(name.decode() for name in names)
    except UnicodeDecodeError as error:
        raise FormatError(f"{source}: the name {_text(error.object)} is not UTF-8", "save it as UTF-8") from error
    return graph_from_edges(tails, heads, n_vertices, OrientedNames(called))


def write_gfa_graph(stream: BinaryIO, graph: Graph) -> None:
    """Write a graph as segments and links.

    What was read from GFA becomes the same segments, and an edge and its mirror one link. Of any other graph each
    vertex is a segment, with its sequence if vertices are k-mers, and each edge a link between forward segments.
    """
    check_names(graph.names, (b" ", b"\t"), b"*=", "gfa")
    oriented = isinstance(graph.names, OrientedNames)
    overlap = b"%dM" % (graph.names.k - 1) if isinstance(graph.names, KmerNames) else b"*"
    segments = graph.names.segments if isinstance(graph.names, OrientedNames) else graph.names
    n_segments = graph.n_vertices // 2 if oriented else graph.n_vertices
    tails, heads = (ends.astype(np.int64) for ends in edges_of(graph))
    if oriented:
        kept = (tails < heads ^ 1) | ((tails == heads ^ 1) & (heads <= tails ^ 1))
        tails, heads = tails[kept], heads[kept]
    header = iter([b"H\tVN:Z:1.0\n"])
    write_joined(
        stream, chain(header, _segments(segments, n_segments), _links(segments, tails, heads, oriented, overlap))
    )


def _words(names: VertexNames, vertices: NDArray[np.int64]) -> list[bytes]:
    offsets, letters = names.text(vertices)
    text = letters.tobytes()
    return [text[start:end] for start, end in pairwise(offsets.tolist())]


def _segments(names: VertexNames, n: int) -> Iterator[bytes]:
    for first in range(0, n, _LINKS_AT_ONCE):
        for word in _words(names, np.arange(first, min(n, first + _LINKS_AT_ONCE))):
            yield b"S\t%s\t%s\n" % (word, word if isinstance(names, KmerNames) else b"*")


def _links(
    names: VertexNames, tails: NDArray[np.int64], heads: NDArray[np.int64], oriented: bool, overlap: bytes
) -> Iterator[bytes]:
    for first in range(0, len(tails), _LINKS_AT_ONCE):
        ends = [vertices[first : first + _LINKS_AT_ONCE] for vertices in (tails, heads)]
        signs = [(vertices & 1).tolist() if oriented else [0] * len(vertices) for vertices in ends]
        words = [_words(names, vertices >> 1 if oriented else vertices) for vertices in ends]
        for tail, tail_sign, head, head_sign in zip(words[0], signs[0], words[1], signs[1], strict=True):
            yield b"L\t%s\t%c\t%s\t%c\t%s\n" % (tail, b"+-"[tail_sign], head, b"+-"[head_sign], overlap)
