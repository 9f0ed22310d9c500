"""Open a set of k-mers in any format that is known, and write one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.kmer_sets import kff, kmc, layout
from debruijn_gpu.io.kmer_sets.kff_writing import write_kff
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.kmer_sets.runs import sorted_kmers
from debruijn_gpu.io.kmer_sets.stored_bytes import Bytes, stored_bytes
from debruijn_gpu.io.kmer_sets.text import is_kmer_text, length_of_kmers, text_parts, write_lines_of
from debruijn_gpu.io.kmer_sets.writing import write_parts
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import progress
from debruijn_gpu.run.file_formats import kmc_stem
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.source import SortedKmers

_HEAD_BYTES = 1 << 12
_WRITE_KMERS = 1 << 20


@dataclass(frozen=True)
class OpenedSet:
    """A set, and the format of its file.

    Attributes
    ----------
    kmers : SortedKmers
    file_format : str
        dbgk, kff, kmc, or text
    """

    kmers: SortedKmers
    file_format: str


def open_set(path: str, run: RunOptions, canonical: bool = True, stored: Bytes | None = None) -> OpenedSet:
    """Open a set of k-mers; the format is detected by the content.

    Formats other than ``.dbgk`` are read and sorted at once, in memory or in temporary files.

    Parameters
    ----------
    path : str
        A file, ``-`` for standard input, or the name of a KMC database without ``.kmc_pre``.
    run : RunOptions
    canonical : bool
        Whether k-mers of text are canonical, which it does not say.
    stored : ndarray, dtype=uint8, or StoredBytes, optional
        Bytes of the file, if they are known already.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If it is not there or cannot be read.
    FormatError
        If it is no set of k-mers, or damaged.
    """
    name = display_name(path)
    stem = kmc_stem(path)
    if stem is not None:
        database = kmc.open_kmc(stem)
        return OpenedSet(sorted_kmers(name, database.k, database.canonical, database.parts(), run), "kmc")
    stored = stored_bytes(path) if stored is None else stored
    head = stored[:_HEAD_BYTES].tobytes()
    if head.startswith(layout.MAGIC[:4]):
        return OpenedSet(KmerSetFile(name, stored), "dbgk")
    if head.startswith(kff.MAGIC):
        file = kff.KffFile(name, stored)
        return OpenedSet(sorted_kmers(name, file.k, file.canonical, file.parts(), run), "kff")
    if is_kmer_text(head):
        k = length_of_kmers(name, head)
        return OpenedSet(sorted_kmers(name, k, canonical, text_parts(name, stored, k, canonical), run), "text")
    raise _no_set(name, head)


def _no_set(name: str, head: bytes) -> FormatError:
    if head[:4] in (kmc.PREFIX_MAGIC, kmc.SUFFIX_MAGIC):
        return FormatError(f"{name}: this is a file of a KMC database, under another name", "call it NAME.kmc_pre")
    if head[:1] in (b">", b"@"):
        return FormatError(
            f"{name}: these are sequences, not a set of counted k-mers",
            "count them first: dbg count -k 31 FILE -o FILE.dbgk",
        )
    return FormatError(
        f"{name}: expected a set of k-mers: .dbgk, KFF, a KMC database, or text of k-mers and counts",
        "write one with dbg count -o FILE.dbgk",
    )


def write_kmers(
    stream: BinaryIO,
    file_format: str,
    k: int,
    canonical: bool,
    parts: Iterable[tuple[NDArray[np.uint64], NDArray[np.uint32]]],
) -> None:
    """Write a set in a format of `sets.options.SET_FORMATS`.

    Parameters
    ----------
    stream : BinaryIO
    file_format : str
    k : int
    canonical : bool
    parts : iterable of (codes, counts)
        uint64 (words, n), ascending from part to part, and uint32 (n,).
    """
    if file_format == "dbgk":
        write_parts(stream, k, canonical, parts)
    elif file_format == "kff":
        write_kff(stream, k, canonical, parts)
    else:
        write_lines_of(stream, k, parts, backends.host(), as_fasta=file_format == "fasta")


def write_table(stream: BinaryIO, file_format: str, table: KmerTable) -> None:
    """Write a sorted table of the host in a format of `sets.options.SET_FORMATS`."""

    def parts() -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        for start in range(0, len(table), _WRITE_KMERS):
            progress.update(start, len(table), "k-mers")
            yield table.codes[:, start : start + _WRITE_KMERS], table.counts[start : start + _WRITE_KMERS]

    write_kmers(stream, file_format, table.k, table.canonical, parts())
