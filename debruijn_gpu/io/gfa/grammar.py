"""Grammar of the lines of GFA 1.0 to 1.2: fields, tags and CIGARs.

Source of the format: https://gfa-spec.github.io/GFA-spec/GFA1.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from debruijn_gpu.io.gfa.segments import UNKNOWN
from debruijn_gpu.run.plain_text import shorten

#: Versions of the format
VERSIONS = (b"1.0", b"1.1", b"1.2")


class Defect(NamedTuple):
    """A defect of a line; ``number`` of the field, and ``name`` of the field or tag, where there is one."""

    line: int
    number: int
    name: str
    what: str

    def __str__(self) -> str:
        name = f" ({self.name})" if self.name else ""
        return f"line {self.line:,}, field {self.number}{name}: {self.what}"


@dataclass(frozen=True)
class _Field:
    """A field of a line: its name in the specification, its values, and what they are."""

    name: str
    values: re.Pattern[bytes]
    expected: str


_NAME = re.compile(rb"[!-)+-<>-~][!-~]*")
_OF_NAME = "a name of printable characters without blanks, not beginning with * or ="
_SIGN = re.compile(rb"[+-]")
_CIGAR = re.compile(rb"\*|(?:[0-9]+[MIDNSHPX=])+")
_OVERLAPS = re.compile(
    rb"(?:\*|\.|[-+]?[0-9]+J|(?:[0-9]+[MIDNSHPX=])+)(?:,(?:\*|\.|[-+]?[0-9]+J|(?:[0-9]+[MIDNSHPX=])+))*"
)
_POSITION = re.compile(rb"[0-9]+")
_OPTIONAL_POSITION = re.compile(rb"\*|[0-9]+")


def _segment(name: str) -> _Field:
    return _Field(name, _NAME, _OF_NAME)


def _sign(name: str) -> _Field:
    return _Field(name, _SIGN, "+ or -")


_ENDS = (_segment("From"), _sign("FromOrient"), _segment("To"), _sign("ToOrient"))
_OVERLAP = _Field("Overlap", _CIGAR, "a CIGAR such as 30M, or *")

#: Fields of each type of line behind its letter
FIELDS: dict[bytes, tuple[_Field, ...]] = {
    b"#": (),
    b"H": (),
    b"S": (
        _segment("Name"),
        _Field("Sequence", re.compile(rb"\*|[A-Za-z=.]+"), "letters of a sequence, or *"),
    ),
    b"L": (*_ENDS, _OVERLAP),
    b"J": (*_ENDS, _Field("Distance", re.compile(rb"\*|[-+]?[0-9]+"), "an integer, or *")),
    b"C": (
        _segment("Container"),
        _sign("ContainerOrient"),
        _segment("Contained"),
        _sign("ContainedOrient"),
        _Field("Pos", _POSITION, "a position from 0 on"),
        _OVERLAP,
    ),
    b"P": (
        _segment("PathName"),
        _Field("SegmentNames", re.compile(rb"[!-)+-<>-~][!-~]*[+-]"), "segments with + or -, separated by commas"),
        _Field("Overlaps", _OVERLAPS, "CIGARs separated by commas, or *"),
    ),
    b"W": (
        _segment("SampleId"),
        _Field("HapIndex", _POSITION, "an integer from 0 on"),
        _segment("SeqId"),
        _Field("SeqStart", _OPTIONAL_POSITION, "a position from 0 on, or *"),
        _Field("SeqEnd", _OPTIONAL_POSITION, "a position from 0 on, or *"),
        _Field("Walk", re.compile(rb"(?:[><][!-;=?-~]+)+"), "segments, each behind > or <"),
    ),
}
_KINDS = "H, S, L, C, P, W, J or #"

_TAG = re.compile(rb"([A-Za-z][A-Za-z0-9]):([AifZJHB]):(.*)", re.DOTALL)
_FLOAT = rb"[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_VALUES = {
    b"A": (re.compile(rb"[!-~]"), "one printable character"),
    b"i": (re.compile(rb"[-+]?[0-9]+"), "an integer"),
    b"f": (re.compile(_FLOAT), "a number"),
    b"Z": (re.compile(rb"[ !-~]+"), "printable characters"),
    b"J": (re.compile(rb"[ !-~]+"), "JSON"),
    b"H": (re.compile(rb"(?:[0-9A-F]{2})+"), "pairs of digits 0-9A-F"),
    b"B": (re.compile(rb"(?:[cCsSiI](?:,[-+]?[0-9]+)+|f(?:,%b)+)" % _FLOAT), "a type (cCsSiIf) and its numbers"),
}
_BITS = {"c": 8, "s": 16, "i": 32}
#: Types of the tags that the specification names, by type of line
_TYPES: dict[bytes, dict[bytes, bytes]] = {
    b"H": {b"VN": b"Z", b"TS": b"i"},
    b"S": {b"LN": b"i", b"RC": b"i", b"FC": b"i", b"KC": b"i", b"SH": b"H", b"UR": b"Z"},
    b"L": {b"MQ": b"i", b"NM": b"i", b"RC": b"i", b"FC": b"i", b"KC": b"i", b"ID": b"Z"},
    b"C": {b"RC": b"i", b"NM": b"i", b"ID": b"Z"},
    b"J": {b"SC": b"i"},
}
_OPERATION = re.compile(rb"([0-9]+)([MIDNSHPX=])")


class Tag(NamedTuple):
    """A sound tag: number of its field, and its value."""

    number: int
    value: bytes


@dataclass(frozen=True)
class CheckedLine:
    """A line and the defects of its fields and tags, each looked at alone.

    Attributes
    ----------
    number : int
    kind : bytes
        Its first letter.
    fields : list of bytes
        Required fields, without the letter; empty if some are missing.
    sound : list of bool
        Whether each of them is.
    tags : dict
        Sound tags by name.
    defects : list of Defect
    """

    number: int
    kind: bytes
    fields: list[bytes]
    sound: list[bool]
    tags: dict[bytes, Tag]
    defects: list[Defect]

    def defect(self, field: int, what: str) -> Defect:
        """Make a defect of a required field, counted from 0 on."""
        return Defect(self.number, field + 2, FIELDS[self.kind][field].name, what)

    def tag_defect(self, name: bytes, what: str) -> Defect:
        """Make a defect of a tag."""
        return Defect(self.number, self.tags[name].number, f"tag {name.decode()}", what)


def check_line(number: int, line: bytes) -> CheckedLine:
    """Check the fields and tags of a line that is not empty."""
    kind, *fields = line.split(b"\t")
    if line.startswith(b"#"):
        return CheckedLine(number, b"#", [], [], {}, [])
    if kind not in FIELDS:
        what = f"expected {_KINDS}, got {shorten(kind)}"
        return CheckedLine(number, b"#", [], [], {}, [Defect(number, 1, "RecordType", what)])
    wanted = FIELDS[kind]
    if len(fields) < len(wanted):
        missing = wanted[len(fields)]
        what = f"expected {missing.expected}, got the end of the line"
        return CheckedLine(number, kind, [], [], {}, [Defect(number, len(fields) + 2, missing.name, what)])
    tags, defects = _tags(number, kind, fields[len(wanted) :], len(wanted) + 2)
    required = fields[: len(wanted)]
    sound = [field.values.fullmatch(value) is not None for field, value in zip(wanted, required, strict=True)]
    checked = CheckedLine(number, kind, required, sound, tags, defects)
    for i, field in enumerate(wanted):
        if not sound[i]:
            defects.append(checked.defect(i, f"expected {field.expected}, got {shorten(required[i]) or 'nothing'}"))
    return checked


def _tags(number: int, kind: bytes, fields: list[bytes], first: int) -> tuple[dict[bytes, Tag], list[Defect]]:
    """Check optional fields; the first has the number ``first``."""
    tags: dict[bytes, Tag] = {}
    defects = []
    for at, field in enumerate(fields, first):
        found = _TAG.fullmatch(field)
        if found is None:
            what = f"expected a tag such as RC:i:7 (types A, i, f, Z, J, H, B), got {shorten(field) or 'nothing'}"
            defects.append(Defect(number, at, "tag", what))
            continue
        name, kind_of_value, value = found.groups()
        label, wanted = f"tag {name.decode()}", _TYPES.get(kind, {}).get(name, kind_of_value)
        if kind_of_value != wanted:
            what = f"expected type {wanted.decode()}, got {shorten(field)}"
        elif not _is_value(kind_of_value, value):
            what = f"expected {_VALUES[kind_of_value][1]}, got {shorten(value) or 'nothing'}"
        elif name in tags:
            what = f"expected this tag once, got {shorten(field)} too"
        else:
            tags[name] = Tag(at, value)
            continue
        defects.append(Defect(number, at, label, what))
    return tags, defects


def _is_value(kind: bytes, value: bytes) -> bool:
    """Return whether a tag of a type may have a value."""
    if not _VALUES[kind][0].fullmatch(value):
        return False
    if kind == b"J":
        try:
            json.loads(value)
        except (ValueError, RecursionError):
            return False
    if kind == b"B" and not value.startswith(b"f"):
        letter, *numbers = value.decode().split(",")
        n_bits = _BITS[letter.lower()]
        least, most = (-(1 << n_bits - 1), (1 << n_bits - 1) - 1) if letter.islower() else (0, (1 << n_bits) - 1)
        return all(len(digits) <= 12 and least <= int(digits) <= most for digits in numbers)
    return True


def operations(cigar: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield lengths and operations of a sound CIGAR; none of ``*``."""
    for digits, operation in _OPERATION.findall(cigar):
        yield int(digits[:18]), operation


def used_bases(cigar: bytes) -> tuple[int, int]:
    """Count the bases that a CIGAR aligns of the first and of the second sequence."""
    first = second = 0
    for n, operation in operations(cigar):
        first += n * (operation in b"MDN=X")
        second += n * (operation in b"MIS=X")
    return first, second


def turned(cigar: bytes) -> bytes:
    """CIGAR of the reverse complement of a link: operations in reverse, insertions and deletions exchanged."""
    if cigar == UNKNOWN:
        return cigar
    exchanged = {b"I": b"D", b"D": b"I"}
    parts = [digits + exchanged.get(operation, operation) for digits, operation in _OPERATION.findall(cigar)]
    return b"".join(reversed(parts))
