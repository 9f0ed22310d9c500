"""Reads of all input files, in batches; mates are checked against each other on the way."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.pinned import BLOCKS_OF_FILES
from debruijn_gpu.backends.reads.protocol import TURNS, Mates, ReadBatch, ReadOperations
from debruijn_gpu.errors import FormatError, UsageError
from debruijn_gpu.io.fastx.formats import warn_of_exchanged, warn_of_turns
from debruijn_gpu.io.fastx.records import TextReads, read_records
from debruijn_gpu.io.opening import STANDARD_INPUT, Block, check_readable, display_name
from debruijn_gpu.run import progress
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import allowed_cpus, memory_left, threads_within

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ReadBackend
    from debruijn_gpu.reads.options import ReadInputs

#: Share of the CPUs for inflation where those that count reads are the others: inflation by many threads takes about as
#: much time of theirs as counting.
_SHARE_OF_BUSY_CPUS = 0.25

#: Of the memory budget, for the text of one record of FASTQ, which is in memory up to three times
_RECORD_SHARE = 0.125
_RECORD_BLOCKS = 4  # at least

#: Of the memory budget, for threads that read; each has blocks under way, or inflates: 40 MB, measured of rapidgzip
_THREADS_SHARE = 0.25
_THREAD_BYTES = 40 << 20

#: The text of a file that is open
Blocks: TypeAlias = Generator[Block, None, None]

#: Reads of some text, and the pairs that they belong to
Text: TypeAlias = tuple[TextReads, Mates | None]

_SAME_ORDER = "give the two files of one run, both complete and in the order in which they were made"


def check_inputs(inputs: ReadInputs) -> None:
    """Raise if a file is missing, unreadable or empty, before any work is done; reads nothing.

    Raises
    ------
    InputNotFoundError, FileAccessError, FormatError
        For the first such file.
    UsageError
        If one file is given as both mates.
    """
    for path in inputs.paths:
        check_readable(path)
    for first, second in zip(inputs.first, inputs.second, strict=True):
        if STANDARD_INPUT not in (first, second) and os.path.samefile(first, second):
            raise UsageError(f"{first} is given as both mates", "name the file of the other mates")


def expected_bases(inputs: ReadInputs) -> int:
    """Estimate the number of bases of files from their sizes; a pipe counts 0."""
    return sum(os.path.getsize(path) for path in inputs.paths if os.path.isfile(path))


def _block_bytes(n_bytes: int, reads: ReadOperations) -> int:
    """Choose the size of the blocks of files of so many bytes."""
    return max(reads.block_bytes, min(n_bytes // BLOCKS_OF_FILES, reads.large_block_bytes()))


@dataclass(frozen=True)
class _Way:
    """Settings of reading: the backend that parses, bytes per block, decompression threads, bytes of one record.

    ``whole``: whether records of FASTA are never split. ``opened``: the text of files that are open already.
    """

    backend: ReadBackend
    block_bytes: int
    threads: int
    record_bytes: int
    whole: bool = False
    opened: dict[str, Blocks] = field(default_factory=dict)

    def records(self, path: str, n_files: int = 1) -> Generator[TextReads, None, None]:
        """The records of one of several files that are read at the same time."""
        threads = max(1, self.threads // n_files)
        blocks = self.opened.pop(path, None)
        return read_records(
            path, self.backend, self.block_bytes, threads, self.record_bytes, self.whole, blocks, n_files
        )


def read_batches(
    inputs: ReadInputs,
    backend: ReadBackend,
    block_bytes: int = 0,
    threads: int = 0,
    memory: str = RunOptions.memory,
    opened: Mapping[str, Blocks] | None = None,
) -> Iterator[ReadBatch]:
    """Read all files in the order of ``inputs.paths``; of a pair of files, alternately.

    Parameters
    ----------
    inputs : ReadInputs
    backend : Backend
        Parses the text.
    block_bytes : int
        Text to parse at once; a batch holds the reads within it. A record of FASTA that is longer is split, a record
        of FASTQ is a batch of its own. 0 for what the backend wants.
    threads : int
        Threads that the command may use; 0 for all CPUs that are allowed.
    memory : str
        Memory budget of the command, which bounds the length of a record of FASTQ.
    opened : mapping of str to generator of Block, optional
        The text of files that are open already, each for one reading.

    Returns
    -------
    iterator of ReadBatch
        None of them without reads. Close it, or let go of it, to stop early.

    Raises
    ------
    DbgError
        As `check_inputs`, at once; FormatError while reading.
    """
    return _batches(read_texts(inputs, backend, block_bytes, threads, memory, whole=False, opened=opened))


def read_texts(
    inputs: ReadInputs,
    backend: ReadBackend,
    block_bytes: int = 0,
    threads: int = 0,
    memory: str = RunOptions.memory,
    whole: bool = True,
    opened: Mapping[str, Blocks] | None = None,
) -> Generator[Text, None, None]:
    """Read all files like `read_batches`, with the text that has the names; ``whole``: no record is split."""
    check_inputs(inputs)
    share = 1 if backend.reads.leaves_cpus_free else _SHARE_OF_BUSY_CPUS
    block_bytes = block_bytes or _block_bytes(expected_bases(inputs), backend.reads)
    left = memory_left(memory)
    record_bytes = max(int(_RECORD_SHARE * left), _RECORD_BLOCKS * block_bytes)
    n_threads = threads_within(int(share * (threads or allowed_cpus())), _THREAD_BYTES, int(_THREADS_SHARE * left))
    way = _Way(backend, block_bytes, n_threads, record_bytes, whole, dict(opened or {}))
    return _read_all(inputs, way)


def _batches(texts: Generator[Text, None, None]) -> Iterator[ReadBatch]:
    """Yield the reads of texts."""
    with closing(texts):
        for reads, mates in texts:
            yield batch_of(reads, mates)


def _read_all(inputs: ReadInputs, way: _Way) -> Generator[Text, None, None]:
    progress.current().expect_bytes(expected_bases(inputs))
    for path in inputs.single:
        for reads in way.records(path):
            yield reads, None
    for number, (first, second) in enumerate(zip(inputs.first, inputs.second, strict=True)):
        yield from _read_pair(first, second, number, way)
    for number, path in enumerate(inputs.interleaved, len(inputs.first)):
        yield from _read_interleaved(path, number, way)


def batch_of(reads: TextReads, mates: Mates | None = None) -> ReadBatch:
    """Return the reads of a text as a batch."""
    parsed = reads.parsed
    return ReadBatch(parsed.bases, parsed.offsets, parsed.ambiguous_positions, reads.n_repeated, mates)


class _Mates:
    """One file of a pair while it is read."""

    def __init__(self, path: str, mate: int, records: Iterator[TextReads]) -> None:
        self.path = path
        self.mate = mate  # 0 or 1
        self.records = records
        self.n_reads = 0
        self.ended = False
        self.unmatched = np.empty(0, np.uint64)  # hashes of names that the other file has not come to

    def read(self) -> TextReads | None:
        reads = next(self.records, None)
        if reads is None:
            self.ended = True
        else:
            if not self.n_reads:
                warn_of_exchanged(self.path, reads.header(0), self.mate)
            self.n_reads += reads.n_reads
            self.unmatched = np.concatenate([self.unmatched, reads.names])
        return reads


def _read_pair(first: str, second: str, number: int, way: _Way) -> Iterator[Text]:
    """Read the two files of a paired input in turn, next the one that has given fewer reads."""
    with (
        closing(way.records(first, 2)) as records_1,
        closing(way.records(second, 2)) as records_2,
    ):
        mates = (_Mates(first, 0, records_1), _Mates(second, 1, records_2))
        while not (mates[0].ended and mates[1].ended):
            behind, ahead = mates if mates[0].n_reads <= mates[1].n_reads else mates[::-1]
            if behind.ended and behind.n_reads == ahead.n_reads:
                behind, ahead = ahead, behind
            reads = None if behind.ended else behind.read()
            if behind.ended and behind.n_reads < ahead.n_reads:
                raise FormatError(
                    f"{display_name(behind.path)} ends after {behind.n_reads:,} records, "
                    f"but {display_name(ahead.path)} continues",
                    _SAME_ORDER,
                )
            odd = _match(*mates)
            if odd is not None:
                raise _mismatch(first, second, odd, way)
            if reads is not None:
                yield reads, Mates(number, behind.mate, behind.n_reads - reads.n_reads)


def _match(mates_1: _Mates, mates_2: _Mates) -> int | None:
    """Compare the names that both files have come to; index of the first record whose names differ."""
    n_common = min(len(mates_1.unmatched), len(mates_2.unmatched))
    i = _first_difference(mates_1.unmatched[:n_common], mates_2.unmatched[:n_common])
    if i is not None:
        return mates_1.n_reads - len(mates_1.unmatched) + i
    for mates in (mates_1, mates_2):
        mates.unmatched = mates.unmatched[n_common:]
    return None


def _first_difference(names_1: NDArray[np.uint64], names_2: NDArray[np.uint64]) -> int | None:
    """Index of the first couple whose names differ; an empty name (hash 0) goes with any."""
    differ = (names_1 != names_2) & (names_1 != 0) & (names_2 != 0)
    return int(differ.argmax()) if differ.any() else None


def _mismatch(first: str, second: str, record: int, way: _Way) -> FormatError:
    names = [_find_name(path, record, way) for path in (first, second)]
    where = f"{display_name(first)} and {display_name(second)}: record {record + 1:,}"
    return FormatError(f"{where}: the names of the mates differ{_quoted(*names)}", _SAME_ORDER)


def _quoted(name_1: str | None, name_2: str | None) -> str:
    return "" if name_1 is None or name_2 is None else f": {shorten(name_1)} and {shorten(name_2)}"


def _find_name(path: str, record: int, way: _Way) -> str | None:
    """Read a file once more up to a record; None where that is not possible."""
    if not os.path.isfile(path):
        return None
    n_before = 0
    with closing(way.records(path)) as records:
        for reads in records:
            if record < n_before + reads.n_reads:
                return reads.name(record - n_before)
            n_before += reads.n_reads
    return None


def _read_interleaved(path: str, number: int, way: _Way) -> Iterator[Text]:
    """Read a paired input of one file in which first and second mates take turns."""
    n_before = 0
    last = np.empty(0, np.uint64)  # the name of a first mate whose second one is in the next batch
    last_name = ""
    with closing(way.records(path)) as records:
        for reads in records:
            names = np.concatenate([last, reads.names])
            n_carried, n_paired = len(last), len(names) // 2 * 2
            if not n_before:
                warn_of_turns(path, reads.header(0))
            i = _first_difference(names[0:n_paired:2], names[1:n_paired:2])
            if i is not None:
                second = 2 * i + 1 - n_carried
                couple = (reads.name(second - 1) if second else last_name, reads.name(second))
                raise FormatError(
                    f"{display_name(path)}: records {n_before + second:,} and {n_before + second + 1:,}: "
                    f"the names of the mates differ{_quoted(*couple)}",
                    "give a file in which first and second mates take turns, or name it with -s",
                )
            last = names[n_paired:]
            last_name = reads.name(reads.n_reads - 1) if reads.n_reads else last_name
            n_before += reads.n_reads
            yield reads, Mates(number, TURNS, n_before - reads.n_reads)
    if len(last):
        raise FormatError(
            f"{display_name(path)}: {n_before:,} records, an odd number, cannot be pairs",
            "give a file of whole pairs, or name it with -s",
        )
