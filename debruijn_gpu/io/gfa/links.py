"""Parse and check the links (L lines), jumps (J lines) and paths (P lines) of GFA 1.0 to 1.2.

Source of the format: https://gfa-spec.github.io/GFA-spec/GFA1.html
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.gfa.segments import CORRECT, MOST_BP, MOST_DIGITS, UNKNOWN, Place, Segment, Where
from debruijn_gpu.run.plain_text import shorten

_CIGAR = re.compile(rb"(?:[0-9]+[MIDNSHPX=])+")
_OPERATION = re.compile(rb"([0-9]+)([MIDNSHPX=])")
_STEP = re.compile(rb"(.+)([+-])", re.DOTALL)
_SIGNS = {b"+": 0, b"-": 1}
_JUMP = re.compile(rb"(?<=[+-]);")  # names may hold semicolons, too
_DISTANCE = re.compile(rb"[+-]?[0-9]{1,%d}" % MOST_DIGITS)
#: Operations of a CIGAR string that use bases of the first segment, and of the second one
_USED = (b"MDN=X", b"MIS=X")

_WHOLE = "give a whole GFA 1 file"


class Link(NamedTuple):
    """A link (L line) between oriented segments: 2i for segment i forward, 2i + 1 for its reverse complement."""

    tail: int
    head: int
    overlap: bytes
    tags: bytes


@dataclass(frozen=True)
class Links:
    """Columns of links in the order of the file, which can have many millions.

    Attributes
    ----------
    ends : array of int64
        Tail and head of each link, alternating.
    overlaps, tags : list of bytes
        Equal overlaps share one object.
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


class LinkParser:
    """Parses L lines into columns of links.

    Parameters
    ----------
    segments : list of Segment
        The segments that are known; it may grow.
    numbers : dict
        Positions of these segments, by name.
    place : Place
        Line that is parsed, for messages.
    """

    def __init__(self, segments: list[Segment], numbers: dict[bytes, int], place: Place) -> None:
        self.links = Links()
        self._segments = segments
        self._numbers = numbers
        self._place = place
        self._overlaps: dict[bytes, tuple[bytes, int, int]] = {}  # and their bases in tail and head

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
                f"{self._place}: expected a link (L, name, + or -, name, + or -, overlap), got {shorten(line)}", CORRECT
            )
        tail, head = self._numbers.get(fields[1]), self._numbers.get(fields[3])
        if tail is None or head is None:
            return False
        overlap = fields[5].rstrip(b" ") if len(fields) > 5 else UNKNOWN
        known = self._overlaps.get(overlap) or self._add_overlap(overlap)
        for n_bases, segment in ((known[1], self._segments[tail]), (known[2], self._segments[head])):
            if n_bases > (MOST_BP if segment.length is None else segment.length):
                raise self._too_long(overlap, segment)
        self.links.ends.append(2 * tail + tail_sign)
        self.links.ends.append(2 * head + head_sign)
        self.links.overlaps.append(known[0])
        self.links.tags.append(fields[6].rstrip(b" ") if len(fields) > 6 else b"")
        return True

    def unknown_segment(self, line: bytes) -> FormatError:
        """Error for a link that was not added."""
        name = next(name for name in line.split(b"\t", 4)[1:4:2] if name not in self._numbers)
        return FormatError(f"{self._place}: there is no segment {shorten(name)}", _WHOLE)

    def _add_overlap(self, overlap: bytes) -> tuple[bytes, int, int]:
        if overlap != UNKNOWN and not _CIGAR.fullmatch(overlap):
            raise FormatError(f"{self._place}: expected an overlap such as 30M or *, got {shorten(overlap)}", CORRECT)
        operations = [
            (int(n) if len(n) <= MOST_DIGITS else MOST_BP + 1, operation)
            for n, operation in _OPERATION.findall(overlap)
        ]
        of_tail, of_head = (sum(n for n, operation in operations if operation in used) for used in _USED)
        return self._overlaps.setdefault(overlap, (overlap, of_tail, of_head))

    def _too_long(self, overlap: bytes, segment: Segment) -> FormatError:
        most = MOST_BP if segment.length is None else segment.length
        of_segment = "" if segment.length is None else f", all of segment {shorten(segment.name)}"
        return FormatError(
            f"{self._place}: expected an overlap of at most {most:,} bases{of_segment}, got {shorten(overlap)}", CORRECT
        )


