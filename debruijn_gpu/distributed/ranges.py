"""Cut files of reads into the ranges that tasks read: between records, or within one record of FASTA.

Plain files and gzip files of many small members (BGZF) are cut, and only the places where they are cut are looked at.
The text of other files of gzip and zstd is cut where there are fewer files than threads; any other file is one task.
"""

from __future__ import annotations

import io
import math
import os
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import IO

from debruijn_gpu.distributed.reading import FileRange, ReadSource, WholeFile, members
from debruijn_gpu.distributed.text_ranges import TextRange
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.compression.inflating import MAGIC_BYTES, GzipText, MemberText, compression_of, damages
from debruijn_gpu.io.fastx.record_blocks import BLANKS
from debruijn_gpu.io.fastx.record_starts import repeated_letters, start_of_record
from debruijn_gpu.io.opening import check_readable
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.tuning import tuning

_MOST_RANGES = 2000  # of all files together
_INFLATED_FAST = ("gz", "zst")
_MOST_TEXT_RANGES = 8  # each inflates what is before it, too
_SEEN_BYTES = 1 << 16  # of a file at a place where it may be cut
_MOST_SEEN_BYTES = 4 << 20  # records of FASTQ are that long at most, where they are cut
_GZIP_MAGIC = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]", re.DOTALL)
_MEMBER_BYTES = 1 << 20  # of compressed data, of a member at which a file is cut
_MOST_TRIED = 8  # members behind a target


@dataclass(frozen=True)
class _Cut:
    """Where a file is cut; see `FileRange`."""

    at: int
    skipped: int = 0
    repeated: bytes = b""


