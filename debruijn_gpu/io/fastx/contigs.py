"""Contigs as FASTA.

A sequence is one line, as MEGAHIT and BCALM write it: tools that read lines (grep, awk, paste) then see whole
sequences, and the file is no larger than the sequences themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.io.fastx.record_text import format_records
from debruijn_gpu.run import progress

_FLUSH_BYTES = 1 << 20
_BLOCK_RECORDS, _BLOCK_BASES = 1 << 15, 1 << 22  # formatted at once


def write_fasta(stream: BinaryIO, contigs: Contigs, bases_per_kmer: float, prefix: str = "contig") -> None:
    """Write contigs numbered from 1, with length, depths and topology in their headers.

    A header is ``>contig_1 length=5386 kmer_depth=12.76 read_depth=30.12 circular=yes``.

    Parameters
    ----------
    stream : BinaryIO
    contigs : Contigs
    bases_per_kmer : float
        Read bases per counted k-mer (`Assembly.bases_per_kmer`), by which k-mer depth becomes read depth.
    prefix : str
        Name of the contigs, before their number.
    """
    lengths, kmer_depth, circular = contigs.lengths, contigs.kmer_depth, contigs.circular.astype(np.int64)
    read_depth = bases_per_kmer * kmer_depth

    def fields(start: int, stop: int) -> list[Field]:
        return [
            b">%s_" % prefix.encode(),
            NumberField(np.arange(start + 1, stop + 1)),
            b" length=",
            NumberField(lengths[start:stop]),
            b" kmer_depth=",
            NumberField(kmer_depth[start:stop], 2),
            b" read_depth=",
            NumberField(read_depth[start:stop], 2),
            choice_field((b" circular=no\n", b" circular=yes\n"), circular[start:stop]),
            TextField(contigs.text, contigs.offsets[start : stop + 1]),
            b"\n",
        ]

    write_contigs(stream, contigs, fields)


def choice_field(texts: Sequence[bytes], chosen: NDArray[np.int64]) -> TextField:
    """One of some texts in each record."""
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return TextField(np.array(bytearray(b"".join(texts)), np.uint8), offsets, chosen)


def write_contigs(stream: BinaryIO, contigs: Contigs, fields: Callable[[int, int], Sequence[Field]]) -> None:
    """Write a record for each contig, in blocks of a few MB; ``fields`` gives those of contigs start..stop."""
    start, n, total = 0, len(contigs), int(contigs.offsets[-1])
    while start < n:
        within = int(np.searchsorted(contigs.offsets, contigs.offsets[start] + _BLOCK_BASES, "right")) - 1
        stop = min(n, start + _BLOCK_RECORDS, max(within, start + 1))
        stream.write(format_records(fields(start, stop))[1].data)
        progress.update(int(contigs.offsets[stop]), total, "bases")
        start = stop


def write_records(stream: BinaryIO, n: int, fields: Callable[[int, int], Sequence[Field]]) -> None:
    """Write n short records in blocks; ``fields`` gives those of records start..stop."""
    for start in range(0, n, _BLOCK_RECORDS):
        stream.write(format_records(fields(start, min(n, start + _BLOCK_RECORDS)))[1].data)


def as_printed(values: NDArray[np.float64], decimals: int) -> NDArray[np.float64]:
    """Numbers as they are read from what a `NumberField` writes."""
    found = np.empty(len(values), np.float64)
    for start in range(0, len(values), _BLOCK_RECORDS):
        numbers = NumberField(values[start : start + _BLOCK_RECORDS], decimals)
        words = format_records([numbers, b"\n"])[1].tobytes().split()
        found[start : start + _BLOCK_RECORDS] = [float(word) for word in words]
    return found


def write_joined(stream: BinaryIO, pieces: Iterator[bytes]) -> None:
    """Write many small pieces in few large ones."""
    waiting: list[bytes] = []
    n_bytes = 0
    for piece in pieces:
        waiting.append(piece)
        n_bytes += len(piece)
        if n_bytes >= _FLUSH_BYTES:
            stream.write(b"".join(waiting))
            waiting, n_bytes = [], 0
    stream.write(b"".join(waiting))
