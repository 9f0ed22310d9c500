"""Cut text of reads into blocks that are parsed independently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import REPEATED_BASES
from debruijn_gpu.io.opening import HEADROOM, Allocate, Block

_SEARCHED_BYTES = HEADROOM  # at the end of a block; what is behind the cut fits before the next one
_TRIES = 8  # lines that begin with @ and may be headers


@dataclass(frozen=True)
class Segment:
    """Some text of a FASTQ file.

    Attributes
    ----------
    block : Block
    is_whole : bool
        Whether it seems to end where a record ends.
    """

    block: Block
    is_whole: bool

    @property
    def text(self) -> NDArray[np.uint8]:
        return self.block.buffer[self.block.start : self.block.end]


def segments_of(blocks: Iterable[Block]) -> Iterator[Segment]:
    """Cut a text at ends of records, where these are found."""
    rest = np.empty(0, np.uint8)
    for block in blocks:
        start = block.start - len(rest)
        block.buffer[start : block.start] = rest
        text = block.buffer[start : block.end]
        n_whole = len(text) if block.final else end_of_records(text)
        end = n_whole or len(text)
        rest = text[end:]
        yield Segment(Block(block.buffer, start, start + end, block.final), n_whole > 0)


def end_of_records(text: NDArray[np.uint8]) -> int:
    """Find the end of the last complete record within the last 64 KiB; 0 if there is none."""
    first = max(0, len(text) - _SEARCHED_BYTES)
    tail = text[first:].tobytes()
    stop = len(tail)
    for _ in range(_TRIES):
        stop = tail.rfind(b"\n@", 0, stop)
        if stop < 0:
            return 0
        if end := end_of_fastq_record(tail, stop + 1):
            return first + end
    return 0


def end_of_fastq_record(text: bytes, start: int) -> int:
    """Behind a record of four lines that starts there, if it is one and another or nothing follows; else 0."""
    ends = [start]
    for _ in range(4):
        end = text.find(b"\n", ends[-1]) + 1
        if not end:
            return 0
        ends.append(end)
    _header, bases, plus, qualities, end = ends
    is_record = text[plus : plus + 1] == b"+" and plus - bases == end - qualities
    return end if is_record and text[end : end + 1] in (b"", b"@") else 0


_LEAST_SPLIT_BYTES = 1 << 10  # shorter texts wait for more; large against what a split repeats

#: Bytes that are no part of a sequence
BLANKS = b"\r\n \t"


@dataclass(frozen=True)
class RecordSegment:
    """Whole records, and perhaps the end of a split record before and the beginning of one behind them.

    Attributes
    ----------
    text : ndarray, dtype=uint8
        FASTA.
    n_repeated : int
        See `ReadBatch.n_repeated`.
    n_added_lines : int
        Lines at the start of `text` that are not in the file.
    lines : bytes or None
        The text as it is in the file, of one sequence per line.
    """

    text: NDArray[np.uint8]
    n_repeated: int
    n_added_lines: int
    lines: bytes | None = None


@dataclass(frozen=True)
class _Cut:
    """Where a text is cut, and text to put before what follows."""

    end: int
    repeated: bytes = b""
    n_repeated: int = 0


def fasta_segments(blocks: Iterable[Block], waiting: WaitingText, whole: bool = False) -> Iterator[RecordSegment]:
    """Cut FASTA that begins with a record; ``whole``: between records only."""
    for text, cut in _cut_texts(blocks, waiting, _cut_between if whole else _cut_fasta):
        yield RecordSegment(text, cut.n_repeated, cut.repeated.count(b"\n"))


def line_segments(blocks: Iterable[Block], waiting: WaitingText, whole: bool = False) -> Iterator[RecordSegment]:
    """Cut a file of one sequence per line, and make FASTA of it; ``whole``: between lines only."""
    for text, cut in _cut_texts(blocks, waiting, _cut_between_lines if whole else _cut_lines):
        lines = text.tobytes()
        sequences = _sequences(lines)
        fasta = bytearray(b">\n" + b"\n>\n".join(sequences) if sequences else b"")
        yield RecordSegment(np.frombuffer(fasta, np.uint8), cut.n_repeated, 0, lines)


def _cut_texts(
    blocks: Iterable[Block], waiting: WaitingText, find_cut: Callable[[NDArray[np.uint8]], _Cut | None]
) -> Iterator[tuple[NDArray[np.uint8], _Cut]]:
    """Cut the text of blocks; yield each segment and the cut before it."""
    before = _Cut(0)
    for block in blocks:
        if not waiting.add(block):
            continue
        text = waiting.take()
        cut = _Cut(len(text)) if block.final else find_cut(text)
        if cut is None:
            waiting.keep_all(text)
            continue
        yield text[: cut.end], before
        rest = text[cut.end :]
        waiting.keep(np.concatenate([np.frombuffer(cut.repeated, np.uint8), rest]) if cut.repeated else rest)
        before = cut


def _cut_fasta(text: NDArray[np.uint8]) -> _Cut | None:
    """Cut where the last record begins, if that is near the end, or else within it; None: more text is needed."""
    first = max(0, len(text) - _SEARCHED_BYTES)
    at = text[first:].tobytes().rfind(b"\n>")
    if at >= 0:
        return _Cut(first + at + 1)
    if len(text) < _LEAST_SPLIT_BYTES:
        return None
    whole = text.tobytes()
    record = whole.rfind(b"\n>") + 1
    sequence = whole.find(b"\n", record) + 1
    return (_split(whole, sequence, b">\n") if sequence else None) or (_Cut(record) if record else None)


def _cut_between(text: NDArray[np.uint8]) -> _Cut | None:
    """Cut where the last record begins; None: more text is needed."""
    first = max(0, len(text) - _SEARCHED_BYTES)
    at = text[first:].tobytes().rfind(b"\n>") + first
    if at < first and first:
        at = text.tobytes().rfind(b"\n>")
    return _Cut(at + 1) if at >= 0 else None


def _cut_between_lines(text: NDArray[np.uint8]) -> _Cut | None:
    """The same for a text of one sequence per line."""
    end = text.tobytes().rfind(b"\n") + 1
    return _Cut(end) if end else None


def _cut_lines(text: NDArray[np.uint8]) -> _Cut | None:
    """The same for a text of one sequence per line."""
    whole = text.tobytes()
    if end := whole.rfind(b"\n") + 1:
        return _Cut(end)
    return _split(whole, 0, b"") if len(text) >= _LEAST_SPLIT_BYTES else None


def _split(text: bytes, start: int, header: bytes) -> _Cut | None:
    """Split the record whose sequence begins at `start` at the end of the text; None if it has too few letters yet."""
    end = len(text.rstrip(b"\r"))  # what may be the first half of a line end stays with the other
    letters = last_letters(text, start, end)
    if len(letters) < REPEATED_BASES:
        return None
    line_end = b"\n" if text[end - 1 : end] == b"\n" else b""
    return _Cut(end, header + letters + line_end, len(letters))


def last_letters(text: bytes, start: int, end: int) -> bytes:
    """Return the last letters of a sequence, which segments share."""
    n_bytes = 2 * REPEATED_BASES
    while True:
        first = max(start, end - n_bytes)
        letters = text[first:end].translate(None, BLANKS)[-REPEATED_BASES:]
        if first == start or len(letters) == REPEATED_BASES:
            return letters
        n_bytes *= 8


def _sequences(text: bytes) -> list[bytes]:
    """The lines that are not empty."""
    return [line for line in text.split(b"\n") if line.strip(BLANKS)]


class RecordTooLongError(Exception):
    """One record takes more text than is allowed.

    Parameters
    ----------
    start : bytes
        The first bytes of its text.
    n_bytes : int
        Bytes of it that have been read.
    """

    def __init__(self, start: bytes, n_bytes: int) -> None:
        super().__init__(f"{n_bytes} bytes")
        self.start = start
        self.n_bytes = n_bytes


class WaitingText:
    """The text that is read but not parsed yet; it begins with a record.

    Parameters
    ----------
    allocate : callable
        See `read_blocks`.
    most_bytes : int, optional
        Of text that no record ends in; None: no limit.
    """

    def __init__(self, allocate: Allocate, most_bytes: int | None = None) -> None:
        self._allocate = allocate
        self._most_bytes = most_bytes
        self._rest = np.empty(0, np.uint8)
        self._blocks: list[Block] = []
        self.n_bytes = 0
        self._n_wanted = 0

    def add(self, block: Block) -> bool:
        """Add a block; return whether the text is worth parsing now.

        Raises
        ------
        RecordTooLongError
            If nothing could be parsed of the text so far, and it is too long.
        """
        self._blocks.append(block)
        self.n_bytes += block.end - block.start
        if self._n_wanted and self._most_bytes is not None and self.n_bytes > self._most_bytes:
            raise RecordTooLongError(self._rest[:_NAME_BYTES].tobytes(), self.n_bytes)
        return block.final or self.n_bytes >= self._n_wanted

    def take(self) -> NDArray[np.uint8]:
        """Return the whole text in one array."""
        block, n_rest = self._blocks[0], len(self._rest)
        if len(self._blocks) == 1 and n_rest <= block.start:
            text = block.buffer[block.start - n_rest : block.end]
            text[:n_rest] = self._rest
        else:
            segments = [self._rest, *(block.buffer[block.start : block.end] for block in self._blocks)]
            text = self._allocate(sum(map(len, segments)))
            np.concatenate(segments, out=text)
        self._blocks.clear()
        return text

    def keep(self, rest: NDArray[np.uint8]) -> None:
        """Put `rest`, the end of the text taken last, before the next block."""
        self._rest = rest
        self.n_bytes = len(rest)
        self._n_wanted = 0

    def keep_all(self, text: NDArray[np.uint8]) -> None:
        """Keep a text in which no record ends, and ask for twice as much: the work stays linear."""
        self.keep(text)
        self._n_wanted = 2 * len(text)


_NAME_BYTES = 1 << 8
