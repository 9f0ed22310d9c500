"""Parse and check the segments (S lines) of GFA 1.0.

Source of the format: https://gfa-spec.github.io/GFA-spec/GFA1.html
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple, TypeAlias

from debruijn_gpu.alphabet import AMBIGUOUS, BASES
from debruijn_gpu.errors import FormatError
from debruijn_gpu.run.plain_text import shorten

#: A sequence that is not in the file
UNKNOWN = b"*"
#: A length or overlap in bases is below this
MOST_BP = 1 << 40

_LETTERS = (BASES + AMBIGUOUS).translate(None, b"*-")  # letters of the format
_LETTERS += _LETTERS.lower()
_NUMBER = re.compile(rb"\+?(?:[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?")
_COUNTS = (b"KC", b"RC", b"FC")
_DEPTHS = (b"DP", b"dp", b"rd")  # Flye writes dp:i, hifiasm rd:i
_TYPES = {**dict.fromkeys((b"LN", *_COUNTS), (b"i:",)), **dict.fromkeys(_DEPTHS, (b"f:", b"i:"))}

#: Digits of an integer
MOST_DIGITS = 18
#: Remedy for a faulty line
CORRECT = "correct the line, or write the file again with the program that made it"


class Place:
    """A line of a file. Only a message makes text of it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.line = 0

    def __str__(self) -> str:
        return f"{self.source}: line {self.line:,}"


#: What messages begin with
Where: TypeAlias = Place | str


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


def check_version(header: bytes, source: str) -> None:
    """Raise if an H line says GFA 2, whose segments have their length where GFA 1 has the sequence.

    Raises
    ------
    FormatError
    """
    if b"\tVN:Z:2" in header:
        raise FormatError(f"{source}: this is GFA 2, which is not read", "give it as GFA 1, which assemblers write")


def parse_segment(line: bytes, where: Where) -> Segment:
    """Parse an S line.

    Parameters
    ----------
    line : bytes
    where : Place or str
        File and line, for messages.

    Raises
    ------
    FormatError
        For a missing field, letters that are no bases, and tags of lengths, counts or depths with other values.
    """
    fields = line.split(b"\t", 3)
    if len(fields) < 3 or not fields[1]:
        raise FormatError(f"{where}: expected a segment (S, name, sequence), got {shorten(line)}", CORRECT)
    name, sequence = fields[1], fields[2].rstrip(b" ") or UNKNOWN
    at = (where, name)
    if sequence != UNKNOWN and (odd := sequence.translate(None, _LETTERS)):
        letter = odd[:1].upper().decode("latin-1")
        raise FormatError(f"{_in(at)}: {letter!r} is not a base", "give DNA in IUPAC letters, or * for no sequence")
    tags = fields[3].rstrip(b" ") if len(fields) > 3 else b""
    values = _tag_values(tags, at)
    length = len(sequence) if sequence != UNKNOWN else None
    said = _integer(values[b"LN"], b"LN", at) if b"LN" in values else None
    if said is not None and length is not None and said != length:
        raise FormatError(f"{_in(at)}: expected LN:i:{length:,} by its sequence, got LN:i:{said:,}", CORRECT)
    counts = [_integer(values[key], key, at) for key in _COUNTS if key in values]
    depths = [_depth(values[key], key, at) for key in _DEPTHS if key in values]
    return Segment(
        name,
        sequence,
        tags,
        said if length is None else length,
        depths[0] if depths else None,
        counts[0] if counts else None,
    )


def _in(at: tuple[Where, bytes]) -> str:
    """Where a segment is, and its name."""
    return f"{at[0]}: segment {shorten(at[1])}"


def _tag_values(tags: bytes, at: tuple[Where, bytes]) -> dict[bytes, bytes]:
    """Values of the tags that are read, by name."""
    values: dict[bytes, bytes] = {}
    for tag in tags.split(b"\t"):
        key = tag[:2]
        if key not in _TYPES or tag[2:3] != b":":
            continue
        if tag[3:5] not in _TYPES[key]:
            wanted = " or ".join(shorten(key + b":" + kind) for kind in _TYPES[key])
            raise FormatError(f"{_in(at)}: expected {wanted} and a value, got {shorten(tag)}", CORRECT)
        if key in values:
            raise FormatError(f"{_in(at)}: expected tag {shorten(key)} once, got {shorten(tag)} too", CORRECT)
        values[key] = tag[5:]
    return values


def _integer(text: bytes, key: bytes, at: tuple[Where, bytes]) -> int:
    """The value of a tag of type i, from 0 on."""
    if not text.isdigit() or len(text) > MOST_DIGITS or (key == b"LN" and int(text) >= MOST_BP):
        raise FormatError(
            f"{_in(at)}: expected an integer from 0 on in tag {key.decode()}, got {shorten(text)}", CORRECT
        )
    return int(text)


def _depth(text: bytes, key: bytes, at: tuple[Where, bytes]) -> float:
    """The value of a tag of a depth, from 0 on."""
    depth = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(depth):
        raise FormatError(f"{_in(at)}: expected a number from 0 on in tag {key.decode()}, got {shorten(text)}", CORRECT)
    return depth
