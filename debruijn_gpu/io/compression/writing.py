"""Compress output: the bytes depend on the content alone, and hold no names or times."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO, cast

from debruijn_gpu.run.file_formats import compression_of

#: Of zlib: reads shrink hardly more at 6 and take twice as long.
_GZIP_LEVEL = 4


class _Forward(io.BufferedIOBase):
    """Stream in which nothing can seek, as compressors only claim to: programs such as zipfile then write forward.

    Parameters
    ----------
    stream : binary file
    """

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        """Compress bytes, or any array in contiguous memory."""
        view = memoryview(data)
        return self._stream.write(view.cast("B")) if view.nbytes else 0


@contextmanager
def compressed(file: BinaryIO, path: str) -> Iterator[BinaryIO]:
    """Stream that compresses into a file, by the ending of a path; the file itself if the path names no compression.

    The compressed data are complete when the block ends; the file stays open.
    """
    compression = compression_of(path)
    if compression is None:
        yield file
        return
    with _compressor(file, compression) as stream:
        yield cast(BinaryIO, _Forward(stream))


def _compressor(file: BinaryIO, compression: str) -> IO[bytes]:
    if compression != "gz":
        from xopen import xopen  # takes 10 ms

        return cast("IO[bytes]", xopen(file, "wb", threads=0, format=compression))
    # xopen compresses with the fastest library at hand, which writes other bytes on other machines.
    return cast("IO[bytes]", gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=file, mtime=0))
