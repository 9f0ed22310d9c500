"""Read unitigs as FASTA whose headers hold their links, as BCALM 2 and Logan write them, as lines of GFA.

``>ACC_3 ka:f:1.7 L:+:7:-`` has a link from the end of unitig 3 to the reverse complement of unitig 7. Logan's
accessions: https://github.com/IndexThePlanet/Logan
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from debruijn_gpu.alphabet import K_MAX, reverse_complement
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.reading_again import check_size
from debruijn_gpu.run.plain_text import shorten

_HEADER = re.compile(rb">\S+(?=\s)(?:.*\s)?(?:(?:ka|km):f:[0-9]|L:[+-]:[^\s:]+:[+-](?=\s|$))")
_LINK = re.compile(rb"L:([+-]):(\S+):([+-])")
_TAG = re.compile(rb"[A-Za-z][A-Za-z0-9]:[AifZ]:\S+")
_RECORD_BYTES = 400  # of a unitig as Python objects, about
_FIX = "write the file again with the program that made it"


def is_unitig_header(line: bytes) -> bool:
    """Return whether a line is the header of a unitig with its abundance, or with links."""
    return _HEADER.match(line) is not None


@dataclass
class _Unitig:
    """A record: number of its line, name, tags, links by strand of both ends, and sequence."""

    line: int
    name: bytes
    tags: list[bytes]
    links: list[tuple[bytes, bytes, bytes]]
    parts: list[bytes] = field(default_factory=list)
    sequence: bytes = b""


def gfa_lines(source: str, lines: Iterable[tuple[int, bytes]], n_bytes_allowed: int | None) -> Iterator[bytes]:
    """Yield the segments and links of unitigs as lines of GFA 1.

    The overlap of links is not in the file: it is the longest one with which all of them agree.

    Parameters
    ----------
    source : str
        For messages.
    lines : iterable of (int, bytes)
        See `number_lines`.
    n_bytes_allowed : int or None

    Raises
    ------
    FormatError
        If a line is no such record, a link names no unitig, or the sequences of a link do not overlap as others do.
    OutOfMemoryError
    """
    unitigs = _read(source, lines, n_bytes_allowed)
    for one in unitigs:
        yield b"\t".join((b"S", one.name, one.sequence, *one.tags))
    by_id = _by_id(source, unitigs)
    overlap = _overlap(source, unitigs, by_id)
    for one in unitigs:
        for sign, target, target_sign in one.links:
            yield b"\t".join((b"L", one.name, sign, by_id[target].name, target_sign, b"%dM" % overlap))


def _read(source: str, lines: Iterable[tuple[int, bytes]], n_bytes_allowed: int | None) -> list[_Unitig]:
    """Read all records."""
    unitigs: list[_Unitig] = []
    n_bytes = 0
    for number, line in lines:
        n_bytes += len(line) + (_RECORD_BYTES if line.startswith(b">") else 0)
        check_size(n_bytes, n_bytes_allowed)
        if line.startswith(b">"):
            unitigs.append(_header(source, number, line))
        elif line and unitigs:
            unitigs[-1].parts.append(line)
    for one in unitigs:
        one.sequence = b"".join(one.parts).upper()
        one.parts = []
        length = next((tag for tag in one.tags if tag.startswith(b"LN:i:")), None)
        if length not in (None, b"LN:i:%d" % len(one.sequence)):
            what = f"{source}: line {one.line:,}: {shorten(length)}, but {len(one.sequence):,} bases"
            raise FormatError(what, _FIX)
    return unitigs


def _header(source: str, number: int, line: bytes) -> _Unitig:
    """Parse the header of a record; fields that are neither tags nor links are skipped."""
    words = line[1:].split()
    if not words or line[1:2].isspace():
        raise FormatError(f"{source}: line {number:,}: expected the name of a unitig, got none", _FIX)
    links = []
    for word in words[1:]:
        found = _LINK.fullmatch(word)
        if found is None and word.startswith(b"L:"):
            raise FormatError(f"{source}: line {number:,}: expected a link (L:+:7:-), got {shorten(word)}", _FIX)
        if found is not None:
            links.append((found[1], found[2], found[3]))
    tags = [word for word in words[1:] if _TAG.fullmatch(word)]
    return _Unitig(number, words[0], tags, links)


def _by_id(source: str, unitigs: list[_Unitig]) -> dict[bytes, _Unitig]:
    """Find unitigs by what links call them: their names, or the numbers behind the last ``_`` of Logan's names."""
    found: dict[bytes, _Unitig] = {}
    for one in unitigs:
        for key in {one.name, one.name.rpartition(b"_")[2]}:
            other = found.setdefault(key, one)
            if other is not one:
                what = f"{source}: line {one.line:,}: unitig {shorten(key)} is in line {other.line:,}, too"
                raise FormatError(what, "give the unitigs of one sample")
    return found


def _overlap(source: str, unitigs: list[_Unitig], by_id: dict[bytes, _Unitig]) -> int:
    """Find the longest overlap that all links have, in bases; 0 without links."""
    candidates: list[int] | None = None
    for one in unitigs:
        for sign, target, target_sign in one.links:
            link = f"{source}: line {one.line:,}: link L:{sign.decode()}:{shorten(target)}:{target_sign.decode()}"
            other = by_id.get(target)
            if other is None:
                raise FormatError(f"{link}: there is no such unitig", "give a whole file")
            tail, head = _end(one.sequence, sign), _start(other.sequence, target_sign)
            longest = min(len(tail), len(head))
            before = range(1, longest + 1) if candidates is None else candidates
            fitting = [n for n in before if n <= longest and tail[len(tail) - n :] == head[:n]]
            if not fitting:
                as_others = f" by {candidates[-1]} bases, as those of other links do" if candidates else ""
                raise FormatError(f"{link}: the sequences do not overlap{as_others}", _FIX)
            candidates = fitting
    return candidates[-1] if candidates else 0


def _end(sequence: bytes, sign: bytes) -> bytes:
    """Return the last bases of a unitig, or of its reverse complement."""
    return sequence[-K_MAX:] if sign == b"+" else reverse_complement(sequence[:K_MAX])


def _start(sequence: bytes, sign: bytes) -> bytes:
    """Return the first bases of a unitig, or of its reverse complement."""
    return sequence[:K_MAX] if sign == b"+" else reverse_complement(sequence[-K_MAX:])
