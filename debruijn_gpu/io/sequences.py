"""Contigs as FASTA.

A sequence is one line, as MEGAHIT and BCALM write it: tools that read lines (grep, awk, paste) then see whole
sequences, and the file is no larger than the sequences themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO

from debruijn_gpu import progress
from debruijn_gpu.contigs.contigs import Contigs

_FLUSH_BYTES = 1 << 20


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
    kmer_depths = contigs.kmer_depth
    columns = zip(
        contigs.lengths.tolist(),
        kmer_depths.tolist(),
        (bases_per_kmer * kmer_depths).tolist(),
        contigs.circular.tolist(),
        sequences(contigs),
        strict=True,
    )
    records = (
        b">%s_%d length=%d kmer_depth=%.2f read_depth=%.2f circular=%s\n%s\n"
        % (prefix.encode(), number, length, kmer_depth, read_depth, b"yes" if circular else b"no", sequence)
        for number, (length, kmer_depth, read_depth, circular, sequence) in enumerate(columns, 1)
    )
    write_joined(stream, records)


def sequences(contigs: Contigs) -> Iterator[bytes]:
    """The sequences in order; quicker than asking for each, as there may be millions of 31 bases."""
    text = contigs.text.data
    reported, total = 0, len(text)
    for start, end in pairwise(contigs.offsets.tolist()):
        yield text[start:end].tobytes()
        if end - reported >= _FLUSH_BYTES:
            reported = end
            progress.update(end, total, "bases")


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
