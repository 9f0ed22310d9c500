"""Write `Graph` as an assembly graph (GFA 1): each segment is two vertices, one for each direction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import BinaryIO, TypeGuard

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import TextField
from debruijn_gpu.errors import FormatError
from debruijn_gpu.graph.convert import edges_of
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import KmerNames, OrientedNames, TextNames, VertexNames
from debruijn_gpu.io.fastx.record_text import choice_field, split_records
from debruijn_gpu.io.gfa.files import (
    GfaRecords,
    JumpColumns,
    LinkColumns,
    PathColumns,
    SegmentColumns,
    number_lines,
    read_records,
    tags_field,
    write_records,
)
from debruijn_gpu.io.gfa.links import Link, Path, parse_jump, parse_path
from debruijn_gpu.io.gfa.segments import UNKNOWN
from debruijn_gpu.io.graphs.vertex_names import check_names
from debruijn_gpu.run import log
from debruijn_gpu.run.tuning import tuning

_SOURCE = "GFA of the graph"  # in messages about kept lines


def write_gfa_graph(stream: BinaryIO, graph: Graph) -> None:
    """Write a graph as segments and links of GFA 1.0, or 1.2 with gaps.

    A graph that was read from GFA keeps its segments with their sequences and tags, overlaps and tags of links that
    are still edges, and paths along these; an edge and its reverse complement are one link. Jumps over gaps, and paths
    with jumps, are kept if all links of the file are still edges. In any other graph each vertex is a segment, with
    its sequence if vertices are k-mers, and each edge a link between forward segments.

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
        segments, links = _segments(graph.names, graph.n_vertices), _links(graph.names, tails, heads)
        write_records(stream, segments, links)
        return
    names, edges = graph.names.segments, _distinct_links(tails, heads, graph.n_vertices)
    if graph.names.gfa is None:
        write_records(stream, _segments(names, len(names)), _oriented_links(names, edges))
        return
    records = _kept_records(graph.names)
    gone = _links_gone(records, tails, heads) if records.paths or records.jumps else set()
    paths = _path_columns(_kept_paths(records, gone))
    jumps = _kept_jumps(records, names) if _has_gaps(records) and not gone else None
    write_records(stream, _kept_segments(records, names), _kept_links(records, names, edges), paths, jumps)


def _distinct_links(tails: NDArray[np.int64], heads: NDArray[np.int64], n_vertices: int) -> NDArray[np.int64]:
    """Links, shape (n, 2), sorted: of an edge and its reverse complement the smaller one, without duplicates."""
    kept = (tails < heads ^ 1) | ((tails == heads ^ 1) & (heads <= tails ^ 1))
    n = max(n_vertices, 1)
    return np.column_stack(np.divmod(np.unique(tails[kept] * n + heads[kept], return_index=True)[0], n))


def _kept_records(names: OrientedNames) -> GfaRecords:
    """Parse the lines of the file that a graph was read from, and check that they are those of its segments."""
    assert names.gfa is not None
    records = read_records(_SOURCE, number_lines(names.gfa.tobytes().split(b"\n")))
    offsets, letters = names.segments.offsets, names.segments.letters.tobytes()
    if [segment.name for segment in records.segments] != [letters[a:b] for a, b in pairwise(offsets.tolist())]:
        raise FormatError("the GFA lines of the graph are not those of its vertices", "read the GFA file again")
    return records


def _kept_segments(records: GfaRecords, names: TextNames) -> Iterator[SegmentColumns]:
    n_bytes = [len(segment.sequence) + len(segment.tags) for segment in records.segments]
    for start, stop in split_records(np.cumsum([0, *n_bytes], dtype=np.int64)):
        segments = records.segments[start:stop]
        yield SegmentColumns(
            _names_field(names, np.arange(start, stop)),
            choice_field([segment.sequence for segment in segments]),
            tags_field(segment.tags for segment in segments),
        )


def _kept_links(records: GfaRecords, names: TextNames, edges: NDArray[np.int64]) -> Iterator[LinkColumns]:
    """Links of edges, in the direction of the file; edges that the file does not have get no overlap."""
    known: dict[tuple[int, int], Link] = {}
    for link in records.links:
        reverse = (link.head ^ 1, link.tail ^ 1)
        if reverse not in known:
            known.setdefault((link.tail, link.head), link)
    for start in range(0, len(edges), tuning().block_records):
        links = [
            known.get((tail, head)) or known.get((head ^ 1, tail ^ 1)) or Link(tail, head, UNKNOWN, b"")
            for tail, head in edges[start : start + tuning().block_records].tolist()
        ]
        tails, heads = np.array([(link.tail, link.head) for link in links], np.int64).T
        yield LinkColumns(
            *_oriented_ends(names, tails, heads),
            choice_field([link.overlap for link in links]),
            tags_field(link.tags for link in links),
        )


