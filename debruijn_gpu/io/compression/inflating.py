"""Inflate compressed files with one thread, and check gzip files to their last byte."""

from __future__ import annotations

import bz2
import io
import lzma
import sys
import zlib
from contextlib import suppress
from typing import Any, Protocol

from debruijn_gpu.io.sources import Source

_FED_BYTES = 1 << 14  # at once: what follows a member in them is copied, and there may be many members
_TEXT_BYTES = 1 << 17  # at once
_GZIP = 31  # header and trailer of a member around the data


def gzip_inflater() -> Any:
    """Return a decompressor of one member: isal's, which is faster, or else zlib's."""
    try:
        from isal.isal_zlib import decompressobj
    except ImportError:
        return zlib.decompressobj(_GZIP)
    return decompressobj(_GZIP)


class AlienDataError(Exception):
    """Data behind a complete member are no member."""


class GzipText:
    """Inflates the members of a gzip file one after another, by one thread. Zeros between and after them are padding.

    Parameters
    ----------
    source : buffered reader
        The compressed data.
    """

    _compression = "gz"

    def __init__(self, source: io.BufferedIOBase) -> None:
        self._source = source
        self._inflater = self._new_inflater()
        self._data = b""  # not inflated yet
        self._is_full = False  # more text may come without more data
        self._text = memoryview(b"")  # not given yet

    def readinto1(self, room: memoryview) -> int:
        """Write the next text; number of bytes, 0 at the end.

        Raises
        ------
        EOFError
            If the data end within a member, after all text before has been given.
        AlienDataError
            If something else follows a member.
        """
        if not self._text:
            self._text = memoryview(self._inflate())
        n_bytes = min(len(room), len(self._text))
        room[:n_bytes] = self._text[:n_bytes]
        self._text = self._text[n_bytes:]
        return n_bytes

    def _inflate(self) -> bytes:
        """The next block of text; empty at the end. Its size follows from the file alone, and so does how much
        comes before damage is found."""
        while True:
            if self._inflater.eof and not self._next_member():
                return b""
            if not self._data and not self._is_full:
                self._data = self._source.read(_FED_BYTES)
                if not self._data:
                    raise EOFError("the data end within a member")
            text: bytes = self._inflater.decompress(self._data, _TEXT_BYTES)
            self._data = self._inflater.unconsumed_tail
            self._is_full = len(text) == _TEXT_BYTES
            if text:
                return text

    def _next_member(self) -> bool:
        """Begin another member, if one follows."""
        self._data = self._inflater.unused_data.lstrip(b"\0")
        while not self._data:
            more = self._source.read(_FED_BYTES)
            if not more:
                return False
            self._data = more.lstrip(b"\0")
        while len(self._data) < MAGIC_BYTES and (more := self._source.read(_FED_BYTES)):
            self._data += more
        if not _begins_member(self._data, self._compression):
            raise AlienDataError
        self._inflater, self._is_full = self._new_inflater(), False
        return True

    def _new_inflater(self) -> Any:
        return gzip_inflater()


class MemberText(GzipText):
    """Inflates the members of a file in another compression. Python's own readers take a member that is damaged at its
    start for rubbish behind the last one, and leave it out without a word.

    Parameters
    ----------
    source : buffered reader
    compression : str
        ``bz2``, ``xz`` or ``zst``.
    """

    def __init__(self, source: io.BufferedIOBase, compression: str) -> None:
        self._compression = compression
        super().__init__(source)

    def _inflate(self) -> bytes:
        while True:
            if self._inflater.eof and not self._next_member():
                return b""
            if not self._data and self._inflater.needs_input:
                self._data = self._source.read(_FED_BYTES)
                if not self._data:
                    raise EOFError("the data end within a member")
            text: bytes = self._inflater.decompress(self._data, _TEXT_BYTES)
            self._data = b""  # the decompressor holds what is left
            if text:
                return text

    def _new_inflater(self) -> Any:
        if self._compression == "xz":
            return lzma.LZMADecompressor(lzma.FORMAT_XZ)
        return bz2.BZ2Decompressor() if self._compression == "bz2" else zstd_library().ZstdDecompressor()


#: Bytes at once from a decompressor; this fits the L2 cache
READ_BYTES = 1 << 18

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_MAGIC |= {b"BZh%d%s" % (level, start): "bz2" for level in range(1, 10) for start in (b"1", b"\x17")}
#: Bytes of a file that show its compression
MAGIC_BYTES = max(map(len, _MAGIC))


def _begins_member(data: bytes, compression: str) -> bool:
    """Whether data begin as a member does, or as a frame of zstd that is skipped; the file may end within its magic."""
    magics = [magic for magic, name in _MAGIC.items() if name == compression]
    if compression == "zst":
        magics += [bytes((first, *b"\x2a\x4d\x18")) for first in range(0x50, 0x60)]
    return any(data.startswith(magic) or magic.startswith(data) for magic in magics)


def damages() -> tuple[Any, ...]:
    """Return exceptions for damaged data of all decompressors: that of xopen depends on the platform."""
    found: list[Any] = [OSError, EOFError, AlienDataError, zlib.error, lzma.LZMAError, zstd_library().ZstdError]
    with suppress(ImportError):
        from isal.igzip_lib import IsalError

        found.append(IsalError)
    with suppress(ImportError):
        from zlib_ng.zlib_ng import error

        found.append(error)
    return tuple(found)


def zstd_library() -> Any:
    """Import the library for zstd, which few files need."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def compression_of(head: bytes) -> str | None:
    """Compression of a file that begins so; None if it is plain."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


class _Readable(Protocol):
    def readinto1(self, buffer: memoryview, /) -> int: ...


class SerialText:
    """Text read by one thread in blocks that stay in the cache, each before an error that follows it."""

    def __init__(self, readable: _Readable, part: str) -> None:
        self.part = part
        self.n_text = 0
        self._readable = readable

    def fill(self, room: memoryview) -> int:
        """See `Stream.fill`."""
        n_filled = 0
        while n_filled < len(room):
            n_new = self._readable.readinto1(room[n_filled : n_filled + READ_BYTES])
            if not n_new:
                break
            n_filled += n_new
            self.n_text += n_new
        return n_filled

    def close(self) -> None:
        """Nothing is held."""


def inflated(source: Source, compression: str) -> SerialText:
    """The text of a compressed file, by one thread."""
    buffered = io.BufferedReader(source, READ_BYTES)
    readable = GzipText(buffered) if compression == "gz" else MemberText(buffered, compression)
    return SerialText(readable, "inflate")
