"""Blocks of FASTQ text cut where a record seems to end, so that several can be parsed at the same time.

A cut is a guess. Where it was wrong, as in FASTQ of several lines, parsing leaves a rest, and the segment behind it is
parsed anew with that rest in front of it: the guess bears on time alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.io.opening import HEADROOM, Block

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
        if end := _end_of_fastq_record(tail, stop + 1):
            return first + end
    return 0


def _end_of_fastq_record(text: bytes, start: int) -> int:
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
