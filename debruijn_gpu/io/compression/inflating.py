"""Text of compressed files, inflated by one thread."""

from __future__ import annotations

import io
import lzma
import sys
import zlib
from contextlib import suppress
from typing import Any, Protocol

from xopen import xopen

from debruijn_gpu.io.compression.gzip_text import GzipText
from debruijn_gpu.io.sources import Source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: Bytes at once from a decompressor; this fits the L2 cache
READ_BYTES = 1 << 18

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_MAGIC |= {b"BZh%d%s" % (level, start): "bz2" for level in range(1, 10) for start in (b"1", b"\x17")}
#: Bytes of a file that show its compression
MAGIC_BYTES = max(map(len, _MAGIC))


def _damages() -> tuple[Any, ...]:
    """Exceptions of decompressors for damaged data; the decompressor of xopen depends on the platform."""
    found: list[Any] = [OSError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError]
    with suppress(ImportError):
        from isal.igzip_lib import IsalError

        found.append(IsalError)
    with suppress(ImportError):
        from zlib_ng.zlib_ng import error

        found.append(error)
    return tuple(found)


#: Exceptions of damaged data
DAMAGES = _damages()


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
    readable: Any
    if compression == "gz":
        readable = GzipText(buffered)
    elif compression == "zst":
        readable = zstd.ZstdFile(buffered)
    else:
        readable = xopen(buffered, "rb", threads=0, format=compression)
    return SerialText(readable, "inflate")
