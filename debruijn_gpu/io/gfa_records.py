"""Parse and check the lines of GFA 1.0 that commands read: segments, links and paths.

Source of the format: https://gfa-spec.github.io/GFA-spec/GFA1.html
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.gfa_segments import (
    CORRECT,
    MOST_BP,
    MOST_DIGITS,
    UNKNOWN,
    Place,
    Segment,
    Where,
    check_version,
    duplicate_segment,
    parse_segment,
    shown,
)

_TAG = re.compile(rb"[A-Za-z][A-Za-z0-9]:[AifZJHB]:[ -~]*")
_CIGAR = re.compile(rb"(?:[0-9]+[MIDNSHPX=])+")
_OPERATION = re.compile(rb"([0-9]+)([MIDNSHPX=])")
_STEP = re.compile(rb"(.+)([+-])", re.DOTALL)
_SIGNS = {b"+": 0, b"-": 1}
#: Operations of a CIGAR string that take bases of the first segment, and of the second one
_TAKES = (b"MDN=X", b"MIS=X")

_WHOLE = "give a whole GFA 1 file"


class Link(NamedTuple):
    """A link (L line) between oriented segments: 2i for segment i forward, 2i + 1 for its reverse complement."""

    tail: int
    head: int
    overlap: bytes
    tags: bytes


@dataclass(frozen=True)
class Links:
    """Links in the order of the file, as columns: a file can have many millions.

    Attributes
    ----------
    ends : array of int64
        Tail and head of each link by turns.
    overlaps, tags : list of bytes
        Equal overlaps are one object.
    """

    ends: array[int] = field(default_factory=lambda: array("q"))
    overlaps: list[bytes] = field(default_factory=list)
    tags: list[bytes] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.overlaps)

    def __iter__(self) -> Iterator[Link]:
        return map(Link, self.ends[::2], self.ends[1::2], self.overlaps, self.tags)

    def pairs(self) -> NDArray[np.int64]:
        """Tails and heads, shape (n, 2)."""
        return np.array(self.ends, np.int64).reshape(-1, 2)


@dataclass(frozen=True)
class GfaRecords:
    """Segments and links in the order of the file, and its paths (P lines) as text."""

    segments: list[Segment] = field(default_factory=list)
    links: Links = field(default_factory=Links)
    paths: list[bytes] = field(default_factory=list)


def read_records(source: str, lines: Iterable[tuple[int, bytes]], with_sequences: bool = True) -> GfaRecords:
    """Read segments, links and paths; lines of other types are skipped.

    Parameters
    ----------
    source : str
        Name of the file, for messages.
    lines : iterable of (int, bytes)
        Numbered lines without their ends.
    with_sequences : bool
        Whether sequences and tags of segments are kept; they are checked in any case.

    Raises
    ------
    FormatError
        With file and line.
    """
    records, numbers, place = GfaRecords(), dict[bytes, int](), Place(source)
    links = _LinkParser(records, numbers, place)
    waiting, paths = list[tuple[int, bytes]](), list[tuple[int, bytes]]()
    for number, line in lines:
        kind = line[:2]
        if kind == b"L\t":
            place.line = number
            if waiting or not links.add(line):
                waiting.append((number, line))  # until all segments are known
        elif kind == b"S\t":
            place.line = number
            segment = parse_segment(line, place)
            if numbers.setdefault(segment.name, len(numbers)) != len(records.segments):
                raise duplicate_segment(place, segment.name)
            records.segments.append(segment if with_sequences else segment._replace(sequence=b"", tags=b""))
        elif kind == b"P\t":
            paths.append((number, line))
        elif kind == b"H\t":
            check_version(line, source)
    for place.line, line in waiting:
        if not links.add(line):
            raise links.unknown_segment(line)
    for place.line, line in paths:
        path_steps(line, place, numbers)
        records.paths.append(line)
    return records


class _LinkParser:
    """Adds the links of lines to records."""

    def __init__(self, records: GfaRecords, numbers: dict[bytes, int], place: Place) -> None:
        self._links, self._segments = records.links, records.segments
        self._numbers = numbers
        self._place = place
        self._overlaps: dict[bytes, tuple[bytes, int, int]] = {}  # and the bases that they take of tail and head

    def add(self, line: bytes) -> bool:
        """Add the link of a line, unless one of its segments is not known.

        Raises
        ------
        FormatError
        """
        fields = line.split(b"\t", 6)
        tail_sign = _SIGNS.get(fields[2]) if len(fields) > 4 else None
        head_sign = _SIGNS.get(fields[4].rstrip(b" ")) if len(fields) > 4 else None
        if tail_sign is None or head_sign is None:
            raise FormatError(
                f"{self._place}: expected a link (L, name, + or -, name, + or -, overlap), got {shown(line)}", CORRECT
            )
        tail, head = self._numbers.get(fields[1]), self._numbers.get(fields[3])
        if tail is None or head is None:
            return False
        overlap = fields[5].rstrip(b" ") if len(fields) > 5 else UNKNOWN
        known = self._overlaps.get(overlap) or self._add_overlap(overlap)
        for takes, segment in ((known[1], self._segments[tail]), (known[2], self._segments[head])):
            if takes > (MOST_BP if segment.length is None else segment.length):
                raise self._too_long(overlap, segment)
        self._links.ends.append(2 * tail + tail_sign)
        self._links.ends.append(2 * head + head_sign)
        self._links.overlaps.append(known[0])
        self._links.tags.append(fields[6].rstrip(b" ") if len(fields) > 6 else b"")
        return True

    def unknown_segment(self, line: bytes) -> FormatError:
        """Error for a link that was not added."""
        name = next(name for name in line.split(b"\t", 4)[1:4:2] if name not in self._numbers)
        return FormatError(f"{self._place}: there is no segment {shown(name)}", _WHOLE)

    def _add_overlap(self, overlap: bytes) -> tuple[bytes, int, int]:
        if overlap != UNKNOWN and not _CIGAR.fullmatch(overlap):
            raise FormatError(f"{self._place}: expected an overlap such as 30M or *, got {shown(overlap)}", CORRECT)
        operations = [
            (int(n) if len(n) <= MOST_DIGITS else MOST_BP + 1, operation)
            for n, operation in _OPERATION.findall(overlap)
        ]
        of_tail, of_head = (sum(n for n, operation in operations if operation in takes) for takes in _TAKES)
        return self._overlaps.setdefault(overlap, (overlap, of_tail, of_head))

    def _too_long(self, overlap: bytes, segment: Segment) -> FormatError:
        most = MOST_BP if segment.length is None else segment.length
        of_segment = "" if segment.length is None else f", all of segment {shown(segment.name)}"
        return FormatError(
            f"{self._place}: expected an overlap of at most {most:,} bases{of_segment}, got {shown(overlap)}", CORRECT
        )


def path_steps(line: bytes, where: Where, numbers: dict[bytes, int]) -> list[int]:
    """Oriented segments of a P line.

    Raises
    ------
    FormatError
        If a step is not a segment of the file with + or -.
    """
    fields = line.split(b"\t", 3)
    if len(fields) < 3 or not fields[1] or not fields[2]:
        raise FormatError(f"{where}: expected a path (P, name, segments), got {shown(line)}", CORRECT)
    steps = []
    for word in fields[2].rstrip(b" ").split(b","):
        found = _STEP.fullmatch(word)
        if found is None or found[1] not in numbers:
            raise FormatError(f"{where}: expected a segment with + or - in the path, got {shown(word)}", _WHOLE)
        steps.append(2 * numbers[found[1]] + _SIGNS[found[2]])
    return steps


def well_formed(tags: bytes) -> bytes:
    """The tags of a line that have the form of GFA 1.0, each after a tab."""
    return b"".join(b"\t" + tag for tag in tags.split(b"\t") if _TAG.fullmatch(tag))
