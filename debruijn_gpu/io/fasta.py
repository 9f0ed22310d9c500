"""Named sequences as text, from FASTA or from the segments of a GFA file.

Reads that become k-mers take another way (`debruijn_gpu.io.reads`), which packs them and drops their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain

from debruijn_gpu.alphabet import AMBIGUOUS, BASES
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.gfa_records import UNKNOWN, check_version, duplicate_segment, parse_segment, shown
from debruijn_gpu.io.lines import read_lines
from debruijn_gpu.io.opening import display_name

_LETTERS = BASES + AMBIGUOUS
_GFA_STARTS = (b"H\t", b"S\t", b"L\t", b"P\t", b"#")

Lines = Iterator[tuple[int, bytes]]


@dataclass(frozen=True)
class Record:
    """A sequence in upper case, its name, and the rest of its header or the tags of its segment."""

    name: str
    description: str
    sequence: bytes


def read_fasta(path: str) -> Iterator[tuple[str, bytes]]:
    """Name (the header up to the first blank) and sequence in upper case of each record.

    Raises
    ------
    FormatError
        If the file is empty, not FASTA, or holds a letter that stands for no base.
    """
    for record in _read(path, gfa_too=False):
        yield record.name, record.sequence


def read_contigs(path: str) -> Iterator[tuple[str, bytes]]:
    """Like `read_fasta`, but the file may as well be GFA: then the segments."""
    for record in _read(path, gfa_too=True):
        yield record.name, record.sequence


def read_described_contigs(path: str) -> Iterator[Record]:
    """Like `read_contigs`, with what else the header or the segment's tags say."""
    yield from _read(path, gfa_too=True)


def _read(path: str, gfa_too: bool) -> Iterator[Record]:
    source = display_name(path)
    wanted = "FASTA or GFA" if gfa_too else "FASTA"
    fix = f"name a file in {wanted} format"
    with closing(read_lines(path)) as text:
        lines = enumerate((line.rstrip() for line in text), 1)
        number, first = next((entry for entry in lines if entry[1]), (0, b""))
        whole = chain([(number, first)], lines)
        if first.startswith(b">"):
            yield from _fasta_records(source, whole)
        elif gfa_too and (first == b"H" or first.startswith(_GFA_STARTS)):
            yield from _gfa_segments(source, whole)
        elif not first:
            raise FormatError(f"{source}: the file is empty", fix)
        else:
            found = "looks like FASTQ" if first.startswith(b"@") else "starts otherwise"
            raise FormatError(f"{source}: line {number}: {found}, not {wanted}", fix)


def _fasta_records(source: str, lines: Lines) -> Iterator[Record]:
    """Records of lines of which the first is a header."""
    start, header = next(lines)
    parts: list[bytes] = []
    for number, line in lines:
        if line.startswith(b">"):
            yield _record(source, start, header, parts)
            start, header, parts = number, line, []
        else:
            parts.append(line)
    yield _record(source, start, header, parts)


def _record(source: str, start: int, header: bytes, parts: list[bytes]) -> Record:
    words = header[1:].split(maxsplit=1)
    name = _name(words[:1])
    sequence = b"".join(parts).upper()
    if sequence.translate(None, _LETTERS):
        for number, line in enumerate(parts, start + 1):
            _check(source, number, name, line.upper())
    return Record(name, _name(words[1:]), sequence)


def _gfa_segments(source: str, lines: Lines) -> Iterator[Record]:
    names = set[bytes]()
    for number, line in lines:
        if line.startswith(b"H\t"):
            check_version(line, source)
        if not line.startswith(b"S\t"):
            continue
        where = f"{source}: line {number}"
        segment = parse_segment(line, where)
        if segment.sequence == UNKNOWN:
            raise FormatError(
                f"{where}: segment {shown(segment.name)} has no sequence", "give a GFA 1 file that holds its sequences"
            )
        if segment.name in names:
            raise duplicate_segment(where, segment.name)
        names.add(segment.name)
        yield Record(_name([segment.name]), _name([segment.tags]), segment.sequence.upper())
    if not names:
        raise FormatError(f"{source}: GFA without a segment (S line)")


def _name(fields: Iterable[bytes]) -> str:
    return b"".join(fields).decode("utf-8", "replace")


def _check(source: str, number: int, name: str, sequence: bytes) -> None:
    odd = sequence.translate(None, _LETTERS)
    if odd:
        letter = odd[:1].decode("latin-1")
        raise FormatError(
            f"{source}: record {name}, line {number}: {letter!r} is not a base", "give DNA in IUPAC letters"
        )