def _links_gone(records: GfaRecords, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> set[tuple[int, int]]:
    """Links of the file, in both directions, that are no edges any more."""
    links: set[tuple[int, int]] = set(map(tuple, records.links.pairs().tolist()))
    gone = links | {(head ^ 1, tail ^ 1) for tail, head in links}
    return gone - set(zip(tails.tolist(), heads.tolist(), strict=True))


def _has_gaps(records: GfaRecords) -> bool:
    """Whether a file has jumps, or paths with jumps."""
    numbers = _numbers(records)
    return bool(records.jumps) or any(
        parse_path(line, _SOURCE, numbers).jumps for line in records.paths if b";" in line
    )


def _numbers(records: GfaRecords) -> dict[bytes, int]:
    """Positions of the segments, by name."""
    return {segment.name: i for i, segment in enumerate(records.segments)}


def _kept_paths(records: GfaRecords, gone: set[tuple[int, int]]) -> Iterator[Path]:
    """Paths whose steps along links of the file are still edges, with jumps only if no link is gone."""
    if not records.paths:
        return
    numbers, n_dropped = _numbers(records), 0
    for line in records.paths:
        path = parse_path(line, _SOURCE, numbers)
        if gone and (path.jumps or not gone.isdisjoint(path.links())):
            n_dropped += 1
        else:
            yield path
    if n_dropped:
        log.logger.warning("%d paths are left out: the graph has not all of their links", n_dropped)


def _kept_jumps(records: GfaRecords, names: TextNames) -> Iterator[JumpColumns]:
    """Jumps in the order of the file."""
    numbers = _numbers(records)
    for start in range(0, len(records.jumps), tuning().block_records):
        lines = records.jumps[start : start + tuning().block_records]
        jumps = [parse_jump(line, _SOURCE, numbers) for line in lines]
        tails, heads = np.array([(jump.tail, jump.head) for jump in jumps], np.int64).T
        yield JumpColumns(
            *_oriented_ends(names, tails, heads),
            choice_field([jump.distance for jump in jumps]),
            tags_field(jump.tags for jump in jumps),
        )


def _path_columns(paths: Iterator[Path]) -> Iterator[PathColumns]:
    while block := list(islice(paths, tuning().paths_at_once)):
        yield PathColumns(
            choice_field([path.name for path in block]),
            choice_field([path.text for path in block]),
            choice_field([path.overlaps for path in block]),
            tags_field(path.tags for path in block),
        )


def _are_sequences(names: VertexNames) -> TypeGuard[KmerNames]:
    """Whether vertices are called by their sequences."""
    return isinstance(names, KmerNames) and names.k > 0


def _names_field(names: VertexNames, vertices: NDArray[np.int64]) -> TextField:
    offsets, letters = names.text(vertices)
    return TextField(letters, offsets)


def _segments(names: VertexNames, n: int) -> Iterator[SegmentColumns]:
    """Segments whose sequences are their names, if those are sequences, and else unknown."""
    for first in range(0, n, tuning().block_records):
        words = _names_field(names, np.arange(first, min(n, first + tuning().block_records)))
        yield SegmentColumns(words, words if _are_sequences(names) else UNKNOWN)


def _links(names: VertexNames, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> Iterator[LinkColumns]:
    """Links between forward segments."""
    overlap = b"%dM" % (names.k - 1) if _are_sequences(names) else UNKNOWN
    for first in range(0, len(tails), tuning().block_records):
        ends = [vertices[first : first + tuning().block_records] for vertices in (tails, heads)]
        forward = np.zeros(len(ends[0]), np.int64)
        yield LinkColumns(_names_field(names, ends[0]), forward, _names_field(names, ends[1]), forward, overlap)


def _oriented_links(names: TextNames, edges: NDArray[np.int64]) -> Iterator[LinkColumns]:
    """Links between oriented segments, without overlaps."""
    for first in range(0, len(edges), tuning().block_records):
        yield LinkColumns(*_oriented_ends(names, *edges[first : first + tuning().block_records].T), UNKNOWN)


def _oriented_ends(
    names: TextNames, tails: NDArray[np.int64], heads: NDArray[np.int64]
) -> tuple[TextField, NDArray[np.int64], TextField, NDArray[np.int64]]:
    """Names and signs of the ends of links."""
    return _names_field(names, tails >> 1), tails & 1, _names_field(names, heads >> 1), heads & 1
