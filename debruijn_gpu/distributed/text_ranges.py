"""Parts of a compressed file whose text begins anywhere, as that of gzip with one member: by positions in the text.

Each task inflates the text from the beginning, and parses its own part of it: to inflate takes a fifth of the time that
a worker takes to read. So one file keeps several workers busy, and no text is sent or stored.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain

from debruijn_gpu.backends.protocol import HostBackend
from debruijn_gpu.distributed.reading import BLOCK_BYTES, NamedReads, block_of
from debruijn_gpu.io.fastx.reads import batch_of, read_texts
from debruijn_gpu.io.fastx.record_blocks import BLANKS
from debruijn_gpu.io.fastx.record_starts import start_of_record
from debruijn_gpu.io.opening import Block, read_blocks
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions

_INFLATED_AT_ONCE = 1 << 20
_SEEN_BYTES, _MOST_SEEN_BYTES = 1 << 16, 4 << 20  # of the text at a place where it may be cut


@dataclass(frozen=True)
class TextRange:
    """A part of the text of a file: the records that begin in it.

    Attributes
    ----------
    path : str
    number, n_ranges : int
        Which part it is, of how many; the last one has all text that is left.
    text_bytes : int
        Of each part.
    n_bytes : int
        Its share of the file.
    continues : bool
        No part begins within a record.
    """

    path: str
    number: int
    n_ranges: int
    text_bytes: int
    n_bytes: int
    continues: bool = False

    def batches(self, backend: HostBackend, run: RunOptions) -> Iterator[NamedReads]:
        """Yield the reads."""
        inputs = ReadInputs(single=(self.path,))
        with closing(self._text()) as texts:
            first = next(texts, b"")
            if self.number and not first:
                return  # no record begins in it
            opened = {self.path: _blocks(chain([first], texts))}
            for reads, _mates in read_texts(inputs, backend, BLOCK_BYTES, 1, run.memory, whole=False, opened=opened):
                yield NamedReads(batch_of(reads), reads.names)

    def _text(self) -> Generator[bytes, None, None]:
        """Yield the text from the first record of this part to the first one of a later part."""
        with closing(read_blocks(self.path, _INFLATED_AT_ONCE)) as blocks:
            text = _Text(blocks)
            mark = text.seen(_SEEN_BYTES).lstrip(BLANKS)[:1]
            if self.number:
                for _skipped in text.until(self.number * self.text_bytes):
                    pass
                start = _first_record(text, mark)
                if start is None:
                    return  # the part before has all of it
                if start >= self.text_bytes and self.number + 1 < self.n_ranges:
                    return  # it begins in a later part
                for _skipped in text.until(text.at + start):
                    pass
            for number in range(self.number + 1, self.n_ranges):
                yield from text.until(number * self.text_bytes)
                stop = _first_record(text, mark)
                if stop is not None:
                    yield from text.until(text.at + stop)
                    return
            yield from text.until(None)


def _blocks(texts: Iterable[bytes]) -> Generator[Block, None, None]:
    gathered, n_gathered = list[bytes](), 0
    for text in texts:
        if n_gathered >= BLOCK_BYTES:
            yield block_of(b"".join(gathered), False)
            gathered, n_gathered = [], 0
        gathered.append(text)
        n_gathered += len(text)
    yield block_of(b"".join(gathered), True)


class _Text:
    """Text in blocks, whose next bytes may be seen before they are given.

    Attributes
    ----------
    at : int
        Bytes that were given.
    """

    def __init__(self, blocks: Iterator[Block]) -> None:
        self.at = 0
        self._blocks = (block.buffer[block.start : block.end].tobytes() for block in blocks)
        self._held = b""

    def seen(self, n_bytes: int) -> bytes:
        """The next bytes, so many if there are."""
        while len(self._held) < n_bytes:
            more = next(self._blocks, None)
            if more is None:
                break
            self._held += more
        return self._held[:n_bytes]

    def until(self, stop: int | None) -> Iterator[bytes]:
        """Yield the text up to a position, or to its end."""
        while stop is None or self.at < stop:
            text = self._held or next(self._blocks, None)
            if text is None:
                return
            n_given = len(text) if stop is None else min(len(text), stop - self.at)
            self._held = text[n_given:]
            self.at += n_given
            yield text[:n_given]


def _first_record(text: _Text, mark: bytes) -> int | None:
    """Bytes before the next record; None: none is seen. The same ones, whichever part looks there."""
    n_bytes = _SEEN_BYTES
    while n_bytes <= _MOST_SEEN_BYTES:
        some = text.seen(n_bytes)
        at = _record_in(some, mark)
        if at is not None or len(some) < n_bytes:
            return at
        n_bytes *= 4
    return None


def _record_in(text: bytes, mark: bytes) -> int | None:
    if mark == b"@":
        return start_of_record(text)
    at = text.find(b"\n>" if mark == b">" else b"\n") + 1
    return at if at and text[at : at + 1].strip(BLANKS) else None
