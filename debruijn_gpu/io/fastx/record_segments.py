"""Text of FASTA, or of one sequence per line, cut into segments of bounded size that are parsed independently.

A line that begins with > begins a record for certain, so FASTA is cut there. A record longer than a block is split:
the next segment begins with a header without a name and the last bases of the one before, enough of them for every
k-mer across the cut. `TextReads.n_repeated` is their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import REPEATED_BASES
from debruijn_gpu.io.fastx.waiting import WaitingText
from debruijn_gpu.io.opening import HEADROOM, Block

_SEARCHED_BYTES = HEADROOM  # at the end of a block; what is behind the cut fits before the next one
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


def fasta_segments(blocks: Iterable[Block], waiting: WaitingText) -> Iterator[RecordSegment]:
    """Cut FASTA that begins with a record."""
    for text, cut in _cut_texts(blocks, waiting, _cut_fasta):
        yield RecordSegment(text, cut.n_repeated, cut.repeated.count(b"\n"))


def line_segments(blocks: Iterable[Block], waiting: WaitingText) -> Iterator[RecordSegment]:
    """Cut a file of one sequence per line, and make FASTA of it."""
    for text, cut in _cut_texts(blocks, waiting, _cut_lines):
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


def _cut_lines(text: NDArray[np.uint8]) -> _Cut | None:
    """The same for a text of one sequence per line."""
    whole = text.tobytes()
    if end := whole.rfind(b"\n") + 1:
        return _Cut(end)
    return _split(whole, 0, b"") if len(text) >= _LEAST_SPLIT_BYTES else None


def _split(text: bytes, start: int, header: bytes) -> _Cut | None:
    """Split the record whose sequence begins at `start` at the end of the text; None if it has too few letters yet."""
    end = len(text.rstrip(b"\r"))  # what may be the first half of a line end stays with the other
    letters = _last_letters(text, start, end)
    if len(letters) < REPEATED_BASES:
        return None
    line_end = b"\n" if text[end - 1 : end] == b"\n" else b""
    return _Cut(end, header + letters + line_end, len(letters))


def _last_letters(text: bytes, start: int, end: int) -> bytes:
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
