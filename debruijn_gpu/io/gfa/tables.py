"""Tables of the segments, links and jumps of a GFA file, for a second pass over its lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.io.gfa.grammar import turned
from debruijn_gpu.io.gfa.segments import UNKNOWN, check_version
from debruijn_gpu.io.lines import read_lines
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.io.reading_again import check_size, longest_line

_RECORD_BYTES = 250  # of a line as Python objects, about
_FLIPPED = {b"+": b"-", b"-": b"+"}


class Step(NamedTuple):
    """A segment with its orientation, + or -."""

    name: bytes
    sign: bytes

    @property
    def flipped(self) -> Step:
        """The reverse complement."""
        return Step(self.name, _FLIPPED[self.sign])


class KnownSegment(NamedTuple):
    """The line of a segment, its sequence (empty if unknown), and its length by that or by its tag LN, or None."""

    line: int
    sequence: bytes
    length: int | None

    def start(self, sign: bytes, n: int) -> bytes:
        """First n bases of a segment in an orientation."""
        return (
            self.sequence[:n] if sign == b"+" else reverse_complement(self.sequence[max(0, len(self.sequence) - n) :])
        )

    def end(self, sign: bytes, n: int) -> bytes:
        """Last n bases of a segment in an orientation."""
        return (
            self.sequence[max(0, len(self.sequence) - n) :] if sign == b"+" else reverse_complement(self.sequence[:n])
        )


@dataclass
class GfaTables:
    """Segments by name; overlaps of links and distances of jumps by both ends, each as first written.

    Attributes
    ----------
    segments : dict of bytes to KnownSegment
    links, jumps : dict of (Step, Step) to list of bytes
        Distinct overlaps and distances.
    """

    segments: dict[bytes, KnownSegment] = field(default_factory=dict)
    links: dict[tuple[Step, Step], list[bytes]] = field(default_factory=dict)
    jumps: dict[tuple[Step, Step], list[bytes]] = field(default_factory=dict)

    def overlaps(self, tail: Step, head: Step) -> list[bytes]:
        """Overlaps of the links from one step to another; none without a link."""
        found = list(self.links.get((tail, head), ()))
        reverse = (head.flipped, tail.flipped)
        if reverse != (tail, head):
            found += [cigar for cigar in map(turned, self.links.get(reverse, ())) if cigar not in found]
        return found

    def distances(self, tail: Step, head: Step) -> list[bytes]:
        """Distances of the jumps from one step to another; none without a jump."""
        return [*self.jumps.get((tail, head), ()), *self.jumps.get((head.flipped, tail.flipped), ())]

    def add(self, number: int, fields: list[bytes]) -> None:
        """Add a line of a segment, link or jump, if it has all of its fields."""
        if fields[0] == b"S" and len(fields) > 2:
            sequence = b"" if fields[2] == UNKNOWN else fields[2]
            length = len(sequence) if sequence else _length(fields[3:])
            self.segments.setdefault(fields[1], KnownSegment(number, sequence, length))
        elif fields[0] in (b"L", b"J") and len(fields) > 5 and fields[2] in _FLIPPED and fields[4] in _FLIPPED:
            known = self.links if fields[0] == b"L" else self.jumps
            values = known.setdefault((Step(fields[1], fields[2]), Step(fields[3], fields[4])), [])
            if fields[5] not in values:
                values.append(fields[5])


def _length(tags: list[bytes]) -> int | None:
    """Length by tag LN."""
    for tag in tags:
        if tag.startswith(b"LN:i:") and tag[5:].isdigit() and len(tag) < 24:
            return int(tag[5:])
    return None


def numbered_gfa_lines(path: str, n_bytes_allowed: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not empty, numbered from 1 on, without carriage returns.

    Raises
    ------
    FormatError
        If it is GFA 2.
    """
    source = display_name(path)
    with closing(read_lines(path, longest_line(n_bytes_allowed) or 1 << 62)) as lines:
        for number, line in enumerate(lines, 1):
            content = line.rstrip(b"\r")
            if content.startswith(b"H\t"):
                check_version(content, source)
            if content:
                yield number, content


def read_tables(path: str, n_bytes_allowed: int | None) -> GfaTables:
    """Read the segments, links and jumps of a file; lines with missing fields are skipped.

    Raises
    ------
    OutOfMemoryError
    """
    tables, n_bytes = GfaTables(), 0
    for number, line in numbered_gfa_lines(path, n_bytes_allowed):
        if line[:2] in (b"S\t", b"L\t", b"J\t"):
            tables.add(number, line.split(b"\t"))
            n_bytes += _RECORD_BYTES + len(line)
            check_size(n_bytes, n_bytes_allowed)
    return tables
