"""Read and write GFA 1.0 to 1.2: segments one after another, or all lines of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import Field, TextField
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.record_text import choice_field, format_records
from debruijn_gpu.io.gfa.links import LinkParser, Links, parse_jump, parse_path
from debruijn_gpu.io.gfa.segments import CORRECT, UNKNOWN, Place, Segment, check_version, parse_segment
from debruijn_gpu.run.plain_text import shorten

_BLANKS = b" \r"


@dataclass(frozen=True)
class GfaRecords:
    """Segments and links in the order of the file, and its paths (P lines) and jumps (J lines) as text."""

    segments: list[Segment]
    links: Links
    paths: list[bytes] = field(default_factory=list)
    jumps: list[bytes] = field(default_factory=list)


def number_lines(lines: Iterable[bytes], first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Number the lines of a file from ``first`` on, and strip blanks and carriage returns from their ends."""
    for number, line in enumerate(lines, first):
        yield number, line.rstrip(_BLANKS)


def read_segments(source: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[Segment]:
    """Read the segments of a file one by one; each must have a sequence.

    Parameters
    ----------
    source : str
        Name of the file, for messages.
    lines : iterable of (int, bytes)
        See `number_lines`.

    Raises
    ------
    FormatError
        With file and line.
    """
    parser = _SegmentParser(Place(source), needs_sequences=True)
    for number, line in lines:
        if line[:2] == b"S\t":
            yield parser.parse(number, line)
        elif line[:2] == b"H\t":
            check_version(line, source)


def read_records(
    source: str, lines: Iterable[tuple[int, bytes]], keep_sequences: bool = True, needs_sequences: bool = False
) -> GfaRecords:
    """Read segments, links, paths and jumps; lines of other types are skipped.

    Parameters
    ----------
    source : str
        Name of the file, for messages.
    lines : iterable of (int, bytes)
        See `number_lines`.
    keep_sequences : bool
        Whether sequences and tags of segments are kept; they are checked in any case.
    needs_sequences : bool
        Whether a segment without a sequence (``*``) is an error.

    Raises
    ------
    FormatError
        With file and line.
    """
    place, segments = Place(source), list[Segment]()
    parser = _SegmentParser(place, needs_sequences)
    links = LinkParser(segments, parser.numbers, place)
    waiting, paths, jumps = list[tuple[int, bytes]](), list[tuple[int, bytes]](), list[tuple[int, bytes]]()
    for number, line in lines:
        kind = line[:2]
        if kind == b"L\t":
            place.line = number
            if waiting or not links.add(line):
                waiting.append((number, line))  # until all segments are known
        elif kind == b"S\t":
            segment = parser.parse(number, line)
            segments.append(segment if keep_sequences else segment._replace(sequence=b"", tags=b""))
        elif kind == b"P\t":
            paths.append((number, line))
        elif kind == b"J\t":
            jumps.append((number, line))
        elif kind == b"H\t":
            check_version(line, source)
    for place.line, line in waiting:
        if not links.add(line):
            raise links.unknown_segment(line)
    for place.line, line in paths:
        parse_path(line, place, parser.numbers)
    for place.line, line in jumps:
        parse_jump(line, place, parser.numbers)
    return GfaRecords(segments, links.links, *([line for _number, line in lines] for lines in (paths, jumps)))


class _SegmentParser:
    """Parses S lines and numbers the segments.

    Attributes
    ----------
    numbers : dict
        Positions of the segments so far, by name.
    """

    def __init__(self, place: Place, needs_sequences: bool) -> None:
        self.numbers: dict[bytes, int] = {}
        self._place = place
        self._needs_sequences = needs_sequences

    def parse(self, number: int, line: bytes) -> Segment:
        """Parse a line; its name must be new."""
        place, n_segments = self._place, len(self.numbers)
        place.line = number
        segment = parse_segment(line, place)
        if self._needs_sequences and segment.sequence == UNKNOWN:
            raise FormatError(
                f"{place}: segment {shorten(segment.name)} has no sequence",
                "give a GFA 1 file that holds its sequences",
            )
        if self.numbers.setdefault(segment.name, n_segments) != n_segments:
            raise FormatError(f"{place}: expected a new segment name, got {shorten(segment.name)} again", CORRECT)
        return segment


_TAG = re.compile(rb"[A-Za-z][A-Za-z0-9]:[AifZJHB]:[ -~]*")

#: The text of a column in each line: one field, or several one after another
Column: TypeAlias = Field | tuple[Field, ...]


@dataclass(frozen=True)
class SegmentColumns:
    """A block of S lines; ``tags`` begin with a tab where there are any."""

    names: Column
    sequences: Column
    tags: Column = b""

    def fields(self) -> Iterator[Column]:
        yield from (b"S\t", self.names, b"\t", self.sequences, self.tags)


@dataclass(frozen=True)
class LinkColumns:
    """A block of L lines.

    Attributes
    ----------
    tails, heads : Column
        Names of the segments.
    tail_signs, head_signs : ndarray of int64, shape=(n,)
        1 where the segment is reverse-complemented, else 0.
    overlaps, tags : Column
        Tags begin with a tab where there are any.
    """

    tails: Column
    tail_signs: NDArray[np.int64]
    heads: Column
    head_signs: NDArray[np.int64]
    overlaps: Column
    tags: Column = b""

    def fields(self) -> Iterator[Column]:
        yield from (b"L\t", self.tails, _signs(self.tail_signs), self.heads, _signs(self.head_signs))
        yield from (self.overlaps, self.tags)


@dataclass(frozen=True)
class JumpColumns:
    """A block of J lines of GFA 1.2; see `LinkColumns`. Distances are in bases."""

    tails: Column
    tail_signs: NDArray[np.int64]
    heads: Column
    head_signs: NDArray[np.int64]
    distances: Column
    tags: Column = b""

    def fields(self) -> Iterator[Column]:
        yield from (b"J\t", self.tails, _signs(self.tail_signs), self.heads, _signs(self.head_signs))
        yield from (self.distances, self.tags)


@dataclass(frozen=True)
class PathColumns:
    """A block of P lines; ``steps`` are names of segments with their signs, separated by commas.

    A semicolon in place of a comma is a jump over a gap (GFA 1.2).
    """

    names: Column
    steps: Column
    overlaps: Column = b"*"
    tags: Column = b""

    def fields(self) -> Iterator[Column]:
        yield from (b"P\t", self.names, b"\t", self.steps, b"\t", self.overlaps, self.tags)


def write_records(
    stream: BinaryIO,
    segments: Iterable[SegmentColumns],
    links: Iterable[LinkColumns],
    paths: Iterable[PathColumns] = (),
    jumps: Iterable[JumpColumns] | None = None,
) -> None:
    """Write a header, then segments, links, jumps and paths in blocks of at least one line.

    The version is GFA 1.0 without jumps (None), else 1.2.
    """
    stream.write(b"H\tVN:Z:1.0\n" if jumps is None else b"H\tVN:Z:1.2\n")
    for blocks in (segments, links, jumps or (), paths):
        for block in blocks:
            columns = (column if isinstance(column, tuple) else (column,) for column in block.fields())
            fields = list(chain.from_iterable(columns))
            stream.write(format_records([*fields, b"\n"])[1].data)


def tags_field(tags: Iterable[bytes]) -> TextField:
    """Column of tags, without those that do not have the format of GFA 1.0."""
    return choice_field([b"".join(b"\t" + tag for tag in line.split(b"\t") if _TAG.fullmatch(tag)) for line in tags])


def _signs(is_reverse: NDArray[np.int64]) -> Field:
    return choice_field((b"\t+\t", b"\t-\t"), is_reverse)