def sources_of(inputs: ReadInputs, n_ranges: int = _MOST_RANGES, n_threads: int = 1) -> dict[str, list[ReadSource]]:
    """Cut the files of reads into parts for tasks, each in its order; workers get absolute paths.

    Parameters
    ----------
    inputs : ReadInputs
    n_ranges : int
        Parts of all files together, about, unless they were too small.
    n_threads : int
        That read.

    Raises
    ------
    InputNotFoundError, FileAccessError, FormatError
        If a file is missing, unreadable or empty.
    """
    for path in inputs.paths:
        check_readable(path)
    n_bytes = sum(os.path.getsize(path) for path in inputs.paths)
    range_bytes = max(tuning().range_bytes, math.ceil(n_bytes / n_ranges))
    found: dict[str, list[ReadSource]] = {}
    for path in inputs.paths:
        if path in inputs.interleaved:
            found[path] = [WholeFile(os.path.abspath(path), True, os.path.getsize(path))]
        else:
            size = os.path.getsize(path)
            n_parts = min(_MOST_TEXT_RANGES, math.ceil(n_threads * size / n_bytes), size // tuning().range_bytes)
            found[path] = _cut_file(os.path.abspath(path), range_bytes, n_parts)
    return found


def _cut_file(path: str, range_bytes: int, n_text_ranges: int) -> list[ReadSource]:
    """Cut a file into ranges of about so many bytes, or its text into so many."""
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        compression = compression_of(stream.read(MAGIC_BYTES))
        cuts = [_Cut(0)]
        for target in range(range_bytes, size - range_bytes // 2, range_bytes):
            cut = None
            if target > cuts[-1].at and compression in (None, "gz"):
                cut = _plain_cut(stream, target) if compression is None else _gzip_cut(stream, target)
            if cut is not None and cut.at > cuts[-1].at:
                cuts.append(cut)
    if len(cuts) == 1:
        return _cut_text(path, size, compression, n_text_ranges)
    cuts.append(_Cut(size))
    return [
        FileRange(path, cut.at, after.at, cut.skipped, after.skipped, cut.repeated, compression == "gz")
        for cut, after in pairwise(cuts)
    ]


def _cut_text(path: str, size: int, compression: str | None, n_ranges: int) -> list[ReadSource]:
    """Cut the text of a file into ranges of about the same size, if all of it is as dense as its beginning."""
    if compression not in _INFLATED_FAST or n_ranges < 2:
        return [WholeFile(path, False, size)]
    with open(path, "rb") as stream:
        head = stream.read(_MEMBER_BYTES)
    text_bytes = max(1, size * _text_of(head, compression) // len(head) // n_ranges)
    return [TextRange(path, i, n_ranges, text_bytes, size // n_ranges) for i in range(n_ranges)]


def _text_of(head: bytes, compression: str) -> int:
    """Bytes of text that the beginning of a compressed file gives."""
    stream = io.BytesIO(head)
    text = GzipText(stream) if compression == "gz" else MemberText(stream, compression)
    room, n_text = memoryview(bytearray(_SEEN_BYTES)), 0
    with suppress(*damages()):
        while n_new := text.readinto1(room):
            n_text += n_new
    return n_text


def _plain_cut(stream: IO[bytes], target: int) -> _Cut | None:
    """Cut a plain file behind a target; None: no place is seen."""
    mark = _first_byte(stream)
    if mark == b"@":
        return _fastq_cut(stream, target)
    text = _read(stream, target, _SEEN_BYTES)
    if mark != b">":  # one sequence per line
        at = text.find(b"\n") + 1
        return _Cut(target + at) if at and text[at : at + 1].strip(BLANKS) else None
    at = text.find(b"\n>")
    return _Cut(target + at + 1) if at >= 0 else _cut_within(stream, target, text)


def _first_byte(stream: IO[bytes]) -> bytes:
    """The first byte of a file that is not blank."""
    return _read(stream, 0, _SEEN_BYTES).lstrip(BLANKS)[:1]


def _read(stream: IO[bytes], start: int, n_bytes: int) -> bytes:
    stream.seek(start)
    return stream.read(n_bytes)


def _fastq_cut(stream: IO[bytes], target: int) -> _Cut | None:
    n_bytes = _SEEN_BYTES
    while n_bytes <= _MOST_SEEN_BYTES:
        at = start_of_record(_read(stream, target, n_bytes))
        if at is not None:
            return _Cut(target + at)
        n_bytes *= 4
    return None


def _cut_within(stream: IO[bytes], target: int, text: bytes) -> _Cut | None:
    """Cut within a record of FASTA: behind a line, or where a line is longer than what is seen of it."""
    at = target + text.find(b"\n") + 1
    start = max(0, at - _SEEN_BYTES)
    before = _read(stream, start, at - start)
    if start and not before.startswith(b">"):
        line, _end, rest = before.partition(b"\n")
        if line.translate(None, _LETTERS):  # the rest of a header, or no sequence
            before = b"\n" + rest
    letters = repeated_letters(before)
    is_line_end = before[-1:] == b"\n"
    follows = _read(stream, at, 1)
    if letters is None or (not is_line_end and (before[-1:] in b"\r \t" or follows in b"\r\n \t")):
        return None
    return _Cut(at, 0, letters)


_LETTERS = b"ACGTUNacgtun\r \t"


def _gzip_cut(stream: IO[bytes], target: int) -> _Cut | None:
    """Cut a gzip file at a member behind a target, and in its text where a record begins."""
    data = _read(stream, target, _MEMBER_BYTES)
    is_fastq, n_tried = _text_mark(stream) == b"@", 0
    for found in _GZIP_MAGIC.finditer(data[: 2 * _SEEN_BYTES]):
        n_text = _text_of_member(data[found.start() :])
        if n_text:
            at = target + found.start()
            skipped = _record_in_members(stream, at, n_text, is_fastq)
            if skipped is not None:
                return _Cut(at, skipped)
            n_tried += 1
        if n_tried == _MOST_TRIED:
            break
    return None


def _text_of_member(data: bytes) -> int:
    """Bytes of text of a gzip member that data begin with; 0 if they do not, or it does not end in them.

    That it is a member is proved by the range before, which has to end there.
    """
    inflater, n_text = zlib.decompressobj(31), 0
    try:
        while data and not inflater.eof:
            n_text += len(inflater.decompress(data, _SEEN_BYTES))
            data = inflater.unconsumed_tail
    except zlib.error:
        return 0
    return n_text if inflater.eof else 0


def _record_in_members(stream: IO[bytes], start: int, n_text: int, is_fastq: bool) -> int | None:
    """Bytes of text before the first record that begins in a member of ``n_text`` bytes; None: none is seen."""
    text, wanted = b"", n_text + _SEEN_BYTES
    stream.seek(start)
    size = os.fstat(stream.fileno()).st_size
    try:
        for more in members(stream, start, size, 0, stream.name):
            text += more
            if len(text) >= wanted:
                break
    except FormatError:
        return None
    at = start_of_record(text) if is_fastq else text.find(b"\n>") + 1
    return at if at and at < n_text else None


def _text_mark(stream: IO[bytes]) -> bytes:
    """The first byte of the text of a gzip file that is not blank."""
    stream.seek(0)
    for text in members(stream, 0, os.fstat(stream.fileno()).st_size, 0, stream.name):
        if text.strip(BLANKS):
            return text.lstrip(BLANKS)[:1]
    return b""
