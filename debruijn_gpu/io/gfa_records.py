"""Parse and check the lines of GFA 1.0 that commands read: segments, links and paths.

Source of the format: https://gfa-spec.github.io/GFA-spec/GFA1.html
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from debruijn_gpu.alphabet import AMBIGUOUS, BASES
from debruijn_gpu.errors import FormatError

#: A sequence that is not in the file
UNKNOWN = b"*"
#: A length or overlap in bases is below this
MOST_BP = 1 << 40

_LETTERS = (BASES + AMBIGUOUS).translate(None, b"*-")  # letters of the format
_DIGITS = re.compile(rb"[0-9]{1,18}")
_NUMBER = re.compile(rb"\+?(?:[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?")
_TAG = re.compile(rb"[A-Za-z][A-Za-z0-9]:[AifZJHB]:[ -~]*")
_CIGAR = re.compile(rb"(?:[0-9]+[MIDNSHPX=])+")
_OPERATION = re.compile(rb"([0-9]+)([MIDNSHPX=])")
_STEP = re.compile(rb"(.+)([+-])", re.DOTALL)
_SIGNS = {b"+": 0, b"-": 1}
#: Operations of a CIGAR string that take bases of the first segment, and of the second one
_TAKES = (b"MDN=X", b"MIS=X")
_COUNTS = (b"KC", b"RC", b"FC")
_DEPTHS = (b"DP", b"dp", b"rd")  # Flye writes dp:i, hifiasm rd:i
_TYPES = {**dict.fromkeys((b"LN", *_COUNTS), (b"i:",)), **dict.fromkeys(_DEPTHS, (b"f:", b"i:"))}

_SHOWN_BYTES = 40
_MOST_DIGITS = 18  # of an integer
_WHOLE = "give a whole GFA 1 file"
_CORRECT = "correct the line, or write the file again with the program that made it"


class Segment(NamedTuple):
    """A segment (S line).

    Attributes
    ----------
    name, sequence, tags : bytes
        As in the file; the sequence is `UNKNOWN` if the file does not give it.
    length : int or None
        In bases, by the sequence or else by tag ``LN``; None if unknown.
    depth : float or None
        By tag ``DP``, ``dp`` or ``rd``.
    kmer_count : int or None
        By tag ``KC``, ``RC`` or ``FC``.
    """

    name: bytes
    sequence: bytes
    tags: bytes
    length: int | None
    depth: float | None
    kmer_count: int | None


class Link(NamedTuple):
    """A link (L line) between oriented segments: 2i for segment i forward, 2i + 1 for its reverse complement."""

    tail: int
    head: int
    overlap: bytes
    tags: bytes


@dataclass(frozen=True)
class GfaRecords:
    """Segments and links in the order of the file, and its paths (P lines) as text."""

    segments: list[Segment] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
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
    records, numbers = GfaRecords(), dict[bytes, int]()
    links, paths = list[tuple[int, bytes]](), list[tuple[int, bytes]]()
    for number, line in lines:
        kind = line[:2]
        if kind == b"H\t":
            check_version(line, source)
        elif kind == b"S\t":
            segment = parse_segment(line, f"{source}: line {number:,}")
            if numbers.setdefault(segment.name, len(numbers)) != len(records.segments):
                raise duplicate_segment(f"{source}: line {number:,}", segment.name)
            records.segments.append(segment if with_sequences else segment._replace(sequence=b"", tags=b""))
        elif kind == b"L\t":
            links.append((number, line))
        elif kind == b"P\t":
            paths.append((number, line))
    records.links.extend(_parse_link(line, f"{source}: line {n:,}", numbers, records.segments) for n, line in links)
    for number, line in paths:
        path_steps(line, f"{source}: line {number:,}", numbers)
        records.paths.append(line)
    return records


def check_version(header: bytes, source: str) -> None:
    """Raise if an H line says GFA 2, whose segments have their length where GFA 1 has the sequence.

    Raises
    ------
    FormatError
    """
    if b"\tVN:Z:2" in header:
        raise FormatError(f"{source}: this is GFA 2, which is not read", "give it as GFA 1, which assemblers write")


def duplicate_segment(where: str, name: bytes) -> FormatError:
    """Error for a second segment of one name."""
    return FormatError(f"{where}: expected a new segment name, got {shown(name)} again", _CORRECT)


def parse_segment(line: bytes, where: str) -> Segment:
    """Parse an S line.

    Parameters
    ----------
    line : bytes
    where : str
        File and line, for messages.

    Raises
    ------
    FormatError
        For a missing field, letters that are no bases, and tags of lengths, counts or depths with other values.
    """
    fields = line.split(b"\t", 3)
    if len(fields) < 3 or not fields[1]:
        raise FormatError(f"{where}: expected a segment (S, name, sequence), got {shown(line)}", _CORRECT)
    name, sequence = fields[1], fields[2].rstrip(b" ") or UNKNOWN
    where = f"{where}: segment {shown(name)}"
    odd = b"" if sequence == UNKNOWN else sequence.upper().translate(None, _LETTERS)
    if odd:
        letter = odd[:1].decode("latin-1")
        raise FormatError(f"{where}: {letter!r} is not a base", "give DNA in IUPAC letters, or * for no sequence")
    tags = fields[3].rstrip(b" ") if len(fields) > 3 else b""
    values = _tag_values(tags, where)
    length = len(sequence) if sequence != UNKNOWN else None
    said = _integer(values, b"LN", where)
    if said is not None and said != (said if length is None else length):
        raise FormatError(f"{where}: expected LN:i:{length:,} by its sequence, got LN:i:{said:,}", _CORRECT)
    counts = [_integer(values, key, where) for key in _COUNTS]
    depths = [_depth(values, key, where) for key in _DEPTHS]
    return Segment(
        name,
        sequence,
        tags,
        said if length is None else length,
        next((depth for depth in depths if depth is not None), None),
        next((count for count in counts if count is not None), None),
    )


def _tag_values(tags: bytes, where: str) -> dict[bytes, bytes]:
    """Values of the tags that are read, by name."""
    values: dict[bytes, bytes] = {}
    for tag in tags.split(b"\t"):
        key = tag[:2]
        if key not in _TYPES or tag[2:3] != b":":
            continue
        if tag[3:5] not in _TYPES[key]:
            wanted = " or ".join(shown(key + b":" + kind) for kind in _TYPES[key])
            raise FormatError(f"{where}: expected {wanted} and a value, got {shown(tag)}", _CORRECT)
        if key in values:
            raise FormatError(f"{where}: expected tag {shown(key)} once, got {shown(tag)} too", _CORRECT)
        values[key] = tag[5:]
    return values


def _integer(values: dict[bytes, bytes], key: bytes, where: str) -> int | None:
    """The value of a tag of type i, from 0 on."""
    text = values.get(key)
    if text is None:
        return None
    if not _DIGITS.fullmatch(text) or (key == b"LN" and int(text) >= MOST_BP):
        raise FormatError(f"{where}: expected an integer from 0 on in tag {shown(key)}, got {shown(text)}", _CORRECT)
    return int(text)


def _depth(values: dict[bytes, bytes], key: bytes, where: str) -> float | None:
    """The value of a tag of a depth, from 0 on."""
    text = values.get(key)
    if text is None:
        return None
    depth = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(depth):
        raise FormatError(f"{where}: expected a number from 0 on in tag {shown(key)}, got {shown(text)}", _CORRECT)
    return depth


def _parse_link(line: bytes, where: str, numbers: dict[bytes, int], segments: list[Segment]) -> Link:
    fields = line.split(b"\t", 6)
    if len(fields) < 5 or fields[2] not in _SIGNS or fields[4].rstrip(b" ") not in _SIGNS:
        raise FormatError(
            f"{where}: expected a link (L, name, + or -, name, + or -, overlap), got {shown(line)}", _CORRECT
        )
    ends = []
    for name, sign in ((fields[1], fields[2]), (fields[3], fields[4].rstrip(b" "))):
        if name not in numbers:
            raise FormatError(f"{where}: there is no segment {shown(name)}", _WHOLE)
        ends.append(2 * numbers[name] + _SIGNS[sign])
    overlap = fields[5].rstrip(b" ") if len(fields) > 5 else UNKNOWN
    if overlap != UNKNOWN:
        _check_overlap(overlap, where, [segments[end >> 1] for end in ends])
    return Link(ends[0], ends[1], overlap, fields[6].rstrip(b" ") if len(fields) > 6 else b"")


def _check_overlap(overlap: bytes, where: str, segments: list[Segment]) -> None:
    """Raise unless an overlap is a CIGAR string that fits into both segments."""
    if not _CIGAR.fullmatch(overlap):
        raise FormatError(f"{where}: expected an overlap such as 30M or *, got {shown(overlap)}", _CORRECT)
    operations = _OPERATION.findall(overlap)
    lengths = [int(n) if len(n) <= _MOST_DIGITS else MOST_BP + 1 for n, _operation in operations]
    for segment, takes in zip(segments, _TAKES, strict=True):
        most = MOST_BP if segment.length is None else segment.length
        if sum(n for n, (_n, operation) in zip(lengths, operations, strict=True) if operation in takes) > most:
            of_segment = "" if segment.length is None else f", all of segment {shown(segment.name)}"
            raise FormatError(
                f"{where}: expected an overlap of at most {most:,} bases{of_segment}, got {shown(overlap)}", _CORRECT
            )


def path_steps(line: bytes, where: str, numbers: dict[bytes, int]) -> list[int]:
    """Oriented segments of a P line.

    Raises
    ------
    FormatError
        If a step is not a segment of the file with + or -.
    """
    fields = line.split(b"\t", 3)
    if len(fields) < 3 or not fields[1] or not fields[2]:
        raise FormatError(f"{where}: expected a path (P, name, segments), got {shown(line)}", _CORRECT)
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


def shown(text: bytes) -> str:
    """A field of a line for a message, shortened."""
    return text[:_SHOWN_BYTES].decode(errors="backslashreplace").replace("\t", "\\t")
