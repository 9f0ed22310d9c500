"""Records of one file of reads, block by block, and the faults they may have."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.letters import ALIEN, CLASSES
from debruijn_gpu.backends.reads.protocol import FaultKind
from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io.fastx.formats import ReadFormat, ReadsStart, find_start, printed_byte
from debruijn_gpu.io.fastx.record_blocks import (
    BLANKS,
    RecordSegment,
    RecordTooLongError,
    Segment,
    WaitingText,
    fasta_segments,
    line_segments,
    segments_of,
)
from debruijn_gpu.io.opening import Block, display_name, read_blocks
from debruijn_gpu.run import log
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.resources import format_bytes

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ReadBackend
    from debruijn_gpu.backends.reads.protocol import Fault, ParsedReads

_SEQUENCE_BYTES = bytes(np.flatnonzero(CLASSES < ALIEN).tolist())

#: That parse where a device does the work, for all files that are read at the same time: one waits for it while the
#: other asks it for more
_THREADS_BESIDE_DEVICE = 2

_DAMAGED = "copy or download the file again"


@dataclass(frozen=True)
class TextReads:
    """Reads of a file and the text they come from.

    Attributes
    ----------
    text : ndarray, dtype=uint8
    parsed : ParsedReads
    n_repeated : int
        See `ReadBatch.n_repeated`; above 0, the first of the parsed reads began earlier.
    is_lines : bool
        Whether the file has one sequence per line. In the text each is behind a line with ``>`` alone.
    """

    text: NDArray[np.uint8]
    parsed: ParsedReads
    n_repeated: int = 0
    is_lines: bool = False

    @property
    def n_reads(self) -> int:
        """Number of reads that begin in this text."""
        return self.parsed.n_reads - bool(self.n_repeated)

    @property
    def names(self) -> NDArray[np.uint64]:
        """Hashes of their names; see `ParsedReads`."""
        return self.parsed.names[self.parsed.n_reads - self.n_reads :]

    def header(self, i: int) -> str:
        """First line of read i of this batch, without its mark and end."""
        i += self.parsed.n_reads - self.n_reads
        start = int(self.parsed.starts[i])
        stop = int(self.parsed.starts[i + 1]) if i + 1 < self.parsed.n_reads else self.parsed.n_consumed
        return self.text[start + 1 : stop].tobytes().split(b"\n", 1)[0].decode(errors="replace").removesuffix("\r")

    def name(self, i: int) -> str:
        """Name of read i of this batch: its header up to the first blank."""
        header = self.header(i)
        words = header.split(maxsplit=1) if not header[:1].isspace() else []
        return words[0] if words else ""


def read_records(
    path: str,
    backend: ReadBackend,
    block_bytes: int,
    threads: int,
    record_bytes: int | None = None,
    whole: bool = False,
    blocks: Generator[Block, None, None] | None = None,
    n_files: int = 1,
) -> Generator[TextReads, None, None]:
    """Parse a file, a block at a time. A record of FASTA that is longer than a block is split unless ``whole``.

    Parameters
    ----------
    path : str
    backend : Backend
    block_bytes, threads : int
        See `read_blocks`. The same number of threads parses, where the backend parses on CPUs.
    record_bytes : int, optional
        Most text of one record of FASTQ, or of one header; both are held in memory as a whole.
    whole : bool
        Whether records of FASTA are held as a whole, too.
    blocks : generator of Block, optional
        The text, if the file is open already.
    n_files : int
        Files that are read at the same time, with this one.

    Raises
    ------
    FormatError
        If the file is empty, in no known format, or holds a record that is not sound.
    OutOfMemoryError
        If a record is longer than `record_bytes`.
    """
    with closing(blocks or read_blocks(path, block_bytes, allocate=backend.host_buffer, threads=threads)) as blocks:
        start = find_start(path, blocks)
        place = _Place(path, start.n_lines)
        waiting = WaitingText(backend.host_buffer, record_bytes)
        parsing = min(threads, _THREADS_BESIDE_DEVICE // n_files) if backend.reads.leaves_cpus_free else threads
        read = _read_fastq if start.format is ReadFormat.FASTQ else partial(_read_fasta, whole=whole)
        try:
            with closing(read(start, waiting, backend, parsing, place)) as found:
                yield from found
        except RecordTooLongError as error:
            raise place.too_long(error, record_bytes or 0) from error


class _Place:
    """Records and lines of a file that have been parsed, to say where a fault is."""

    def __init__(self, path: str, n_lines: int) -> None:
        self._name = display_name(path)
        self._n_records = 0
        self._n_lines = n_lines

    def advance(self, n_records: int, n_lines: int) -> None:
        """Add parsed records and lines."""
        self._n_records += n_records
        self._n_lines += n_lines

    def warn(self, n_lines: int, what: str) -> None:
        """Warn of a line after the given number of further lines."""
        log.logger.warning("%s: line %s: %s", self._name, f"{self._n_lines + n_lines + 1:,}", what)

    def error(self, n_records: int, n_lines: int, what: str, fix: str) -> FormatError:
        """Build the error of a fault after the given numbers of further records and lines."""
        record, line = self._n_records + n_records + 1, self._n_lines + n_lines + 1
        return FormatError(f"{self._name}: record {record:,}, line {line:,}: {what}", fix)

    def too_long(self, error: RecordTooLongError, n_allowed: int) -> OutOfMemoryError:
        """The error of a record that is too long."""
        name = error.start[1:].split(maxsplit=1)[:1] if not error.start[1:2].isspace() else []
        called = f" ({name[0].decode(errors='replace')})" if name else ""
        return OutOfMemoryError(
            f"Out of memory: {self._name}: record {self._n_records + 1:,}{called}, line {self._n_lines + 1:,}: "
            f"{format_bytes(error.n_bytes)} of text so far, and {format_bytes(n_allowed)} are allowed for one record",
            "allow more memory (-m), or check that the file is whole",
        )


class _Oddities:
    """Warns of what the records of a file may do, but should not: of each kind once.

    Parameters
    ----------
    place : _Place
        Of the text that is noted next.
    """

    def __init__(self, place: _Place) -> None:
        self._place = place
        self._has_empty_lines = self._has_other_names = False
        self._empty_line: int | None = None  # behind the last record, from the next text back

    def note(self, parsed: ParsedReads) -> None:
        """Warn of empty lines between records, and of other names on the + lines, of a text."""
        if not self._has_empty_lines and parsed.n_reads:
            line = self._empty_line if self._empty_line is not None else parsed.empty_line
            if line is not None:
                self._place.warn(line, "empty lines between records are skipped")
                self._has_empty_lines = True
        if not self._has_other_names and parsed.other_name_line is not None:
            self._place.warn(parsed.other_name_line, "the name behind + is not that of the record, and is ignored")
            self._has_other_names = True
        if parsed.n_empty_lines and (parsed.n_reads or self._empty_line is None):
            self._empty_line = -parsed.n_empty_lines
        elif parsed.n_reads:
            self._empty_line = None
        elif self._empty_line is not None:
            self._empty_line -= parsed.n_lines


def _read_fasta(
    start: ReadsStart, waiting: WaitingText, backend: ReadBackend, threads: int, place: _Place, whole: bool
) -> Generator[TextReads, None, None]:
    """Records of FASTA, or of a file of one sequence per line."""
    cut = fasta_segments if start.format is ReadFormat.FASTA else line_segments

    def parse(segment: RecordSegment) -> tuple[RecordSegment, ParsedReads]:
        return segment, backend.reads.parse_reads(segment.text, False, True)

    with closing(ordered_map(parse, cut(start.blocks, waiting, whole), threads)) as segments:
        for segment, parsed in segments:
            found = TextReads(segment.text, parsed, segment.n_repeated, segment.lines is not None)
            if segment.lines is not None:
                _check_lines(segment, parsed.fault, place)
            elif parsed.fault is not None:
                n_lines = parsed.fault.line - segment.n_added_lines
                raise place.error(found.n_reads, n_lines, *_describe(parsed.fault, segment.text))
            n_lines = parsed.n_lines if segment.lines is None else segment.lines.count(b"\n")
            place.advance(found.n_reads, n_lines - segment.n_added_lines)
            if parsed.n_reads:
                yield found


def _check_lines(segment: RecordSegment, fault: Fault | None, place: _Place) -> None:
    """Raise the error of a text of one sequence per line that was found faulty, or holds a header."""
    assert segment.lines is not None
    if fault is None and b">" not in segment.lines:
        return
    n_records = -bool(segment.n_repeated)
    for number, line in enumerate(segment.lines.split(b"\n")):
        if not line.strip(BLANKS):  # empty, whatever its line end: no sequence, in any segment
            continue
        if odd := line.removesuffix(b"\r").translate(None, _SEQUENCE_BYTES):
            raise place.error(n_records, number, *_alien(printed_byte(odd[0])))
        n_records += 1


def _read_fastq(
    start: ReadsStart, waiting: WaitingText, backend: ReadBackend, threads: int, place: _Place
) -> Generator[TextReads, None, None]:
    """Records of FASTQ."""
    oddities = _Oddities(place)
    with closing(_parsed_segments(start.blocks, backend, threads)) as segments:
        for segment, parsed_ahead in segments:
            guessed = None if waiting.n_bytes else parsed_ahead
            if guessed is None and not waiting.add(segment.block):
                continue
            text = waiting.take() if guessed is None else segment.text
            parsed = backend.reads.parse_reads(text, True, segment.block.final) if guessed is None else guessed
            if parsed.fault is not None:
                raise place.error(parsed.n_reads, parsed.fault.line, *_describe(parsed.fault, text))
            oddities.note(parsed)
            place.advance(parsed.n_reads, parsed.n_lines)
            if parsed.n_reads:
                yield TextReads(text, parsed)
            if parsed.n_consumed:
                waiting.keep(text[parsed.n_consumed :])
            else:
                waiting.keep_all(text)


def _parsed_segments(
    blocks: Iterable[Block], backend: ReadBackend, threads: int
) -> Generator[tuple[Segment, ParsedReads | None], None, None]:
    """Parse each segment of a text as if it began with a record; None where it probably does not."""

    def parse(segment: Segment) -> tuple[Segment, ParsedReads | None]:
        return segment, backend.reads.parse_reads(segment.text, True, segment.block.final) if segment.is_whole else None

    with closing(ordered_map(parse, segments_of(blocks), threads)) as parsed:
        yield from parsed


def _describe(fault: Fault, text: NDArray[np.uint8]) -> tuple[str, str]:
    """The fault of a record, and its remedy."""
    byte = printed_byte(int(text[fault.position])) if fault.position < len(text) else "the end of the file"
    match fault.kind:
        case FaultKind.TRUNCATED:
            return "the file ends within this record", _DAMAGED
        case FaultKind.NO_HEADER:
            return f"{byte} where the next record's header should begin", _DAMAGED
        case FaultKind.ALIEN_BYTE:
            return _alien(byte)
        case FaultKind.NO_PLUS:
            return f"{byte} where the line that begins with + should be", _DAMAGED
        case FaultKind.BAD_QUALITY:
            return f"{byte} among the qualities", _DAMAGED
        case FaultKind.LENGTHS:
            return f"{fault.n_bases:,} bases but {fault.n_qualities:,} qualities", _DAMAGED


def _alien(byte: str) -> tuple[str, str]:
    return f"{byte} is no nucleotide letter", "reads hold A, C, G, T or U, and IUPAC letters or gaps"