class Path(NamedTuple):
    """A path (P line).

    Attributes
    ----------
    name, text, overlaps, tags : bytes
        As in the file; ``text`` is the list of segments with their signs.
    steps : list of int
        Oriented segments, as in `Link`.
    jumps : list of int
        Steps after which the path jumps over a gap (``;``) instead of following a link.
    """

    name: bytes
    text: bytes
    overlaps: bytes
    tags: bytes
    steps: list[int]
    jumps: list[int]

    def links(self) -> Iterator[tuple[int, int]]:
        """Yield tail and head of each link that the path follows."""
        jumps = set(self.jumps)
        return (pair for i, pair in enumerate(pairwise(self.steps)) if i not in jumps)


def parse_path(line: bytes, where: Where, numbers: dict[bytes, int]) -> Path:
    """Parse a P line.

    Parameters
    ----------
    line : bytes
    where : Place or str
        File and line, for messages.
    numbers : dict
        Positions of the segments, by name.

    Raises
    ------
    FormatError
        If a field is missing, or a step is not a segment of the file with + or -.
    """
    fields = line.split(b"\t", 4)
    if len(fields) < 3 or not fields[1] or not fields[2]:
        raise FormatError(f"{where}: expected a path (P, name, segments), got {shorten(line)}", CORRECT)
    text = fields[2].rstrip(b" ")
    steps, jumps = list[int](), list[int]()
    for word in text.split(b","):
        step = _step(word, numbers)
        if step is None:
            parts = _JUMP.split(word)
            found = [_step(part, numbers) for part in parts]
            if None in found:
                wrong = parts[found.index(None)]
                raise FormatError(f"{where}: expected a segment with + or - in the path, got {shorten(wrong)}", _WHOLE)
            jumps += range(len(steps), len(steps) + len(parts) - 1)
            steps += (step for step in found if step is not None)
        else:
            steps.append(step)
    overlaps = fields[3].rstrip(b" ") if len(fields) > 3 else b""
    return Path(fields[1], text, overlaps or UNKNOWN, fields[4] if len(fields) > 4 else b"", steps, jumps)


def _step(word: bytes, numbers: dict[bytes, int]) -> int | None:
    """Number an oriented segment; None if it is unknown."""
    found = _STEP.fullmatch(word)
    number = None if found is None else numbers.get(found[1])
    return None if found is None or number is None else 2 * number + _SIGNS[found[2]]


class Jump(NamedTuple):
    """A jump (J line) over a gap between oriented segments, as in `Link`; the distance is in bases or ``*``."""

    tail: int
    head: int
    distance: bytes
    tags: bytes


def parse_jump(line: bytes, where: Where, numbers: dict[bytes, int]) -> Jump:
    """Parse a J line of GFA 1.2; its arguments are those of `parse_path`.

    Raises
    ------
    FormatError
        If a field is missing, a segment is not in the file, or the distance is no integer.
    """
    fields = line.split(b"\t", 6)
    tail_sign = _SIGNS.get(fields[2]) if len(fields) > 4 else None
    head_sign = _SIGNS.get(fields[4].rstrip(b" ")) if len(fields) > 4 else None
    if tail_sign is None or head_sign is None:
        raise FormatError(
            f"{where}: expected a jump (J, name, + or -, name, + or -, distance), got {shorten(line)}", CORRECT
        )
    for name in fields[1:4:2]:
        if name not in numbers:
            raise FormatError(f"{where}: there is no segment {shorten(name)}", _WHOLE)
    distance = fields[5].rstrip(b" ") if len(fields) > 5 else UNKNOWN
    if distance != UNKNOWN and not _DISTANCE.fullmatch(distance):
        raise FormatError(f"{where}: expected a distance such as 200 or *, got {shorten(distance)}", CORRECT)
    tags = fields[6].rstrip(b" ") if len(fields) > 6 else b""
    return Jump(2 * numbers[fields[1]] + tail_sign, 2 * numbers[fields[3]] + head_sign, distance, tags)
