"""Parts of files of reads, as tasks read them."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.protocol import HostBackend
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.compression.inflating import gzip_inflater
from debruijn_gpu.io.fastx.reads import batch_of, read_texts
from debruijn_gpu.io.numbers.npy_reading import Readable, read_content, read_header
from debruijn_gpu.io.opening import HEADROOM, Block
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.buffers import aligned_array
from debruijn_gpu.run.options import RunOptions

#: Text that is parsed at once
BLOCK_BYTES = 16 << 20
_FED_BYTES = 1 << 16


@dataclass(frozen=True)
class NamedReads:
    """Reads of a task: a batch, and hashes of the names of the reads that begin in it; none where names do not matter.

    Attributes
    ----------
    batch : ReadBatch
    names : ndarray, dtype=uint64, shape=(n_reads,)
    """

    batch: ReadBatch
    names: NDArray[np.uint64]


class ReadSource(Protocol):
    """What a task reads.

    Attributes
    ----------
    n_bytes : int
        Of files.
    continues : bool
        Whether it begins within a record.
    """

    @property
    def n_bytes(self) -> int: ...

    @property
    def continues(self) -> bool: ...

    def batches(self, backend: HostBackend, run: RunOptions) -> Iterator[NamedReads]:
        """Yield the reads."""


@dataclass(frozen=True)
class WholeFile:
    """A file that one task reads.

    Attributes
    ----------
    path : str
    is_interleaved : bool
        Whether mates take turns in it.
    n_bytes : int
    continues : bool
        No part of a file that begins within a record.
    """

    path: str
    is_interleaved: bool
    n_bytes: int
    continues: bool = False

    def batches(self, backend: HostBackend, run: RunOptions) -> Iterator[NamedReads]:
        """Yield the reads."""
        inputs = ReadInputs(interleaved=(self.path,)) if self.is_interleaved else ReadInputs(single=(self.path,))
        for reads, mates in read_texts(inputs, backend, BLOCK_BYTES, 1, run.memory, whole=False):
            yield NamedReads(batch_of(reads, mates), reads.names)


@dataclass(frozen=True)
class FileRange:
    """A range of a file that begins and ends between records, or within a record of FASTA.

    Attributes
    ----------
    path : str
    start, stop : int
        Bytes of the file; of a gzip file, where members begin.
    skipped, more : int
        Of a gzip file, bytes of text at ``start`` that belong to the range before, and those at ``stop`` to this one.
    repeated : bytes
        Last letters of the record that the range continues; empty if it begins with a record.
    is_gzip : bool
    """

    path: str
    start: int
    stop: int
    skipped: int = 0
    more: int = 0
    repeated: bytes = b""
    is_gzip: bool = False

    @property
    def n_bytes(self) -> int:
        """Bytes of the file."""
        return self.stop - self.start

    @property
    def continues(self) -> bool:
        """Whether the range begins within a record."""
        return bool(self.repeated)

    def batches(self, backend: HostBackend, run: RunOptions) -> Iterator[NamedReads]:
        """Yield the reads."""
        inputs, n_repeated = ReadInputs(single=(self.path,)), len(self.repeated)
        with closing(_blocks(self)) as blocks:
            opened = {self.path: blocks}
            for found, _mates in read_texts(inputs, backend, BLOCK_BYTES, 1, run.memory, whole=False, opened=opened):
                reads = replace(found, n_repeated=n_repeated) if n_repeated else found
                n_repeated = 0
                yield NamedReads(batch_of(reads), reads.names)


def _blocks(part: FileRange) -> Generator[Block, None, None]:
    """Yield the text of a range, behind the header of the record that it continues."""
    with open(part.path, "rb", buffering=0) as stream:
        stream.seek(part.start)
        if part.repeated:
            yield block_of(b">\n" + part.repeated, False)
        if not part.is_gzip:
            yield from _plain(stream, part)
            return
        pending = b""
        for text in _inflated(stream, part):
            if pending:
                yield block_of(pending, False)
            pending = text
        yield block_of(pending, True)


def block_of(text: bytes, final: bool) -> Block:
    """Return text as a block."""
    buffer = np.empty(HEADROOM + len(text), np.uint8)
    buffer[HEADROOM:] = np.frombuffer(text, np.uint8)
    return Block(buffer, HEADROOM, len(buffer), final)


def _plain(stream: IO[bytes], part: FileRange) -> Iterator[Block]:
    left = part.n_bytes
    while left:
        buffer = aligned_array(HEADROOM + min(left, BLOCK_BYTES))
        n_read = stream.readinto(buffer[HEADROOM:].data)  # type: ignore[attr-defined]
        if not n_read:
            raise FormatError(f"{part.path}: the file became shorter while it was read", "try again when it is whole")
        left -= n_read
        yield Block(buffer, HEADROOM, HEADROOM + n_read, not left)


def _inflated(stream: IO[bytes], part: FileRange) -> Iterator[bytes]:
    """Inflate the members of a range and, of those behind it, the text that belongs to it, in blocks."""
    gathered, n_gathered, n_skipped = [], 0, part.skipped
    for text in members(stream, part.start, part.stop, part.more, part.path):
        taken = text[n_skipped:]
        n_skipped = max(0, n_skipped - len(text))
        gathered.append(taken)
        n_gathered += len(taken)
        if n_gathered >= BLOCK_BYTES:
            yield b"".join(gathered)
            gathered, n_gathered = [], 0
    yield b"".join(gathered)


def members(stream: IO[bytes], start: int, stop: int, more: int, path: str) -> Iterator[bytes]:
    """Inflate gzip members that begin from ``start`` to ``stop``, and the first ``more`` bytes of text behind these.

    Parameters
    ----------
    stream : file
        At ``start``.
    start, stop, more : int
    path : str
        For messages.

    Raises
    ------
    FormatError
        If the data are damaged, or no member begins at ``stop``: then the range was cut at a wrong place.
    """
    inflater, data, at = gzip_inflater(), b"", start  # `at`: bytes of the file before `data`
    left: int | None = None  # of the text behind `stop`
    size = os.fstat(stream.fileno()).st_size
    while left is None or left > 0:
        if inflater.eof:
            data = inflater.unused_data
            at = stream.tell() - len(data)
            if at >= size:
                return
            if left is None and at >= stop:
                if at > stop:
                    raise _damage(path, at)
                left = more
                if not left:
                    return
            inflater = gzip_inflater()
        if not data:
            data = stream.read(_FED_BYTES)
            if not data:
                raise _damage(path, at)
        try:
            text: bytes = inflater.decompress(data)
        except Exception as error:  # zlib's, or isal's, whose name depends on the platform
            raise _damage(path, at) from error
        data = b""
        yield text if left is None else text[:left]
        left = None if left is None else left - len(text)


def _damage(path: str, at: int) -> FormatError:
    return FormatError(f"{path}: the compressed data are damaged near byte {at:,}", "copy or download the file again")


@dataclass(frozen=True)
class StoredRange:
    """Batches of reads that the command wrote to a file which workers share.

    Attributes
    ----------
    path : str
    start, n_bytes : int
        In the file.
    n_batches : int
    """

    path: str
    start: int
    n_bytes: int
    n_batches: int
    continues: bool = False

    def batches(self, backend: HostBackend, run: RunOptions) -> Iterator[NamedReads]:
        """Yield the reads."""
        with open(self.path, "rb") as stream:
            stream.seek(self.start)
            for _ in range(self.n_batches):
                bases, offsets, ambiguous, (n_repeated,) = (_stored_array(self.path, stream) for _array in range(4))
                yield NamedReads(ReadBatch(bases, offsets, ambiguous, int(n_repeated)), np.zeros(0, np.uint64))


def _stored_array(path: str, stream: Readable) -> NDArray[Any]:
    """Read an array of `store_batch`; raise FormatError if it is damaged."""
    return read_content(path, stream, read_header(path, stream))


def store_batch(stream: IO[bytes], batch: ReadBatch) -> None:
    """Append a batch of host arrays to a file, as `StoredRange` reads it."""
    arrays: list[Any] = [batch.bases, batch.offsets, batch.ambiguous_positions, np.array([batch.n_repeated])]
    for array in arrays:
        np.save(stream, array)
