"""A program that inflates a gzip file with several threads, in a process of its own, and proves what it wrote.

``python gzip_process.py DESCRIPTOR THREADS DIRECTORY`` writes the text of the open file DESCRIPTOR to standard
output; rapidgzip, and isal if it is there, are found in DIRECTORY. It ends with `PROVED` only if the trailers of all
members, which hold length and CRC-32 of each, give length and CRC-32 of all that was written; otherwise what was
written counts for nothing. This is not left to rapidgzip: it takes some files that are cut off, or that go on with
rubbish, for whole ones.

A process of its own, because rapidgzip's threads abort the process when the interpreter ends before they do, and print
to standard error. It imports nothing of this package, so that it starts in some 20 ms.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PROVED = 86  # not 0, with which any other program may end, where Python is embedded and `sys.executable` is not Python

CHUNK_BYTES = 1 << 20  # of compressed data at once for each thread: with more, memory and time rise
_WRITE_BYTES = 1 << 20
_SCAN_BYTES = 1 << 20

_MAGIC = b"\x1f\x8b\x08"
_HEADER_BYTES = 10
_TRAILER_BYTES = 8
_RESERVED_FLAGS = 0xE0
_LEVELS = (0, 2, 4)  # what writers put into XFL
_SYSTEMS = (*range(14), 255)

_POLYNOMIAL = 0xEDB88320  # of CRC-32, bits reversed: the highest is x^0
_ONE = 1 << 31


@dataclass(frozen=True)
class Member:
    """A member of a gzip file, by its trailer: where it ends, CRC-32 of its text, and the text's length modulo 2^32."""

    n_compressed: int
    crc: int
    length: int


def find_members(descriptor: int) -> list[Member]:
    """Find the likely members of a file; a false header within compressed data occurs about once in 100 GB."""
    size = os.fstat(descriptor).st_size
    starts = [0, *(start for start in _headers(descriptor, size) if start), size]
    members = []
    for start, end in zip(starts, starts[1:]):  # noqa: B905, RUF007 - Python 3.10
        trailer = os.pread(descriptor, _TRAILER_BYTES, max(0, end - _TRAILER_BYTES))
        members.append(
            Member(end - start, int.from_bytes(trailer[:4], "little"), int.from_bytes(trailer[4:], "little"))
        )
    return members


def _headers(descriptor: int, size: int) -> Iterator[int]:
    """Positions of all that looks like the header of a member."""
    for start in range(0, size, _SCAN_BYTES):
        data = os.pread(descriptor, _SCAN_BYTES + _HEADER_BYTES - 1, start)
        at = data.find(_MAGIC)
        while 0 <= at < _SCAN_BYTES:
            header = data[at : at + _HEADER_BYTES]
            if len(header) == _HEADER_BYTES and _is_plausible(header):
                yield start + at
            at = data.find(_MAGIC, at + 1)


def _is_plausible(header: bytes) -> bool:
    return not header[3] & _RESERVED_FLAGS and header[8] in _LEVELS and header[9] in _SYSTEMS


def is_proved(members: list[Member], crc: int, n_bytes: int) -> bool:
    """Whether a text of this length and CRC-32 is that of all members, one after another."""
    missing = n_bytes - sum(member.length for member in members)
    if missing % (1 << 32):
        return False
    expected = 0
    n_compressed = sum(member.n_compressed for member in members)
    for member in members:
        # The trailer stores the length modulo 2^32. The multiple is estimated from the compression ratio of the rest;
        # if the estimate is wrong, so is the CRC.
        guess = member.n_compressed * n_bytes / n_compressed
        length = member.length + (round((guess - member.length) / (1 << 32)) << 32 if missing else 0)
        expected = combined_crc(expected, member.crc, max(length, member.length))
    return expected == crc


def combined_crc(first: int, second: int, n_second: int) -> int:
    """CRC-32 of two texts after one another from the CRC-32 of each and the length of the second.

    Appending n bytes multiplies the CRC of what is before, as a polynomial over GF(2), by x^(8 n).
    """
    return _product(_shift(n_second), first) ^ second if first else second


_shifts: dict[int, int] = {}  # most members of a file are equally long


def _shift(n_bytes: int) -> int:
    """x^(8 n) modulo the polynomial of CRC-32."""
    if n_bytes not in _shifts:
        power, result, rest = _ONE >> 8, _ONE, n_bytes
        while rest:
            if rest & 1:
                result = _product(power, result)
            power = _product(power, power)
            rest >>= 1
        _shifts[n_bytes] = result
    return _shifts[n_bytes]


def _product(first: int, second: int) -> int:
    """Product of two polynomials over GF(2) modulo that of CRC-32."""
    product, bit = 0, _ONE
    while first:
        if first & bit:
            product ^= second
            first ^= bit
        second = second >> 1 ^ (_POLYNOMIAL if second & 1 else 0)
        bit >>= 1
    return product


def fast_crc32() -> Callable[[memoryview, int], int]:
    """isal's CRC-32, which takes no time, or else zlib's."""
    try:
        from isal.isal_zlib import crc32
    except ImportError:
        return zlib.crc32
    return crc32


def _write_text(descriptor: int, n_threads: int) -> tuple[int, int]:
    """Write the text of a file to standard output; its CRC-32 and length."""
    import rapidgzip

    crc32 = fast_crc32()
    room = memoryview(bytearray(_WRITE_BYTES))
    crc = n_bytes = 0
    file = rapidgzip.RapidgzipFile(descriptor, parallelization=n_threads, chunk_size=CHUNK_BYTES)
    while n_new := file.readinto(room):
        text = room[:n_new]
        crc = crc32(text, crc)
        n_bytes += n_new
        while text:
            text = text[os.write(1, text) :]
        # rapidgzip reads elsewhere: the position that both processes share tells the other how far this is.
        os.lseek(descriptor, file.tell_compressed() // 8, os.SEEK_SET)
    return crc, n_bytes


def main() -> None:
    """Run the program; never returns, and leaves without a word to rapidgzip's threads."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this ends it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    descriptor, n_threads = int(sys.argv[1]), int(sys.argv[2])
    sys.path.append(sys.argv[3])
    members: list[Member] = []
    scan = threading.Thread(target=lambda: members.extend(find_members(descriptor)), daemon=True)
    try:
        scan.start()
        crc, n_bytes = _write_text(descriptor, n_threads)
        scan.join()
        os._exit(PROVED if is_proved(members, crc, n_bytes) else 1)
    except BaseException:
        os._exit(1)


if __name__ == "__main__":
    main()
