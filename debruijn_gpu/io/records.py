"""The records of one FASTA or FASTQ file, block by block, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.read_interface import FaultKind
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.opening import Allocate, Block, display_name, read_blocks
from debruijn_gpu.io.record_ends import Piece, pieces_of
from debruijn_gpu.parallel import ordered_map

if TYPE_CHECKING:
    from debruijn_gpu.backends.read_interface import Fault, ParsedReads, ReadBackend

_SNIFFED_BYTES = 16

#: How files of other formats begin: (beginnings, name, what to do)
_OTHER_FORMATS = (
    ((b"@HD\t", b"@SQ\t", b"@RG\t", b"@PG\t", b"@CO\t"), "SAM", "convert it with samtools fastq"),
    ((b"BAM\x01",), "BAM", "convert it with samtools fastq"),
    ((b"CRAM",), "CRAM", "convert it with samtools fastq"),
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

_DAMAGED = "copy or download the file again"


@dataclass(frozen=True)
class TextReads:
    """Whole records of a file and the text they come from."""

    text: NDArray[np.uint8]
    parsed: ParsedReads

    def name(self, i: int) -> str:
        """Name of record i: its header up to the first blank."""
        start = int(self.parsed.starts[i])
        stop = int(self.parsed.starts[i + 1]) if i + 1 < self.parsed.n_reads else self.parsed.n_consumed
        header = self.text[start + 1 : stop].tobytes().split(b"\n", 1)[0]
        words = header.split(maxsplit=1) if not header[:1].isspace() else []
        return words[0].decode(errors="replace") if words else ""


def read_records(path: str, backend: ReadBackend, block_bytes: int, threads: int) -> Generator[TextReads, None, None]:
    """Parse a file, a block at a time; a record longer than a block waits until it is all there.

    Parameters
    ----------
    path : str
    backend : Backend
    block_bytes, threads : int
        See `read_blocks`. So many threads parse, too, where the backend parses on CPUs.

    Raises
    ------
    FormatError
        If the file is neither FASTA nor FASTQ, empty, or holds a record that is not sound.
    """
    fastq: bool | None = None
    n_records = n_lines = 0
    parsing = 1 if backend.leaves_cpus_free else threads
    with (
        closing(read_blocks(path, block_bytes, allocate=backend.host_buffer, threads=threads)) as blocks,
        closing(_parsed_pieces(blocks, backend, parsing)) as pieces,
    ):
        waiting = _Waiting(backend.host_buffer)
        for piece, parsed_ahead in pieces:
            guessed = None if waiting.n_bytes else parsed_ahead
            if guessed is None and not waiting.add(piece.block):
                continue
            text = waiting.take() if guessed is None else piece.text
            if fastq is None:
                fastq = _sniff(path, text, piece.block.final)
            if fastq is None:
                waiting.put_back(text, 0)
                continue
            parsed = backend.parse_reads(text, fastq, piece.ends) if guessed is None else guessed
            if parsed.fault is not None:
                what, fix = _describe(parsed.fault, text)
                record, line = n_records + parsed.n_reads + 1, n_lines + parsed.fault.line + 1
                raise FormatError(f"{display_name(path)}: record {record:,}, line {line:,}: {what}", fix)
            n_records += parsed.n_reads
            n_lines += parsed.n_lines
            if parsed.n_reads:
                yield TextReads(text, parsed)
            waiting.put_back(text, parsed.n_consumed)


def _parsed_pieces(
    blocks: Iterable[Block], backend: ReadBackend, threads: int
) -> Generator[tuple[Piece, ParsedReads | None], None, None]:
    """The text in pieces, each parsed as if it began with a record; None where that is not to be expected."""

    def parse(piece: Piece) -> tuple[Piece, ParsedReads | None]:
        return piece, backend.parse_reads(piece.text, piece.fastq, piece.ends) if piece.is_whole else None

    with closing(ordered_map(parse, pieces_of(blocks), threads)) as parsed:
        yield from parsed


class _Waiting:
    """The text that is read but not parsed yet."""

    def __init__(self, allocate: Allocate) -> None:
        self._allocate = allocate
        self._rest = np.empty(0, np.uint8)
        self._blocks: list[Block] = []
        self.n_bytes = 0
        self._n_wanted = _SNIFFED_BYTES

    def add(self, block: Block) -> bool:
        """Whether it is now worth while to parse."""
        self._blocks.append(block)
        self.n_bytes += block.end - block.start
        return block.final or self.n_bytes >= self._n_wanted

    def take(self) -> NDArray[np.uint8]:
        """All that waits, in one piece."""
        block, n_rest = self._blocks[0], len(self._rest)
        if len(self._blocks) == 1 and n_rest <= block.start:
            text = block.buffer[block.start - n_rest : block.end]
            text[:n_rest] = self._rest
        else:
            pieces = [self._rest, *(block.buffer[block.start : block.end] for block in self._blocks)]
            text = self._allocate(sum(map(len, pieces)))
            np.concatenate(pieces, out=text)
        self._blocks.clear()
        return text

    def put_back(self, text: NDArray[np.uint8], n_consumed: int) -> None:
        """Keep what was not consumed; if nothing was, ask for twice as much: the work stays linear."""
        self._rest = text[n_consumed:]
        self.n_bytes = len(self._rest)
        self._n_wanted = 0 if n_consumed else 2 * self.n_bytes


def _sniff(path: str, text: NDArray[np.uint8], final: bool) -> bool | None:
    """Whether the file is FASTQ, not FASTA; None if more of it has to be seen."""
    head = text.tobytes().lstrip(b"\r\n")[:_SNIFFED_BYTES]
    if len(head) < _SNIFFED_BYTES and not final:
        return None
    name = display_name(path)
    for beginnings, what, fix in _OTHER_FORMATS:
        if head.startswith(beginnings):
            raise FormatError(f"{name}: this is {what}, not FASTA or FASTQ", fix)
    if not head:
        raise FormatError(f"{name}: no records, only empty lines", "check how it was made, or leave it out")
    if head[:1] not in (b">", b"@"):
        raise FormatError(
            f"{name}: begins with {_byte(head[0])}, so it is neither FASTA (>) nor FASTQ (@)",
            "name a file of sequencing reads",
        )
    return head[:1] == b"@"


def _byte(value: int) -> str:
    return repr(chr(value)) if 32 <= value < 127 else f"byte 0x{value:02x}"


def _describe(fault: Fault, text: NDArray[np.uint8]) -> tuple[str, str]:
    """What is wrong with a record, and what to do about it."""
    byte = _byte(int(text[fault.position])) if fault.position < len(text) else "the end of the file"
    match fault.kind:
        case FaultKind.TRUNCATED:
            return "the file ends within this record", _DAMAGED
        case FaultKind.NO_HEADER:
            return f"{byte} where the next record's header should begin", _DAMAGED
        case FaultKind.ALIEN_BYTE:
            return f"{byte} is no nucleotide letter", "reads hold A, C, G, T or U, and IUPAC letters or gaps"
        case FaultKind.NO_PLUS:
            return f"{byte} where the line that begins with + should be", _DAMAGED
        case FaultKind.BAD_QUALITY:
            return f"{byte} among the qualities", _DAMAGED
        case FaultKind.LENGTHS:
            return f"{fault.n_bases:,} bases but {fault.n_qualities:,} qualities", _DAMAGED
