"""Assembly graphs (GFA 1) from and to `Graph`: each segment is two vertices, one for each direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import BinaryIO, TypeGuard

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.graph.convert import edges_of
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import KmerNames, OrientedNames, TextNames, VertexNames
from debruijn_gpu.io.fastx.contigs import write_joined
from debruijn_gpu.io.gfa_records import GfaRecords, Link, path_steps, read_records, well_formed
from debruijn_gpu.io.gfa_segments import shown
from debruijn_gpu.io.graphs.vertex_names import check_names
from debruijn_gpu.io.lines import whole_lines
from debruijn_gpu.io.memory import check_size, longest_line
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.run import log

_LINKS_AT_ONCE = 1 << 16
_RECORD_BYTES = 200  # that a line takes as Python objects, about
_HEADER = b"H\tVN:Z:1.0\n"


def read_gfa(
    path: str, blocks: Iterable[Block], first_line: int, keep_text: bool, n_bytes_allowed: int | None
) -> Graph:
    """Read segments (S), links (L) and paths (P); lines of other types are skipped.

    Segment i, in the order of the S lines, is vertex 2i forward (``name+``) and 2i + 1 reverse-complemented
    (``name-``). A link a -> b is an edge, and its reverse complement b' -> a' is one, too; duplicates are removed.

    Parameters
    ----------
    path : str
        For messages.
    blocks : iterable of Block
    first_line : int
        Number of the first line of the blocks.
    keep_text : bool
        Whether `OrientedNames.gfa` holds the lines of segments, links and paths, for `write_gfa_graph`.
    n_bytes_allowed : int or None

    Raises
    ------
    FormatError
        With file and line.
    OutOfMemoryError
    """
    source = display_name(path)
    kept = list[bytes]()
    texts = whole_lines(blocks, source, longest_line(n_bytes_allowed))
    lines = _collected(_lines(texts, first_line), kept if keep_text else None, n_bytes_allowed)
    records = read_records(source, lines, with_sequences=False)
    text = np.frombuffer(b"".join(kept), np.uint8) if keep_text else None
    return _graph(source, [segment.name for segment in records.segments], records.links.pairs(), text)


def _collected(
    lines: Iterable[tuple[int, bytes]], kept: list[bytes] | None, n_bytes_allowed: int | None
) -> Iterator[tuple[int, bytes]]:
    """Pass lines through, and append those of segments, links and paths to a list."""
    n_bytes = 0
    for number, line in lines:
        if line[:2] in (b"S\t", b"L\t", b"P\t"):
            n_bytes += _RECORD_BYTES
            if kept is not None:
                kept.append(line + b"\n")
                n_bytes += len(line)
            check_size(n_bytes, n_bytes_allowed)
        yield number, line


def _lines(texts: Iterable[NDArray[np.uint8]], first_line: int) -> Iterator[tuple[int, bytes]]:
    """Numbered lines without their ends."""
    number = first_line
    for text in texts:
        for line in text.tobytes().removesuffix(b"\n").split(b"\n"):
            yield number, line.removesuffix(b"\r")
            number += 1


def _graph(source: str, names: list[bytes], links: NDArray[np.int64], text: NDArray[np.uint8] | None) -> Graph:
    n_vertices = 2 * len(names)
    mirrors = links[:, ::-1] ^ 1
    numbers = np.concatenate((links, mirrors)) @ np.array([max(n_vertices, 1), 1])
    tails, heads = np.divmod(np.unique(numbers, return_index=True)[0], max(n_vertices, 1))
    try:
        called = TextNames.of(name.decode() for name in names)
    except UnicodeDecodeError as error:
        raise FormatError(f"{source}: the name {shown(error.object)} is not UTF-8", "save it as UTF-8") from error
    return graph_from_edges(tails, heads, n_vertices, OrientedNames(called, text))


def write_gfa_graph(stream: BinaryIO, graph: Graph) -> None:
    """Write a graph as segments and links of GFA 1.0.

    A graph that was read from GFA keeps its segments with their sequences and tags, overlaps and tags of links that
    are still edges, and paths along these; an edge and its reverse complement are one link. In any other graph each
    vertex is a segment, with its sequence if vertices are k-mers, and each edge a link between forward segments.

    Raises
    ------
    ParameterError
        If a name cannot be written.
    FormatError
        If the lines that the graph keeps are not those of its segments.
    """
    check_names(graph.names, (b" ", b"\t"), b"*=", "gfa")
    tails, heads = (ends.astype(np.int64) for ends in edges_of(graph))
    if not isinstance(graph.names, OrientedNames):
        overlap = b"%dM" % (graph.names.k - 1) if _are_sequences(graph.names) else b"*"
        links = _links(graph.names, tails, heads, False, overlap)
        write_joined(stream, chain([_HEADER], _segments(graph.names, graph.n_vertices), links))
        return
    names, edges = graph.names.segments, _distinct_links(tails, heads, graph.n_vertices)
    if graph.names.gfa is None:
        links = _links(names, edges[:, 0], edges[:, 1], True, b"*")
        write_joined(stream, chain([_HEADER], _segments(names, graph.n_vertices // 2), links))
        return
    records = _kept_records(graph.names)
    parts = (_kept_segments(records), _kept_links(records, edges), _kept_paths(records, tails, heads))
    write_joined(stream, chain([_HEADER], *parts))


def _distinct_links(tails: NDArray[np.int64], heads: NDArray[np.int64], n_vertices: int) -> NDArray[np.int64]:
    """Links, shape (n, 2), sorted: of an edge and its reverse complement the smaller one, without duplicates."""
    kept = (tails < heads ^ 1) | ((tails == heads ^ 1) & (heads <= tails ^ 1))
    n = max(n_vertices, 1)
    return np.column_stack(np.divmod(np.unique(tails[kept] * n + heads[kept], return_index=True)[0], n))


def _kept_records(names: OrientedNames) -> GfaRecords:
    """The lines of the file that a graph was read from, checked to be those of its segments."""
    assert names.gfa is not None
    lines = names.gfa.tobytes().split(b"\n")
    records = read_records("GFA of the graph", enumerate(lines, 1))
    if [segment.name for segment in records.segments] != _words(names.segments, np.arange(len(names.segments))):
        raise FormatError("the GFA lines of the graph are not those of its vertices", "read the GFA file again")
    return records


def _kept_segments(records: GfaRecords) -> Iterator[bytes]:
    for segment in records.segments:
        yield b"S\t%s\t%s%s\n" % (segment.name, segment.sequence, well_formed(segment.tags))


def _kept_links(records: GfaRecords, edges: NDArray[np.int64]) -> Iterator[bytes]:
    """Links of edges, in the direction that the file gives; edges that it does not have get no overlap."""
    known: dict[tuple[int, int], Link] = {}
    for link in records.links:
        mirror = (link.head ^ 1, link.tail ^ 1)
        if mirror not in known:
            known.setdefault((link.tail, link.head), link)
    names = [segment.name for segment in records.segments]
    for tail, head in edges.tolist():
        found = known.get((tail, head)) or known.get((head ^ 1, tail ^ 1)) or Link(tail, head, b"*", b"")
        yield b"L\t%s\t%c\t%s\t%c\t%s%s\n" % (
            names[found.tail >> 1],
            b"+-"[found.tail & 1],
            names[found.head >> 1],
            b"+-"[found.head & 1],
            found.overlap,
            well_formed(found.tags),
        )


def _kept_paths(records: GfaRecords, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> Iterator[bytes]:
    """Paths without a step along a link of the file that is no edge any more."""
    if not records.paths:
        return
    links = set(map(tuple, records.links.pairs().tolist()))
    gone = links | {(head ^ 1, tail ^ 1) for tail, head in links}
    gone -= set(zip(tails.tolist(), heads.tolist(), strict=True))
    numbers = {segment.name: i for i, segment in enumerate(records.segments)}
    n_dropped = 0
    for line in records.paths:
        if gone and not gone.isdisjoint(pairwise(path_steps(line, "GFA of the graph", numbers))):
            n_dropped += 1
            continue
        _p, name, steps, *others = line.split(b"\t")
        overlaps = others[0].rstrip(b" ") if others else b"*"
        yield b"P\t%s\t%s\t%s%s\n" % (name, steps, overlaps or b"*", well_formed(b"\t".join(others[1:])))
    if n_dropped:
        log.logger.warning("%d paths are left out: the graph has not all of their links", n_dropped)


def _are_sequences(names: VertexNames) -> TypeGuard[KmerNames]:
    """Whether vertices are called by their sequences."""
    return isinstance(names, KmerNames) and names.k > 0


def _words(names: VertexNames, vertices: NDArray[np.int64]) -> list[bytes]:
    offsets, letters = names.text(vertices)
    text = letters.tobytes()
    return [text[start:end] for start, end in pairwise(offsets.tolist())]


def _segments(names: VertexNames, n: int) -> Iterator[bytes]:
    for first in range(0, n, _LINKS_AT_ONCE):
        for word in _words(names, np.arange(first, min(n, first + _LINKS_AT_ONCE))):
            yield b"S\t%s\t%s\n" % (word, word if _are_sequences(names) else b"*")


def _links(
    names: VertexNames, tails: NDArray[np.int64], heads: NDArray[np.int64], oriented: bool, overlap: bytes
) -> Iterator[bytes]:
    for first in range(0, len(tails), _LINKS_AT_ONCE):
        ends = [vertices[first : first + _LINKS_AT_ONCE] for vertices in (tails, heads)]
        signs = [(vertices & 1).tolist() if oriented else [0] * len(vertices) for vertices in ends]
        words = [_words(names, vertices >> 1 if oriented else vertices) for vertices in ends]
        for tail, tail_sign, head, head_sign in zip(words[0], signs[0], words[1], signs[1], strict=True):
            yield b"L\t%s\t%c\t%s\t%c\t%s\n" % (tail, b"+-"[tail_sign], head, b"+-"[head_sign], overlap)
