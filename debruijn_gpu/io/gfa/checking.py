"""Check a GFA file by the specification of versions 1.0 to 1.2, line by line."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from debruijn_gpu.io.gfa.grammar import VERSIONS, CheckedLine, Defect, check_line, operations, used_bases
from debruijn_gpu.io.gfa.segments import UNKNOWN
from debruijn_gpu.io.gfa.steps import Steps, path_steps, walk_name, walk_steps
from debruijn_gpu.io.gfa.tables import GfaTables, KnownSegment, Step, numbered_gfa_lines, read_tables
from debruijn_gpu.run.plain_text import counted, shorten

_LEAST_VERSION = {b"W": b"1.1", b"J": b"1.2"}
_NOUNS = {
    b"S": ("segment", None),
    b"L": ("link", None),
    b"C": ("containment", None),
    b"J": ("jump", None),
    b"P": ("path", None),
    b"W": ("walk", None),
}


class GfaChecker:
    """Checks a file in two passes: segments and links, then each line.

    Parameters
    ----------
    path : str
        A file that can be read twice.
    n_bytes_allowed : int or None

    Attributes
    ----------
    n_defects : int
        So far.
    n_mismatches : int
        Overlaps so far whose operations M align different bases, which the specification allows.
    """

    def __init__(self, path: str, n_bytes_allowed: int | None) -> None:
        self.n_defects = 0
        self.n_mismatches = 0
        self._path = path
        self._allowed = n_bytes_allowed
        self._tables = GfaTables()
        self._version: bytes | None = None
        self._n_lines = Counter[bytes]()
        self._paths: dict[bytes, int] = {}
        self._checks = {
            b"H": self._header,
            b"S": self._segment,
            b"L": self._link,
            b"J": self._jump,
            b"C": self._containment,
            b"P": self._path_line,
            b"W": self._walk,
        }

    def defects(self) -> Iterator[Defect]:
        """Yield all defects in the order of lines and fields.

        Raises
        ------
        FormatError
            If the file is empty or GFA 2.
        OutOfMemoryError
        """
        self._tables = read_tables(self._path, self._allowed)
        for number, line in numbered_gfa_lines(self._path, self._allowed):
            checked = check_line(number, line)
            self._n_lines[checked.kind] += 1
            found = list(checked.defects)
            if checked.kind in self._checks:
                found += self._of_version(checked)
                if checked.fields or checked.kind == b"H":
                    found += self._checks[checked.kind](checked)
            self.n_defects += len(found)
            yield from sorted(found, key=lambda defect: defect.number)

    @property
    def n_lines(self) -> int:
        """Number of lines so far that are not empty."""
        return sum(self._n_lines.values())

    def describe(self) -> str:
        """Count the lines of each type that were checked."""
        return ", ".join(counted(self._n_lines[kind], *nouns) for kind, nouns in _NOUNS.items() if self._n_lines[kind])

    def _of_version(self, line: CheckedLine) -> Iterator[Defect]:
        least = _LEAST_VERSION.get(line.kind)
        if least is not None and self._version is not None and self._version < least:
            what = f"expected a version of {least.decode()} or later for this line, got {self._version.decode()}"
            yield Defect(line.number, 1, "RecordType", what)

    def _header(self, line: CheckedLine) -> Iterator[Defect]:
        version = line.tags.get(b"VN")
        if version is None:
            return
        if version.value in VERSIONS:
            self._version = version.value
        else:
            yield line.tag_defect(b"VN", f"expected 1.0, 1.1 or 1.2, got {shorten(version.value)}")

    def _segment(self, line: CheckedLine) -> Iterator[Defect]:
        name, sequence = line.fields
        known = self._tables.segments[name]
        if known.line != line.number:
            yield line.defect(0, f"expected a new name, got {shorten(name)} of line {known.line:,} again")
        if b"+," in name or b"-," in name:
            yield line.defect(0, f"expected a name without + or - before a comma, got {shorten(name)}")
        length = line.tags.get(b"LN")
        if length is not None and not _is_length(length.value):
            yield line.tag_defect(b"LN", f"expected a length from 0 on, got {shorten(length.value)}")
        elif length is not None and sequence != UNKNOWN and int(length.value) != len(sequence):
            yield line.tag_defect(b"LN", f"expected {len(sequence):,} by the sequence, got {int(length.value):,}")
        digest = line.tags.get(b"SH")
        if digest is not None and sequence != UNKNOWN:
            expected = hashlib.sha256(sequence).hexdigest().upper()
            if digest.value.decode() != expected:
                what = f"expected SHA-256 {expected[:12]}... of the sequence, got {shorten(digest.value)}"
                yield line.tag_defect(b"SH", what)

    def _known(self, line: CheckedLine, field: int) -> Iterator[Defect]:
        """Check that a field names a segment of the file."""
        if line.sound[field] and line.fields[field] not in self._tables.segments:
            yield line.defect(field, f"expected a segment of the file, got {shorten(line.fields[field])}")

    def _jump(self, line: CheckedLine) -> Iterator[Defect]:
        yield from self._known(line, 0)
        yield from self._known(line, 2)

    def _link(self, line: CheckedLine) -> Iterator[Defect]:
        yield from self._jump(line)
        if not all(line.sound) or line.fields[4] == UNKNOWN:
            return
        ends = [self._tables.segments.get(line.fields[field]) for field in (0, 2)]
        used = used_bases(line.fields[4])
        is_within = True
        for field, n, segment in zip((0, 2), used, ends, strict=True):
            if segment is not None and segment.length is not None and n > segment.length:
                is_within = False
                what = f"expected at most {segment.length:,} bases of segment {shorten(line.fields[field])}, got {n:,}"
                yield line.defect(4, what)
        tail, head = ends
        if is_within and tail is not None and head is not None and tail.sequence and head.sequence:
            bases = tail.end(line.fields[1], used[0]), head.start(line.fields[3], used[1])
            yield from self._aligned(line, 4, *bases)

    def _containment(self, line: CheckedLine) -> Iterator[Defect]:
        yield from self._jump(line)
        if not all(line.sound) or line.fields[5] == UNKNOWN:
            return
        outer, inner = (self._tables.segments.get(line.fields[field]) for field in (0, 2))
        position, used = int(line.fields[4][:18]), used_bases(line.fields[5])
        if outer is not None and outer.length is not None and position + used[0] > outer.length:
            what = f"expected an end within {outer.length:,} bases of the container, got {position + used[0]:,}"
            yield line.defect(4, what)
        elif inner is not None and inner.length is not None and used[1] != inner.length:
            yield line.defect(5, f"expected all {inner.length:,} bases of the contained segment, got {used[1]:,}")
        elif outer is not None and inner is not None and outer.sequence and inner.sequence:
            whole = outer.start(line.fields[1], len(outer.sequence))
            bases = whole[position : position + used[0]], inner.start(line.fields[3], used[1])
            yield from self._aligned(line, 5, *bases)

    def _aligned(self, line: CheckedLine, field: int, first: bytes, second: bytes) -> Iterator[Defect]:
        """Check operations = and X of a CIGAR against the bases, and count those of M that differ."""
        first, second = first.upper(), second.upper()
        if first == second and not line.fields[field].strip(b"0123456789M"):
            return
        i = j = 0
        differs = False
        for n, operation in operations(line.fields[field]):
            pair = first[i : i + n], second[j : j + n]
            if operation == b"M":
                differs |= pair[0] != pair[1]
            elif operation in b"=X":
                is_wrong = pair[0] != pair[1] if operation == b"=" else any(a == b for a, b in zip(*pair, strict=False))
                if is_wrong:
                    wanted = "equal" if operation == b"=" else "different"
                    yield line.defect(field, f"expected {wanted} bases in {n}{operation.decode()} at base {i + 1:,}")
            i += n * (operation in b"MDN=X")
            j += n * (operation in b"MIS=X")
        self.n_mismatches += differs

    def _path_line(self, line: CheckedLine) -> Iterator[Defect]:
        name, text, overlaps = line.fields
        first = self._paths.setdefault(name, line.number)
        if first != line.number:
            yield line.defect(0, f"expected a new name, got {shorten(name)} of line {first:,} again")
        if not line.sound[1]:
            return
        steps = path_steps(text, self._tables)
        if steps.jumps and self._version is not None and self._version < b"1.2":
            yield line.defect(1, f"expected version 1.2 for jumps (;), got {self._version.decode()}")
        faults = list(self._walked(line, 1, steps))
        yield from faults
        if line.sound[2] and overlaps != UNKNOWN and not faults:
            yield from self._overlaps(line, steps, overlaps.split(b","))

    def _overlaps(self, line: CheckedLine, steps: Steps, overlaps: list[bytes]) -> Iterator[Defect]:
        """Check the overlaps of a path against its links; one more than between steps closes a circle."""
        n = len(steps.steps)
        if len(overlaps) not in (n - 1, n):
            yield line.defect(2, f"expected {n - 1:,} overlaps of {n:,} segments, or * alone, got {len(overlaps):,}")
            return
        pairs = list(pairwise([*steps.steps, steps.steps[0]]))
        for i, (overlap, (tail, head)) in enumerate(zip(overlaps, pairs, strict=False)):
            known = self._tables.overlaps(tail, head)
            shown = _shown(tail) + " " + _shown(head)
            if i == n - 1 and not known:
                yield line.defect(2, f"expected a link {shown} for the last overlap, which closes the path")
            elif overlap[-1:] not in b"*.J" and known and overlap not in known and UNKNOWN not in known:
                yield line.defect(2, f"expected overlap {shorten(known[0])} of link {shown}, got {shorten(overlap)}")

    def _walk(self, line: CheckedLine) -> Iterator[Defect]:
        if not all(line.sound):
            return
        start, end = line.fields[3:5]
        is_given = UNKNOWN not in (start, end)
        if is_given and int(start[:18]) > int(end[:18]):
            yield line.defect(4, f"expected an end from {shorten(start)} on, got {shorten(end)}")
            is_given = False
        elif (start == UNKNOWN) != (end == UNKNOWN):
            yield line.defect(4, "expected SeqStart and SeqEnd to be given both, or neither")
        first = self._paths.setdefault(b"\t" + walk_name(line.fields), line.number) if is_given else line.number
        if first != line.number:
            yield line.defect(2, f"expected a new walk, got {shorten(walk_name(line.fields))} of line {first:,} again")
        steps = walk_steps(line.fields[5])
        faults = list(self._walked(line, 5, steps))
        yield from faults
        n_bases = None if faults or not is_given else self._length(steps)
        if n_bases is not None and n_bases != int(end[:18]) - int(start[:18]):
            wanted = int(start[:18]) + n_bases
            yield line.defect(4, f"expected {wanted:,} by the walk of {n_bases:,} bases, got {int(end[:18]):,}")

    def _walked(self, line: CheckedLine, field: int, steps: Steps) -> Iterator[Defect]:
        """Check that steps are segments of the file, and that each leads to the next by a link or jump."""
        unknown = set[bytes]()
        for step in steps.steps:
            if not step.sign:
                yield line.defect(field, f"expected + or - behind segment {shorten(step.name)}")
                unknown.add(step.name)
            elif step.name not in self._tables.segments and step.name not in unknown:
                yield line.defect(field, f"expected a segment of the file, got {shorten(step.name)}")
                unknown.add(step.name)
        for i, (tail, head) in enumerate(pairwise(steps.steps)):
            if tail.name in unknown or head.name in unknown:
                continue
            is_jump = i in steps.jumps
            known = self._tables.distances(tail, head) if is_jump else self._tables.overlaps(tail, head)
            if not known:
                kind = "jump" if is_jump else "link"
                yield line.defect(field, f"expected a {kind} {_shown(tail)} {_shown(head)} in the file, found none")

    def _length(self, steps: Steps) -> int | None:
        """Bases of a walk over links that exist; None if lengths or overlaps are unknown or ambiguous."""
        total = 0
        for i, step in enumerate(steps.steps):
            segment: KnownSegment = self._tables.segments[step.name]
            if segment.length is None:
                return None
            total += segment.length
            if i:
                known = self._tables.overlaps(steps.steps[i - 1], step)
                if len(known) != 1 or known[0] == UNKNOWN:
                    return None
                total -= used_bases(known[0])[1]
        return total


def _is_length(value: bytes) -> bool:
    return value.removeprefix(b"+").isdigit() and len(value) < 19


def _shown(step: Step) -> str:
    return shorten(step.name) + step.sign.decode()
