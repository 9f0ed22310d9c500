"""FASTA and FASTQ, line by line in plain Python: what the parsing kernels must agree with."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from debruijn_gpu.alphabet import AMBIGUOUS
from debruijn_gpu.backends.reads.protocol import FaultKind


@dataclass
class Record:
    name: bytes
    sequence: bytes  # upper case, U as T, anything ambiguous as N
    has_other_name: bool = False  # on the + line
    is_after_empty_line: bool = False  # and not the first


class RecordError(Exception):
    """A record, counted from 1 as are its lines, is not sound."""

    def __init__(self, kind: FaultKind, record: int, line: int, lengths: tuple[int, int] = (0, 0)) -> None:
        super().__init__(kind, record, line, lengths)
        self.kind, self.record, self.line, self.lengths = kind, record, line, lengths


def unpack(batch) -> list[bytes]:
    """The reads of a batch (or of `ParsedReads`), N where they break."""
    codes = [int(batch.bases[i // 32]) >> (62 - 2 * (i % 32)) & 3 for i in range(int(batch.offsets[-1]))]
    letters = bytearray(b"ACGT"[code] for code in codes)
    for position in batch.ambiguous_positions:
        assert letters[position] == ord("A")
        letters[position] = ord("N")
    starts = batch.offsets.tolist()
    return [bytes(letters[start:stop]) for start, stop in pairwise(starts)]


def pair_name(name: bytes) -> bytes:
    """What mates have in common."""
    return name[:-2] if len(name) > 2 and name[-1:] in b"12" and name[-2:-1] in b"/._" else name


def _name(header: bytes) -> bytes:
    for i, byte in enumerate(header):
        if byte <= 32:
            return header[:i]
    return header


def _letters(line: bytes) -> bytes | None:
    """The sequence in a line; None if there is anything else."""
    line = line.upper().replace(b"U", b"T")
    line = bytes(ord("N") if byte in AMBIGUOUS else byte for byte in line)
    return None if line.strip(b"ACGTN") else line


class _Lines:
    def __init__(self, text: bytes) -> None:
        lines = text.split(b"\n")
        self.ended = lines[-1] in (b"", b"\r")  # whether the last line has a line end
        if self.ended:
            lines.pop()
        self.lines = [line.removesuffix(b"\r") for line in lines]
        self.at = 0

    def __bool__(self) -> bool:
        return self.at < len(self.lines)

    @property
    def next(self) -> bytes:
        return self.lines[self.at]

    @property
    def at_open_end(self) -> bool:
        """Whether the line taken last ended with the file, not with a line end."""
        return self.at == len(self.lines) and not self.ended

    def take(self) -> bytes:
        self.at += 1
        return self.lines[self.at - 1]

    def skip_empty(self) -> None:
        while self and not self.next:
            self.at += 1


def parse_fasta(text: bytes) -> list[Record]:
    lines, records = _Lines(text), []
    lines.skip_empty()
    while lines:
        if not lines.next.startswith(b">"):
            raise RecordError(FaultKind.NO_HEADER, len(records) + 1, lines.at + 1)
        record = Record(_name(lines.take()[1:]), b"")
        while lines and not lines.next.startswith(b">"):
            letters = _letters(lines.take().replace(b" ", b"").replace(b"\t", b""))
            if letters is None:
                raise RecordError(FaultKind.ALIEN_BYTE, len(records) + 1, lines.at)
            record.sequence += letters
        records.append(record)
    return records


def parse_fastq(text: bytes) -> list[Record]:
    lines, records, at = _Lines(text), [], 0
    lines.skip_empty()
    while lines:
        if not lines.next.startswith(b"@"):
            raise RecordError(FaultKind.NO_HEADER, len(records) + 1, lines.at + 1)
        is_after_empty_line = bool(records) and not lines.lines[lines.at - 1] and lines.at > at
        records.append(_parse_fastq_record(lines, len(records) + 1))
        records[-1].is_after_empty_line = is_after_empty_line
        at = lines.at
        lines.skip_empty()
    return records


def _parse_fastq_record(lines: _Lines, number: int) -> Record:
    truncated = RecordError(FaultKind.TRUNCATED, number, lines.at + 1)
    record = Record(_name(lines.take()[1:]), b"")
    n_lines = 0
    while lines and not lines.next.startswith(b"+"):
        line = lines.take()
        letters = _letters(line)
        if letters is None:
            is_first_byte = _letters(line[:1]) is None
            kind = FaultKind.NO_PLUS if n_lines and is_first_byte else FaultKind.ALIEN_BYTE
            raise RecordError(kind, number, lines.at)
        record.sequence += letters
        n_lines += 1
    if not lines:
        raise truncated
    record.has_other_name = _name(lines.take()[1:]) not in (b"", record.name)
    if lines.at_open_end and record.sequence:
        raise truncated
    _pass_qualities(lines, number, len(record.sequence), n_lines, truncated)
    return record


def _pass_qualities(lines: _Lines, number: int, n_bases: int, n_lines: int, truncated: RecordError) -> None:
    if n_bases == 0 and (not lines or lines.next.startswith(b"@")):
        return
    n_qualities = 0
    for i in range(len(lines.lines)):
        if not lines:
            raise truncated
        line = lines.take()
        if min(line, default=33) < 33:
            raise RecordError(FaultKind.BAD_QUALITY, number, lines.at)
        if i and n_qualities + len(line) > n_bases and line.startswith(b"@"):
            raise RecordError(FaultKind.LENGTHS, number, lines.at - 1, (n_bases, n_qualities))
        n_qualities += len(line)
        if n_qualities == n_bases:
            return
        if n_qualities < n_bases and lines.at_open_end:
            raise truncated
        is_rest = n_lines == 1 and _pass_rest(lines, n_bases - n_qualities)
        if is_rest:
            return
        if n_qualities > n_bases or n_lines == 1:
            raise RecordError(FaultKind.LENGTHS, number, lines.at, (n_bases, n_qualities))


def _pass_rest(lines: _Lines, n_missing: int) -> bool:
    """Pass further lines with just so many qualities before another record or the end, if there are."""
    n_before = lines.at
    while n_missing > 0 and lines and min(lines.next, default=33) >= 33:
        n_missing -= len(lines.take())
    if n_missing == 0 and (not lines or not lines.next or lines.next.startswith(b"@")):
        return True
    lines.at = n_before
    return False
