"""Read databases of KMC (version 1 and 2 of their layout): k-mers cut into a prefix, which a table gives, and a suffix.

Both files have a mark at either end. ``.kmc_pre`` holds the table of prefixes, of the second version one for each bin
and the map of signatures to bins, and a header behind them; ``.kmc_suf`` holds suffixes and counters. (Kokot, Długosz
and Deorowicz 2017; layout as in the API of KMC.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.kmer_sets.packed_bytes import codes_of_bytes, counts_of_bytes
from debruijn_gpu.io.kmer_sets.stored_bytes import Bytes, part_of, stored_bytes
from debruijn_gpu.run.file_formats import KMC_ENDINGS

PREFIX_MAGIC, SUFFIX_MAGIC = b"KMCP", b"KMCS"
_VERSIONS = (0, 0x200)
_AT_ONCE = 1 << 18
_MOST_PREFIX_BASES = 15
_MOST_SIGNATURE_BASES = 11
_FIX = "copy both files again, or count again with kmc"
#: k, mode, bytes per counter, bases of a prefix, (bases of a signature,) least and largest count, k-mers, one strand
_HEADER_1, _HEADER_2 = struct.Struct("<IIIIIIQB"), struct.Struct("<IIIIIIIQB")


@dataclass(frozen=True)
class KmcDatabase:
    """A database whose header fits its files.

    Attributes
    ----------
    k : int
    canonical : bool
    counter_bytes, n_prefix_bases : int
    least, most : int
        Counts of the k-mers to list.
    ends : ndarray, dtype=int64
        Position after the suffixes of each prefix.
    n : int
    records : ndarray, dtype=uint8, or StoredBytes
        Suffix and counter of each k-mer.
    """

    k: int
    canonical: bool
    counter_bytes: int
    n_prefix_bases: int
    least: int
    most: int
    ends: NDArray[np.int64]
    n: int
    records: Bytes

    def parts(self) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        """Read codes (words, n) and counts (n,), in the order of the bins."""
        n_suffix_bytes = (self.k - self.n_prefix_bases) // 4
        width = n_suffix_bytes + self.counter_bytes
        mask = (1 << (2 * self.n_prefix_bases)) - 1
        for start in range(0, self.n, _AT_ONCE):
            rows = np.arange(start, min(start + _AT_ONCE, self.n))
            some = self.records[start * width : (start + len(rows)) * width].reshape(len(rows), width)
            prefixes = np.searchsorted(self.ends, rows, side="right") & mask
            packed = np.concatenate(
                [prefixes.astype(">u8").view(np.uint8).reshape(-1, 8), some[:, :n_suffix_bytes]], axis=1
            )
            counts = counts_of_bytes(some[:, n_suffix_bytes:], big_endian=False)
            kept = (counts >= max(1, self.least)) & (counts <= self.most)
            yield codes_of_bytes(packed[kept], self.k), counts[kept]


def open_kmc(stem: str) -> KmcDatabase:
    """Open the database ``stem.kmc_pre`` and ``stem.kmc_suf``.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If a file is not there or cannot be read.
    FormatError
        If a file is damaged, or the two do not fit each other.
    """
    prefix_name, suffix_name = (stem + ending for ending in KMC_ENDINGS)
    prefix_data, suffix_data = stored_bytes(prefix_name), stored_bytes(suffix_name)
    for name, data, magic in ((prefix_name, prefix_data, PREFIX_MAGIC), (suffix_name, suffix_data, SUFFIX_MAGIC)):
        if len(data) < 8 or data[:4].tobytes() != magic or data[-4:].tobytes() != magic:
            raise FormatError(f"{name}: expected {magic.decode()} at both ends of the file of a KMC database", _FIX)
    records = part_of(suffix_data, 4, len(suffix_data) - 4)
    return _Reader(prefix_name, suffix_name, prefix_data, records).database()


class _Reader:
    """Checks the header of a database against the sizes of its files."""

    def __init__(self, prefix_name: str, suffix_name: str, prefix_data: Bytes, records: Bytes) -> None:
        self._name, self._suffix_name = prefix_name, suffix_name
        self._data = prefix_data
        self._records = records

    def database(self) -> KmcDatabase:
        """Return the database."""
        version, header_at = self._place()
        form = _HEADER_2 if version else _HEADER_1
        fields = form.unpack(self._data[header_at : header_at + form.size].tobytes())
        k, mode, counter_bytes, n_prefix, *signature, least, most, n, one_strand = fields
        if mode:
            raise FormatError(f"{self._name}: counters are weights of qualities, not counts", "count without -q")
        if version == 0:  # the upper half of the largest count is behind the strands
            most += int.from_bytes(self._data[header_at + 36 : header_at + 40].tobytes(), "little") << 32
        sound = 1 <= k <= K_MAX and counter_bytes <= 8 and 1 <= n_prefix <= min(k, _MOST_PREFIX_BASES)
        if not sound or (k - n_prefix) % 4 or (signature and not 1 <= signature[0] <= _MOST_SIGNATURE_BASES):
            raise self._damaged("the header holds impossible values")
        width = (k - n_prefix) // 4 + counter_bytes
        if n * width != len(self._records):
            raise FormatError(
                f"{self._suffix_name}: expected {n:,} k-mers of {width} bytes, got {len(self._records):,} bytes", _FIX
            )
        ends = self._ends(header_at, n_prefix, signature[0] if signature else None, n)
        return KmcDatabase(k, not one_strand, counter_bytes, n_prefix, least, most, ends, n, self._records)

    def _place(self) -> tuple[int, int]:
        """Version of the layout, and offset of the header."""
        if len(self._data) < 16 + _HEADER_2.size:
            raise self._damaged("it is too short")
        version, n_header = struct.unpack("<II", self._data[-12:-4].tobytes())
        header_at = len(self._data) - 8 - n_header
        if version not in _VERSIONS:
            raise FormatError(f"{self._name}: version {version:#x} of KMC's layout, expected 0 or 0x200", _FIX)
        if n_header < _HEADER_1.size + 4 or header_at < 4:
            raise self._damaged("the header is not in the file")
        return version, header_at

    def _ends(self, header_at: int, n_prefix: int, n_signature: int | None, n: int) -> NDArray[np.int64]:
        """Positions after the suffixes of each prefix, of all bins."""
        n_table = 1 << (2 * n_prefix)
        n_bytes = header_at - 4
        if n_signature is not None:
            n_bytes -= 4 * ((1 << (2 * n_signature)) + 1) + 8  # the map, and the end of the table
        if n_bytes <= 0 or n_bytes % (8 * n_table) or (n_signature is None and n_bytes != 8 * n_table):
            raise self._damaged("the table of prefixes has another size than the header says")
        starts = self._data[4 : 4 + n_bytes].view("<u8")
        if starts[0] or (starts[1:] < starts[:-1]).any() or int(starts[-1]) > n:
            raise self._damaged("the table of prefixes is not in order")
        return np.append(starts[1:].view(np.int64), n)

    def _damaged(self, what: str) -> FormatError:
        return FormatError(f"{self._name}: the KMC database is damaged: {what}", _FIX)
