"""Files of scaffolds: sequences (``.fasta``), layout for NCBI (``.agp``), table (``.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.scaffolds import Scaffolds
from debruijn_gpu.io.fastx.record_text import format_records, split_records
from debruijn_gpu.io.fastx.writing import fasta_fields
from debruijn_gpu.run import progress

COLUMNS = ("scaffold", "part", "contig", "strand", "start", "end", "gap", "estimated_gap", "pairs")

#: Columns 7 to 9 of a gap in AGP 2.1: between contigs of one scaffold, linked by pairs of reads
_EVIDENCE = b"scaffold\tyes\tpaired-ends"
_SIGNS = (b"+", b"-")


def write_scaffold_fasta(
    stream: BinaryIO,
    scaffolds: Scaffolds,
    contigs: Contigs,
    bases_per_kmer: float,
    rotated_to: Mapping[int, str] | None = None,
) -> None:
    """Write scaffolds as `write_fasta` writes contigs, with gaps as N.

    Parameters
    ----------
    stream : BinaryIO
    scaffolds : Scaffolds
    contigs : Contigs
        Those of the steps; depths of a scaffold are over the k-mers of all of its contigs.
    bases_per_kmer : float
        See `write_fasta`.
    rotated_to : mapping of int to str or None
        Genes that circular contigs start with, by contig. Each of them is a scaffold of its own.
    """
    firsts = (scaffolds.steps[scaffolds.offsets[:-1]] >> 1).tolist() if rotated_to else []
    names = {i: rotated_to[contig] for i, contig in enumerate(firsts) if rotated_to and contig in rotated_to}
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(scaffolds.lengths(contigs))))
    for start, stop in split_records(offsets):
        some = scaffolds.spelled(start, stop, contigs)
        fields = fasta_fields(some, bases_per_kmer, b"scaffold", start + 1, _within(names, start, stop))
        stream.write(format_records(fields(0, stop - start))[1].data)
        progress.update(int(offsets[stop]), int(offsets[-1]), "bases")


def _within(names: Mapping[int, str], start: int, stop: int) -> dict[int, str]:
    """Names of start..stop, numbered from start on."""
    return {i - start: name for i, name in names.items() if start <= i < stop}


@dataclass(frozen=True)
class _Part:
    """A contig of a scaffold: numbers from 1 on, first and last position from 1 on, and the gap behind it if any."""

    scaffold: int
    number: int
    contig: int
    sign: bytes
    start: int
    end: int
    has_gap: bool
    written_gap: int
    gap: int
    n_pairs: int


def write_agp(stream: BinaryIO, scaffolds: Scaffolds, contigs: Contigs) -> None:
    """Write the layout of scaffolds as AGP 2.1: contigs (W) and gaps of estimated length (N).

    Source of the format: https://www.ncbi.nlm.nih.gov/genbank/genome_agp_specification/
    """
    stream.write(b"##agp-version 2.1\n")
    for part in _parts(scaffolds, contigs):
        length = part.end - part.start + 1
        row = 2 * part.number - 1  # contigs and gaps alternate
        stream.write(
            b"scaffold_%d\t%d\t%d\t%d\tW\tcontig_%d\t1\t%d\t%s\n"
            % (part.scaffold, part.start, part.end, row, part.contig, length, part.sign)
        )
        if part.has_gap:
            stream.write(
                b"scaffold_%d\t%d\t%d\t%d\tN\t%d\t%s\n"
                % (part.scaffold, part.end + 1, part.end + part.written_gap, row + 1, part.written_gap, _EVIDENCE)
            )


def write_scaffold_table(stream: BinaryIO, scaffolds: Scaffolds, contigs: Contigs) -> None:
    """Write a row for each contig of each scaffold, below a header, with the gap behind it."""
    stream.write("\t".join(COLUMNS).encode() + b"\n")
    for part in _parts(scaffolds, contigs):
        behind = b"%d\t%d\t%d" % (part.written_gap, part.gap, part.n_pairs) if part.has_gap else b"-\t-\t-"
        stream.write(
            b"scaffold_%d\t%d\tcontig_%d\t%s\t%d\t%d\t%s\n"
            % (part.scaffold, part.number, part.contig, part.sign, part.start, part.end, behind)
        )


def _parts(scaffolds: Scaffolds, contigs: Contigs) -> Iterator[_Part]:
    """Yield the contigs of all scaffolds in order."""
    sizes = np.diff(scaffolds.offsets)
    starts = scaffolds.starts(contigs) + 1
    columns = (
        np.repeat(np.arange(len(scaffolds)), sizes) + 1,
        np.arange(len(scaffolds.steps)) - np.repeat(scaffolds.offsets[:-1], sizes) + 1,
        (scaffolds.steps >> 1) + 1,
        scaffolds.steps & 1,
        starts,
        starts + contigs.lengths[scaffolds.steps >> 1] - 1,
        scaffolds.is_gap,
        scaffolds.written_gaps,
        scaffolds.gaps,
        scaffolds.n_pairs,
    )
    for scaffold, number, contig, strand, *rest in zip(*(column.tolist() for column in columns), strict=True):
        yield _Part(scaffold, number, contig, _SIGNS[strand], *rest)
