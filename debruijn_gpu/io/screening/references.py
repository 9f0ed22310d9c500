"""Read the references of a screen: FASTA, FASTQ, one sequence per line, sets of k-mers, or saved indexes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.io.fastx.reads import batch_of, read_texts
from debruijn_gpu.io.fastx.records import TextReads
from debruijn_gpu.io.kmer_sets import kff, layout as dbgk
from debruijn_gpu.io.kmer_sets.files import open_set
from debruijn_gpu.io.kmer_sets.stored_bytes import Blocks, StoredBytes, bytes_of_blocks, first_bytes, stored_bytes
from debruijn_gpu.io.opening import STANDARD_INPUT, Block, display_name, read_blocks
from debruijn_gpu.io.screening.index_files import is_index, read_index
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import ending_of
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.screening.kmers import sequences_of_kmers
from debruijn_gpu.screening.options import DEFAULT_K, ScreenOptions
from debruijn_gpu.screening.sequences import ReferencePart, ReferenceSequences, concatenate_parts, merge_sequences

_SETS = (dbgk.MAGIC, kff.MAGIC)
_HEAD_BYTES = 1 << 6
_STANDARD_NAME = "stdin"


def read_references(paths: Sequence[str], options: ScreenOptions, run: RunOptions) -> ReferenceSequences:
    """Read the sequences of all references, each with at least one k-mer.

    A file is a reference that is called like it, without directory and extension; with `ScreenOptions.per_record`,
    each of its records is one. A set of k-mers is one reference. An index holds references with names of their own.

    Raises
    ------
    FormatError
        If two references have one name, or none has a k-mer.
    ParameterError
        If an index or a set has another k than asked for, or than another one, or records are asked for where there is
        nothing else.
    """
    streams = dict[str, Blocks]()
    saved = {path: indexed for path in paths if (indexed := _read_indexed(path, run, streams)) is not None}
    if options.per_record and len(saved) == len(set(paths)):
        raise ParameterError(
            f"--per-record has no effect on an index or a set of k-mers: {_listed(paths)}",
            "give it when the index is made (--save-index)",
        )
    k = _common_k({path: found.k for path, found in saved.items()}, options.k)
    with log.stage("read references", unit="references") as stage:
        found = [
            saved[path] if path in saved else _read_file(path, k, options.per_record, run, streams) for path in paths
        ]
        sequences = merge_sequences(found)
        stage.items = len(sequences.names)
    _check_names(sequences.names)
    if not len(sequences.stops):
        raise FormatError(
            f"{_listed(paths)}: no {k}-mer without ambiguous bases", "give longer sequences, or a smaller k (-k)"
        )
    n_empty = len(sequences.names) - len(np.unique(sequences.owners))
    if n_empty:
        log.logger.warning("%s references have no %d-mer, and match nothing", f"{n_empty:,}", k)
    return sequences


def _read_indexed(path: str, run: RunOptions, streams: dict[str, Blocks]) -> ReferenceSequences | None:
    """Read a saved index or a set of k-mers; None if a file is neither: then a stream, which is open, is noted."""
    if os.path.isfile(path):
        head = first_bytes(path, _HEAD_BYTES)
        if not is_index(head) and not head.startswith(_SETS):
            return None
        stored = stored_bytes(path)
    else:
        host = backends.host()
        blocks = read_blocks(path, host.reads.block_bytes, allocate=host.host_buffer)
        first = next(blocks)
        head = first.buffer[first.start : min(first.end, first.start + _HEAD_BYTES)].tobytes()
        opened = _continued(first, blocks)
        if not is_index(head) and not head.startswith(_SETS):
            streams[path] = opened
            return None
        stored = bytes_of_blocks(opened, display_name(path))
    if is_index(head):
        name, allowed = display_name(path), memory_left(run.memory)
        return read_index(name, allowed, None if isinstance(stored, StoredBytes) else stored)
    kmers = open_set(path, run, stored=stored).kmers
    table = KmerTable(kmers.k, *kmers.read(0, 1 << (2 * kmers.k)), canonical=kmers.canonical)
    kmers.close()
    return sequences_of_kmers(name_of_file(path), table)


def _continued(first: Block, blocks: Blocks) -> Blocks:
    """Yield the blocks of a file whose first one was looked at."""
    with closing(blocks):
        yield first
        yield from blocks


def _common_k(of_indexes: dict[str, int], asked_for: int | None) -> int:
    """Choose k: that of all indexes and sets of k-mers, or the one that was asked for."""
    k = asked_for or next(iter(of_indexes.values()), DEFAULT_K)
    for path, own in of_indexes.items():
        if own != k:
            other = f"-k is {k}" if asked_for else f"another one is of k = {k}"
            raise ParameterError(f"{path}: of k = {own}, but {other}", "give indexes and sets of one k")
    return k


def _listed(paths: Sequence[str]) -> str:
    return display_name(paths[0]) + (f" and {len(paths) - 1:,} more" if len(paths) > 1 else "")


def _check_names(names: Sequence[str]) -> None:
    """Raise an error for the first name that occurs twice."""
    known = set[str]()
    for name in names:
        if name in known:
            raise FormatError(f"two references are called {shorten(name)}", "rename a file or record")
        known.add(name)


def _read_file(path: str, k: int, per_record: bool, run: RunOptions, streams: dict[str, Blocks]) -> ReferenceSequences:
    """Read the references of one file; long records come in several parts, which overlap."""
    names = list[str]()
    parts = list[ReferencePart]()
    inputs, opened = ReadInputs(single=(path,)), {path: streams.pop(path)} if path in streams else None
    texts = read_texts(inputs, backends.host(), threads=run.threads, memory=run.memory, whole=False, opened=opened)
    with closing(texts):
        for reads, _mates in texts:
            owners = np.zeros(reads.parsed.n_reads, np.int64)
            if per_record:
                names += _names_of(path, len(names), reads)
                owners = np.arange(len(names) - reads.parsed.n_reads, len(names))
            parts.append(ReferencePart(batch_of(reads), owners))
    return concatenate_parts(names if per_record else [name_of_file(path)], parts, k)


def _names_of(path: str, n_before: int, reads: TextReads) -> Iterator[str]:
    """Yield the names of the records that begin in a text."""
    for i in range(reads.n_reads):
        name = reads.name(i)
        if not name:
            what = f"{display_name(path)}: record {n_before + i + 1:,}: expected a name, got an empty one"
            raise FormatError(what, "name all records, or leave --per-record out")
        yield name


def name_of_file(path: str) -> str:
    """Return the name of a file without directory, and without extensions of compression and format."""
    if path == STANDARD_INPUT:
        return _STANDARD_NAME
    name = os.path.basename(path)
    return name[: len(name) - len(ending_of(name))] or name
