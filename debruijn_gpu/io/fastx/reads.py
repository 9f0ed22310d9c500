"""Reads of all input files, in batches; mates are checked against each other on the way."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from debruijn_gpu.backends.core.pinned import BLOCKS_OF_FILES
from debruijn_gpu.backends.reads.protocol import Mates, ReadBatch, ReadOperations
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.fastx.paired import read_interleaved, read_pair
from debruijn_gpu.io.fastx.records import TextReads, read_records
from debruijn_gpu.io.opening import STANDARD_INPUT, Block, begin_reading, check_readable
from debruijn_gpu.run import progress
from debruijn_gpu.run.options import RunOptions
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


def check_distinct(*samples: ReadInputs) -> None:
    """Raise as `check_inputs` for each sample, and if a file is given twice in any role: its reads would count twice.

    Pipes and standard input are not compared.

    Raises
    ------
    UsageError
        For the first file that is given again.
    """
    paths: dict[tuple[int, int], str] = {}
    for inputs in samples:
        check_inputs(inputs)
        for path in inputs.paths:
            if path == STANDARD_INPUT or not os.path.isfile(path):
                continue
            found = os.stat(path)
            identity = found.st_dev, found.st_ino
            if identity in paths:
                other = paths[identity]
                what = f"{path} is given twice" if path == other else f"{other} and {path} are the same file"
                raise UsageError(what, "give each file of reads once, for its reads would count twice")
            paths[identity] = path


def expected_bases(inputs: ReadInputs) -> int:
    """Estimate the number of bases of files from their sizes; a pipe counts 0."""
    return sum(os.path.getsize(path) for path in inputs.paths if os.path.isfile(path))


def _block_bytes(n_bytes: int, reads: ReadOperations) -> int:
    """Choose the size of the blocks of files of so many bytes."""
    return max(reads.block_bytes, min(n_bytes // BLOCKS_OF_FILES, reads.large_block_bytes()))


@dataclass(frozen=True)
class Way:
    """Settings of reading: the backend that parses, bytes per block, decompression threads, bytes of one record.

    ``whole``: whether records of FASTA are never split. ``opened``: the text of files that are open already.
    """

    backend: ReadBackend
    block_bytes: int
    threads: int
    record_bytes: int
    whole: bool = False
    opened: dict[str, Blocks] = field(default_factory=dict)

    def begin(self, path: str, n_files: int) -> Blocks:
        """Begin to read one of several files, whose text serves `records`."""
        threads = max(1, self.threads // n_files)
        if path not in self.opened:
            allocate = self.backend.host_buffer
            self.opened[path] = begin_reading(path, self.block_bytes, allocate=allocate, threads=threads)
        return self.opened[path]

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
    way = Way(backend, block_bytes, n_threads, record_bytes, whole, dict(opened or {}))
    return _read_all(inputs, way)


def _batches(texts: Generator[Text, None, None]) -> Iterator[ReadBatch]:
    """Yield the reads of texts."""
    with closing(texts):
        for reads, mates in texts:
            yield batch_of(reads, mates)


def _read_all(inputs: ReadInputs, way: Way) -> Generator[Text, None, None]:
    progress.current().expect_bytes(expected_bases(inputs))
    for path in inputs.single:
        for reads in way.records(path):
            yield reads, None
    for number, (first, second) in enumerate(zip(inputs.first, inputs.second, strict=True)):
        yield from read_pair(first, second, number, way)
    for number, path in enumerate(inputs.interleaved, len(inputs.first)):
        yield from read_interleaved(path, number, way)


def batch_of(reads: TextReads, mates: Mates | None = None) -> ReadBatch:
    """Return the reads of a text as a batch."""
    parsed = reads.parsed
    return ReadBatch(parsed.bases, parsed.offsets, parsed.ambiguous_positions, reads.n_repeated, mates)
