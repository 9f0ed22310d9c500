"""Detect the format of a file of reads by its first line, and mates by their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from debruijn_gpu.alphabet import AMBIGUOUS, BASES
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.kmer_histogram import is_row
from debruijn_gpu.io.lines import TextStart, find_text
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import shorten

#: Letters of a sequence; without signs for gaps, which other files may begin with
_LETTERS = BASES + bytes(letter for letter in AMBIGUOUS if chr(letter).isalpha()) + b"U"
_LETTERS += _LETTERS.lower()
_GFA_LINES = (b"H\t", b"S\t", b"L\t", b"P\t")
_COUNTED_KMER = re.compile(rb"[ACGTacgt]+[ \t]+[0-9]+")

#: How files of other formats begin: (beginnings, name, what to do)
_OTHER_FORMATS = (
    ((b"@HD\t", b"@SQ\t", b"@RG\t", b"@PG\t", b"@CO\t"), "SAM", "convert it with samtools fastq"),
    ((b"BAM\x01",), "BAM", "convert it with samtools fastq"),
    ((b"CRAM\x01", b"CRAM\x02", b"CRAM\x03"), "CRAM", "convert it with samtools fastq"),
    ((b"NCBI.sra",), "an SRA archive", "convert it with fasterq-dump"),
    ((b"H\t", b"S\t", b"L\t"), "an assembly graph (GFA)", "name the reads themselves"),
    ((b"\x89HDF", b"\x8bPOD"), "raw nanopore signal", "call its bases first"),
    ((b"\x1f\x8b", b"BZh", b"\xfd7zXZ"), "compressed twice", "unpack it once"),
    ((b"PK\x03\x04", b"7z\xbc\xaf", b"Rar!", b"\x1f\x9d"), "an archive", "unpack it first"),
    ((b"LOCUS ", b"ID   "), "a GenBank or EMBL entry", "convert it to FASTA"),
    ((b"<",), "a web page, or XML", "download the reads again"),
    (
        (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"),
        "text with a byte order mark",
        "save it as plain ASCII text",
    ),
    ((b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF"), "a picture or document", "name the reads themselves"),
)


class ReadFormat(Enum):
    """Formats of files of reads."""

    FASTA = auto()
    FASTQ = auto()
    LINES = auto()  # one sequence per line, and nothing else


@dataclass(frozen=True)
class ReadsStart:
    """A file of reads whose format is known.

    Attributes
    ----------
    format : ReadFormat
    blocks : iterator of Block
        The text from the first line that is not empty.
    n_lines : int
        Empty lines before it.
    """

    format: ReadFormat
    blocks: Iterator[Block]
    n_lines: int


def find_start(path: str, blocks: Iterator[Block]) -> ReadsStart:
    """Skip empty lines at the start of a file and detect its format.

    Raises
    ------
    FormatError
        If it holds no reads.
    """
    start = find_text(blocks)
    return ReadsStart(_format_of(display_name(path), start.head), start.blocks, start.n_lines)


def _format_of(name: str, head: bytes) -> ReadFormat:
    """Format of a file that begins with `head`, which ends within its first line or after it."""
    for beginnings, what, fix in _OTHER_FORMATS:
        if head.startswith(beginnings):
            raise FormatError(f"{name}: this is {what}, not FASTA or FASTQ", fix)
    if not head:
        raise FormatError(f"{name}: no records, only empty lines", "check how it was made, or leave it out")
    line = head.split(b"\n", 1)[0].rstrip(b"\r \t")
    if b"\r" in line and head[:1].isascii() and head[:1].decode().isprintable():  # a binary file has some, too
        raise FormatError(f"{name}: lines end with a carriage return alone", r"convert it with tr '\r' '\n'")
    if head.startswith((b">", b"@")):
        return ReadFormat.FASTA if head.startswith(b">") else ReadFormat.FASTQ
    if not line.translate(None, _LETTERS):
        return ReadFormat.LINES
    if _COUNTED_KMER.fullmatch(line):
        raise _counted_kmers(name)
    if is_row(line):
        raise FormatError(
            f"{name}: this is a histogram of k-mers, not reads",
            "name the reads, or give it to dbg spectrum as the only file",
        )
    found = _unlike_sequences(line, " of its first line")
    raise FormatError(
        f"{name}: {found}, so it is neither FASTA (>) nor FASTQ (@) nor plain sequences",
        "name a file of sequencing reads",
    )


def detect_sequences(name: str, start: TextStart, gfa_too: bool) -> ReadFormat | None:
    """Detect the format of a file of sequences; None: GFA.

    Raises
    ------
    FormatError
        If it is in none that is wanted.
    """
    wanted = "FASTA or GFA" if gfa_too else "FASTA"
    fix = f"name a file in {wanted} format"
    if not start.head:
        raise FormatError(f"{name}: the file is empty", fix)
    line = start.head.split(b"\n", 1)[0].rstrip()
    if line.startswith(b">"):
        return ReadFormat.FASTA
    if gfa_too and (line == b"H" or line.startswith((*_GFA_LINES, b"#"))):
        return None
    if not line.translate(None, _LETTERS):
        return ReadFormat.LINES
    if _COUNTED_KMER.fullmatch(line):
        raise _counted_kmers(name)
    others = ((b"@", "FASTQ"), (_GFA_LINES, "GFA"))
    found = next((f"looks like {other}" for starts, other in others if line.startswith(starts)), "")
    found = found or _unlike_sequences(line)
    raise FormatError(f"{name}: line {start.n_lines + 1}: {found}, so it is not {wanted}", fix)


def _unlike_sequences(line: bytes, of_line: str = "") -> str:
    """Describe what a first line has that no sequence has: its first byte, or one further on."""
    place, byte = next((place, byte) for place, byte in enumerate(line, 1) if byte not in _LETTERS)
    shown = printed_byte(byte)
    return f"begins with {shown}" if place == 1 else f"has {shown} at position {place:,}{of_line}"


def _counted_kmers(name: str) -> FormatError:
    return FormatError(
        f"{name}: these are k-mers with their counts, as dbg count writes them, not sequences",
        "name the sequences, or give the k-mers alone, one per line (cut -f 1)",
    )


def printed_byte(value: int) -> str:
    """A byte as messages show it."""
    return repr(chr(value)) if 32 <= value < 127 else f"byte 0x{value:02x}"


#: ``/1`` at the end of the name, or as Casava 1.8 and later write it: ``name 1:N:0:ATCACG``
_MATE = re.compile(r"\S*/([12])(?:\s|$)|\S+\s([12]):[YN]:[0-9]+(?:\D|$)")

_MATES = ("first", "second")
_SHOWN = 60  # characters of a header


def mate_number(header: str) -> int | None:
    """0 for a first mate, 1 for a second one, None if the name does not show it."""
    found = _MATE.match(header)
    return int(found[1] or found[2]) - 1 if found else None


def warn_of_exchanged(path: str, header: str, mate: int) -> None:
    """Warn if the first read of a file of first (0) or second mates (1) is named as one of the others."""
    if mate_number(header) == 1 - mate:
        log.logger.warning(
            "%s: given as %s mates (-%d), but the first read is named as a %s one (%s): are -1 and -2 exchanged?",
            display_name(path),
            _MATES[mate],
            mate + 1,
            _MATES[1 - mate],
            shorten(header, _SHOWN),
        )


def warn_of_turns(path: str, header: str) -> None:
    """Warn if the first read of an interleaved file is named as a second mate."""
    if mate_number(header) == 1:
        log.logger.warning(
            "%s: the first read is named as a second mate (%s): first and second mates should take turns",
            display_name(path),
            shorten(header, _SHOWN),
        )
