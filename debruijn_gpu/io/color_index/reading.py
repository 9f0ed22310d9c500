"""Read colour indexes (``.dbgc``): k-mers stay in the file until they are asked for, colour sets are loaded."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.colors.color_sets import ColorSets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.color_index.layout import (
    BLOCK_BYTES,
    BYTE_ORDER,
    CRC_BYTES,
    END_MAGIC,
    HEADER,
    IS_CANONICAL,
    MAGIC,
    TRAILER,
    VERSION,
    padding,
)
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.kmer_sets.stored_bytes import Bytes, StoredBytes, part_of, stored_bytes
from debruijn_gpu.io.opening import display_name

_FIX = "copy or write the file again"
_SAMPLES_AT_ONCE = 1 << 18
_ITEM = 4  # bytes of a size or a sample
_MAKE = "write one with dbg color -o FILE.dbgc"


def read_color_index(path: str, stored: Bytes | None = None) -> ColorIndex:
    """Open a colour index; its k-mers are read and checked as they are asked for.

    Parameters
    ----------
    path : str
        A ``.dbgc`` file, or ``-`` for standard input.
    stored : ndarray, dtype=uint8, or StoredBytes, optional
        Bytes of the file, if they are known already.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If it is not there or cannot be read.
    FormatError
        If it is no colour index, truncated or damaged.
    """
    return _Reader(display_name(path), stored_bytes(path) if stored is None else stored).index()


def is_color_index(head: bytes) -> bool:
    """Return whether a file that begins with some bytes may be a colour index."""
    return head.startswith(MAGIC[:5])


class _Reader:
    """Checks and reads the parts of a file.

    Parameters
    ----------
    name : str
        For messages.
    data : ndarray, dtype=uint8, or StoredBytes
    """

    def __init__(self, name: str, data: NDArray[np.uint8] | StoredBytes) -> None:
        self._name = name
        self._data = data

    def index(self) -> ColorIndex:
        """Read all but the k-mers."""
        k, canonical = self._header()
        n_kmer_bytes, n_sets, n_samples_of_sets, n_samples, n_name_bytes, *checksums = self._trailer()
        sets_at = HEADER.size + n_kmer_bytes + padding(n_kmer_bytes)
        sizes_bytes, samples_bytes = _ITEM * n_sets, _ITEM * n_samples_of_sets
        samples_at = sets_at + sizes_bytes + padding(sizes_bytes)
        names_at = samples_at + samples_bytes + padding(samples_bytes)
        index_at = names_at + n_name_bytes + padding(n_name_bytes) + 8 * n_samples
        n_blocks = _n_blocks(sizes_bytes) + _n_blocks(samples_bytes)
        end = index_at + CRC_BYTES * n_blocks
        if end + padding(end) + TRAILER.size != len(self._data):
            raise self._damaged("its parts do not fill it")
        names, n_kmers = self._names(names_at, n_name_bytes, n_samples, checksums[0])
        index = self._data[index_at:end].tobytes()
        if zlib.crc32(index) != checksums[1]:
            raise self._damaged("the index does not match its checksum")
        crcs = np.frombuffer(index, "<u4")
        sizes = self._column(sets_at, sizes_bytes, crcs[: _n_blocks(sizes_bytes)])
        samples = self._column(samples_at, samples_bytes, crcs[_n_blocks(sizes_bytes) :])
        sets = self._checked_sets(sizes, samples, n_samples)
        kmers = KmerSetFile(self._name, part_of(self._data, HEADER.size, HEADER.size + n_kmer_bytes))
        if (kmers.k, kmers.canonical) != (k, canonical) or kmers.totals.largest > n_sets or (n_sets and not len(kmers)):
            raise self._damaged("k-mers and colour sets do not fit together")
        return ColorIndex(k, canonical, kmers, sets, names, n_kmers)

    def _header(self) -> tuple[int, bool]:
        """k, and whether k-mers are canonical."""
        data = self._data
        if data[: len(MAGIC)].tobytes() != MAGIC:
            raise FormatError(f"{self._name}: this is no colour index (.dbgc)", _MAKE)
        if len(data) < HEADER.size + TRAILER.size:
            raise self._truncated()
        header = data[: HEADER.size].tobytes()
        _, byte_order, version, k, flags, _ = HEADER.unpack(header)
        if byte_order == BYTE_ORDER and version != VERSION:
            raise FormatError(f"{self._name}: version {version} of the format, expected {VERSION}", "update dbg")
        if not _is_sealed(header):
            raise self._damaged("the header does not match its checksum")
        if byte_order != BYTE_ORDER or not 1 <= k <= K_MAX or flags > IS_CANONICAL:
            raise self._damaged("the header holds impossible values")
        return k, bool(flags & IS_CANONICAL)

    def _trailer(self) -> tuple[int, ...]:
        """Numbers of `TRAILER`, without magic and checksum."""
        trailer = self._data[-TRAILER.size :].tobytes()
        magic, *numbers, _ = TRAILER.unpack(trailer)
        if magic != END_MAGIC:
            raise self._truncated()
        if not _is_sealed(trailer):
            raise self._damaged("the trailer does not match its checksum")
        if max(numbers[:5]) > len(self._data):
            raise self._damaged("the trailer holds impossible values")
        return tuple(numbers)

    def _names(self, at: int, n_bytes: int, n_samples: int, checksum: int) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """Names and numbers of k-mers of the samples."""
        numbers_at = at + n_bytes + padding(n_bytes)
        described = self._data[at : numbers_at + 8 * n_samples].tobytes()
        if zlib.crc32(described) != checksum:
            raise self._damaged("the names do not match their checksum")
        names = _parsed(described[:n_bytes])
        is_sound = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not (is_sound and len(names) == n_samples == len(set(names))):
            raise self._damaged("the names of samples are impossible")
        n_kmers = np.frombuffer(described[numbers_at - at :], "<i8").astype(np.int64)
        return tuple(names), n_kmers

    def _column(self, at: int, n_bytes: int, checksums: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """A column of uint32, whose blocks have checksums."""
        column = self._data[at : at + n_bytes]
        for i, expected in enumerate(checksums.tolist()):
            if zlib.crc32(column[i * BLOCK_BYTES : (i + 1) * BLOCK_BYTES].data) != expected:
                raise self._damaged("the colour sets do not match their checksums")
        return column.view("<u4")

    def _checked_sets(self, sizes: NDArray[np.uint32], samples: NDArray[np.uint32], n_samples: int) -> ColorSets:
        row_ptr = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        is_sound = bool(sizes.all()) and int(row_ptr[-1]) == len(samples)
        is_sound = is_sound and (not len(samples) or int(samples.max()) < n_samples)
        if not (is_sound and _rows_ascend(row_ptr, samples)):
            raise self._damaged("the colour sets are impossible")
        return ColorSets(row_ptr, samples)

    def _truncated(self) -> FormatError:
        return FormatError(f"{self._name}: the colour index is truncated after {len(self._data):,} bytes", _FIX)

    def _damaged(self, what: str) -> FormatError:
        return FormatError(f"{self._name}: the colour index is damaged: {what}", _FIX)


def _parsed(names: bytes) -> Any:
    """Parse JSON, in which names of files that are not UTF-8 have surrogates; None if it is none."""
    try:
        return json.loads(names)
    except (ValueError, RecursionError):
        return None


def _rows_ascend(row_ptr: NDArray[np.int64], samples: NDArray[np.uint32]) -> bool:
    """Return whether the samples of each set ascend; checked in blocks, which takes less memory than whole."""
    for start in range(1, len(samples), _SAMPLES_AT_ONCE):
        some = samples[start - 1 : start + _SAMPLES_AT_ONCE]
        is_greater = some[1:] > some[:-1]
        first, behind = np.searchsorted(row_ptr, [start, start + len(is_greater)])
        is_greater[row_ptr[first:behind] - start] = True
        if not is_greater.all():
            return False
    return True


def _n_blocks(n_bytes: int) -> int:
    """Blocks of a column of the sets."""
    return -(-n_bytes // BLOCK_BYTES)


def _is_sealed(record: bytes) -> bool:
    """Return whether the last four bytes of a record are the CRC-32 of those before."""
    return zlib.crc32(record[:-CRC_BYTES]) == int.from_bytes(record[-CRC_BYTES:], "little")
