"""The text of a gzip file, to its last byte.

The readers of files of isal and of Python leave out what they have inflated when the data end within a member, so that
nobody can say how much was there. Their decompressors of members do not.
"""

from __future__ import annotations

import io
import zlib
from typing import Any

_FED_BYTES = 1 << 14  # at once: what follows a member in them is copied, and there may be many members
_TEXT_BYTES = 1 << 17  # at once
_GZIP = 31  # header and trailer of a member around the data


def _new_inflater() -> Any:
    """A decompressor of one member: isal's, which is faster, or else zlib's."""
    try:
        from isal.isal_zlib import decompressobj
    except ImportError:
        return zlib.decompressobj(_GZIP)
    return decompressobj(_GZIP)


class GzipText:
    """Inflates the members of a gzip file one after another, by one thread. Zeros between and after them are padding.

    Parameters
    ----------
    source : buffered reader
        The compressed data.
    """

    def __init__(self, source: io.BufferedIOBase) -> None:
        self._source = source
        self._inflater = _new_inflater()
        self._data = b""  # not inflated yet
        self._is_full = False  # more text may come without more data
        self._text = memoryview(b"")  # not given yet

    def readinto1(self, room: memoryview) -> int:
        """Write the next text; number of bytes, 0 at the end.

        Raises
        ------
        EOFError
            If the data end within a member, after all text before has been given.
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
        self._inflater, self._is_full = _new_inflater(), False
        return True
