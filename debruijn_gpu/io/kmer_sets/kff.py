"""Read KFF 1.0, the k-mer file format: sections of values, of raw sequences, and of minimizers.

All numbers are big-endian; a sequence is packed two bits a base, right-aligned in whole bytes, with the codes that the
header gives to A, C, G and T. (Dufresne et al. 2022; https://github.com/Kmer-File-Format/kff-reference)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.kmer_sets.packed_bytes import (
    canonical_codes,
    codes_of_bases,
    codes_of_bytes,
    counts_of_bytes,
)
from debruijn_gpu.io.kmer_sets.stored_bytes import Bytes, Window

MAGIC = b"KFF"
VERSION = (1, 0)
_AT_ONCE, _BYTES_AT_ONCE = 1 << 16, 1 << 22
_MOST_VALUE = 1 << 32  # of max, and of nothing larger that is sound
_MOST_NAME_BYTES = 256
_FIX = "copy the file again, or write it again with the program that made it"
_UNCHANGED = np.arange(4, dtype=np.uint8)


@dataclass(frozen=True)
class _Blocks:
    """Equal blocks of a section: ``n`` k-mers each, the minimizer at ``place`` (-1: none)."""

    n: int
    place: int


@dataclass(frozen=True)
class _Places:
    """Places of the sequences of some adjacent blocks, by their size and minimizer, all between two bytes."""

    start: int
    stop: int
    of_blocks: dict[_Blocks, list[int]]


class KffFile:
    """A KFF file.

    Parameters
    ----------
    name : str
        For messages.
    data : ndarray, dtype=uint8, or StoredBytes
        The file.

    Attributes
    ----------
    canonical : bool
        Whether of a k-mer and its reverse complement only one is in the file.
    k : int

    Raises
    ------
    FormatError
        If it is damaged, or has k-mers of several lengths.
    """

    def __init__(self, name: str, data: Bytes) -> None:
        self._name = name
        self._data, self._window = data, Window(data)
        self._values: dict[str, int] = {}
        header = data[:12].tobytes()
        if len(data) < 15 or header[:3] != MAGIC:
            raise self._damaged("it is too short, or does not begin with KFF")
        if tuple(header[3:5]) != VERSION:
            raise FormatError(f"{name}: KFF version {header[3]}.{header[4]}, expected 1.0", "convert it to KFF 1.0")
        if data[-3:].tobytes() != MAGIC:
            raise self._damaged("it is truncated: KFF is missing at its end")
        codes = [header[5] >> shift & 3 for shift in (6, 4, 2, 0)]
        if sorted(codes) != [0, 1, 2, 3]:
            raise self._damaged("two bases have one code")
        self._our_codes = np.argsort(codes).astype(np.uint8)
        self.canonical = bool(header[7])
        self._end = len(data) - 3
        self._first = 12 + int.from_bytes(header[8:12], "big")
        self.k = self._find_k()

    def parts(self) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        """Read codes (words, n) and counts (n,); counts are 1 where the file has no data."""
        for kind, at in self._sections():
            if kind == b"r":
                yield from self._raw(at)
            elif kind == b"m":
                yield from self._of_minimizer(at)

    def _find_k(self) -> int:
        """Read all sections of values, and check that k-mers have one length."""
        found = {self._value("k", at) for kind, at in self._sections() if kind in (b"r", b"m")}
        if len(found) > 1:
            raise FormatError(f"{self._name}: k-mers of several lengths: {sorted(found)}", "split the file by k")
        k = found.pop() if found else self._values.get("k", 1)
        if not 1 <= k <= K_MAX:
            raise self._damaged(f"k is {k}, expected 1 to {K_MAX}")
        return k

    def _sections(self) -> Iterator[tuple[bytes, int]]:
        """Yield the type of each section with sequences, and where it begins; the values before it are set."""
        at = self._first
        self._values = {}
        while at < self._end:
            kind = self._bytes(at, 1)
            if kind == b"v":
                at = self._read_values(at + 1)
            elif kind == b"i":
                at += 1 + 8 + 9 * self._number(at + 1, 8) + 8
            elif kind in (b"r", b"m"):
                yield kind, at
                at = self._end_of(kind, at)
            else:
                raise self._damaged(f"there is no section of type {kind!r} (byte {at:,})")
        if at != self._end:
            raise self._damaged("the last section ends beyond the file")

    def _read_values(self, at: int) -> int:
        n_values = self._number(at, 8)
        at += 8
        for _ in range(min(n_values, self._end)):
            name = self._bytes(at, min(_MOST_NAME_BYTES, self._end - at)).split(b"\0")[0]
            at += len(name) + 1
            self._values[name.decode("latin-1")] = self._number(at, 8)
            at += 8
        return at

    def _value(self, name: str, at: int) -> int:
        value = self._values.get(name)
        if value is None:
            raise self._damaged(f"the section at byte {at:,} needs a value of {name}")
        return value

    def _widths(self, at: int, n_missing: int) -> tuple[int, int, int, int]:
        """k, largest number of k-mers of a block, its bytes, and bytes of data of a k-mer."""
        k, most, n_data = (self._value(name, at) for name in ("k", "max", "data_size"))
        if not n_missing <= k <= K_MAX or k < 1 or not 1 <= most <= _MOST_VALUE or n_data > 8:
            raise self._damaged(f"impossible values before byte {at:,}: k {k}, max {most}, data_size {n_data}")
        return k, most, _n_bytes(most), n_data

    def _end_of(self, kind: bytes, at: int) -> int:
        """Return where a section ends."""
        n_minimizer = self._value("m", at) if kind == b"m" else 0
        k, most, n_width, n_data = self._widths(at, n_minimizer)
        n_blocks = self._number(at + 1 + -(-n_minimizer // 4), 8)
        at += 1 + -(-n_minimizer // 4) + 8
        n_place = _n_bytes(k + most - 1) if n_minimizer else 0
        if n_width == 0:
            return at + n_blocks * (n_place + -(-(k - n_minimizer) // 4) + n_data)
        if n_blocks > self._end - at:
            raise self._damaged(f"{n_blocks:,} blocks do not fit into the file")
        for _ in range(n_blocks):
            n = self._number(at, n_width)
            at += n_width + n_place + -(-(n + k - 1 - n_minimizer) // 4) + n * n_data
            if not 1 <= n <= most or at > self._end:
                raise self._damaged(f"a block ends at byte {at:,} with {n:,} k-mers, of at most {most:,}")
        return at

    def _raw(self, at: int) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        k, most, n_width, n_data = self._widths(at, 0)
        n_blocks = self._number(at + 1, 8)
        first = at + 9
        if most > 1:
            places = self._places(first, n_blocks, n_width, 0, k - 1, n_data)
            yield from self._kmers_of(places, k, n_data, np.empty(0, np.uint8))
            return
        n_packed = -(-k // 4)
        width = n_packed + n_data
        for start in range(0, n_blocks, _AT_ONCE):
            stop = min(start + _AT_ONCE, n_blocks)
            some = self._data[first + start * width : first + stop * width].reshape(-1, width)
            if np.array_equal(self._our_codes, _UNCHANGED):
                codes = codes_of_bytes(some[:, :n_packed], k)
            else:
                codes = codes_of_bases(self._bases(some[:, :n_packed], k))
            yield self._kept(codes, counts_of_bytes(some[:, n_packed:], big_endian=True), k)

    def _of_minimizer(self, at: int) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        n_minimizer = self._value("m", at)
        k, most, n_width, n_data = self._widths(at, n_minimizer)
        n_packed = -(-n_minimizer // 4)
        minimizer = self._bases(self._data[at + 1 : at + 1 + n_packed].reshape(1, -1), n_minimizer)[0]
        n_blocks = self._number(at + 1 + n_packed, 8)
        n_place = _n_bytes(k + most - 1)
        places = self._places(at + 9 + n_packed, n_blocks, n_width, n_place, k - 1 - n_minimizer, n_data)
        yield from self._kmers_of(places, k, n_data, minimizer)

    def _places(
        self, at: int, n_blocks: int, n_width: int, n_place: int, n_more: int, n_data: int
    ) -> Iterator[_Places]:
        """Yield where sequences begin, by the size of their blocks and the place of the minimizer, some at once."""
        start = at
        found: dict[_Blocks, list[int]] = defaultdict(list)
        for i in range(n_blocks):
            n = self._number(at, n_width) if n_width else 1
            place = self._number(at + n_width, n_place) if n_place else -1
            if place > n + n_more:
                raise self._damaged(f"the minimizer is behind the sequence of a block (byte {at:,})")
            at += n_width + n_place
            found[_Blocks(n, place)].append(at)
            at += -(-(n + n_more) // 4) + n * n_data
            if i % _AT_ONCE == _AT_ONCE - 1 or at - start >= _BYTES_AT_ONCE:
                yield _Places(start, at, found)
                start, found = at, defaultdict(list)
        yield _Places(start, at, found)

    def _kmers_of(
        self, places: Iterable[_Places], k: int, n_data: int, minimizer: NDArray[np.uint8]
    ) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        for found in places:
            content = self._data[found.start : found.stop]
            for blocks, starts in found.of_blocks.items():
                n_bases = blocks.n + k - 1 - len(minimizer)
                n_packed = -(-n_bases // 4)
                columns = np.arange(n_packed + blocks.n * n_data)
                n_at_once = max(1, (_AT_ONCE << 4) // (blocks.n * k))
                for first in range(0, len(starts), n_at_once):
                    rows = content[np.array(starts[first : first + n_at_once])[:, None] - found.start + columns]
                    bases = self._bases(rows[:, :n_packed], n_bases)
                    if len(minimizer):
                        inside = np.broadcast_to(minimizer, (len(bases), len(minimizer)))
                        bases = np.concatenate([bases[:, : blocks.place], inside, bases[:, blocks.place :]], axis=1)
                    windows = np.lib.stride_tricks.sliding_window_view(bases, k, axis=1).reshape(-1, k)
                    data = rows[:, n_packed:].reshape(-1, n_data) if n_data else np.empty((len(windows), 0), np.uint8)
                    yield self._kept(codes_of_bases(windows), counts_of_bytes(data, big_endian=True), k)

    def _kept(
        self, codes: NDArray[np.uint64], counts: NDArray[np.uint32], k: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Return the k-mers with a count above 0, the smaller of both strands if only one of them is in the file."""
        if not counts.all():
            codes, counts = codes[:, counts > 0], counts[counts > 0]
        return (canonical_codes(codes, k) if self.canonical and counts.size else codes), counts

    def _bases(self, packed: NDArray[np.uint8], n_bases: int) -> NDArray[np.uint8]:
        """Return our codes (n, n_bases) of right-aligned packed sequences (n, bytes)."""
        found = np.empty((*packed.shape, 4), np.uint8)
        for i in range(4):
            found[:, :, i] = packed >> np.uint8(6 - 2 * i) & np.uint8(3)
        whole = self._our_codes[found.reshape(len(packed), 4 * packed.shape[1])]
        return whole[:, whole.shape[1] - n_bases :]

    def _number(self, at: int, n_bytes: int) -> int:
        return int.from_bytes(self._bytes(at, n_bytes), "big")

    def _bytes(self, at: int, n_bytes: int) -> bytes:
        if at + n_bytes > self._end:
            raise self._damaged(f"a section ends beyond the file (byte {at:,})")
        return self._window.load(at, at + n_bytes)

    def _damaged(self, what: str) -> FormatError:
        return FormatError(f"{self._name}: the KFF file is damaged: {what}", _FIX)


def _n_bytes(most: int) -> int:
    """Bytes of a number, of at most ``most`` values; 0 for one value."""
    return -(-(most - 1).bit_length() // 8)
