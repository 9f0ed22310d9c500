"""Open inputs, compressed or not, by content."""

from __future__ import annotations

import errno
import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from xopen import xopen

from debruijn_gpu.errors import FileAccessError, FormatError, InputNotFoundError


@contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """Binary stream of a file's decompressed content; ``-`` is standard input."""
    source = sys.stdin.buffer if path == "-" else path
    try:
        stream = xopen(source, "rb", threads=0)
    except FileNotFoundError:
        raise InputNotFoundError(f"{path}: no such file", "check the name") from None
    except OSError as error:
        reason = "a directory, not a file" if error.errno == errno.EISDIR else error.strerror
        raise FileAccessError(f"{path}: {reason}") from None
    try:
        with stream:
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"{path}: compressed data truncated or corrupt", "fetch the file again") from error
