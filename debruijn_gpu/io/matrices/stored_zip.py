"""Write zip archives of uncompressed members whose sizes and checksums are known; content may be in place already.

Records have the fields of ZIP64 always (APPNOTE.TXT of PKWARE, 4.3.9 to 4.5.3), so that their sizes do not depend on
those of members.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from io import SEEK_CUR
from typing import BinaryIO

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_SIZES = struct.Struct("<HHQQ")
_SIZES_AND_PLACE = struct.Struct("<HHQQQ")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64 = struct.Struct("<4sIQI")
_END = struct.Struct("<4s4H2IH")

_VERSION = 45  # that can read ZIP64
_DATE = 1 << 5 | 1  # 1980-01-01
_IN_64 = 0xFFFFFFFF
_EXTRA_64 = 1
_MODE = 0o600 << 16


def header_bytes(name: str) -> int:
    """Return the size of what is written before the content of a member."""
    return _LOCAL.size + len(name.encode()) + _SIZES.size


class StoredZip:
    """A zip archive.

    Parameters
    ----------
    stream : BinaryIO
        Is written from its position on; need not be seekable.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._n_bytes = 0
        self._records: list[bytes] = []

    def add(self, name: str, crc: int, n_bytes: int, content: Iterable[bytes | memoryview]) -> None:
        """Write a member.

        Parameters
        ----------
        name : str
        crc : int
            CRC-32 of the content.
        n_bytes : int
            Size of the content.
        content : iterable of buffer
            The beginning of the content; what is missing is in the file already, and is skipped.
        """
        text, place = name.encode(), self._n_bytes
        common = _VERSION, 0, 0, 0, _DATE, crc, _IN_64, _IN_64, len(text)
        self._write(_LOCAL.pack(b"PK\3\4", *common, _SIZES.size))
        self._write(text + _SIZES.pack(_EXTRA_64, 16, n_bytes, n_bytes))
        end = self._n_bytes + n_bytes
        for part in content:
            self._write(part)
        if self._n_bytes < end:
            self._stream.seek(end - self._n_bytes, SEEK_CUR)
            self._n_bytes = end
        made_by = 3 << 8 | _VERSION  # on Unix
        record = _CENTRAL.pack(b"PK\1\2", made_by, *common, _SIZES_AND_PLACE.size, 0, 0, 0, _MODE, _IN_64)
        self._records.append(record + text + _SIZES_AND_PLACE.pack(_EXTRA_64, 24, n_bytes, n_bytes, place))

    def finish(self) -> None:
        """Write the directory."""
        place, n = self._n_bytes, len(self._records)
        for record in self._records:
            self._write(record)
        end = self._n_bytes
        sizes = n, n, end - place, place
        self._write(_END_64.pack(b"PK\6\6", _END_64.size - 12, _VERSION, _VERSION, 0, 0, *sizes))
        self._write(_LOCATOR_64.pack(b"PK\6\7", 0, end, 1))
        self._write(_END.pack(b"PK\5\6", 0, 0, n, n, _IN_64, _IN_64, 0))

    def _write(self, data: bytes | memoryview) -> None:
        view = memoryview(data)
        self._stream.write(view)
        self._n_bytes += view.nbytes
