"""Write coloured unitigs: FASTA with links, GFA, and the unitig by sample matrix."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.colors.unitigs import ColoredUnitigs, sample_counts
from debruijn_gpu.io.fastx.bcalm import write_bcalm
from debruijn_gpu.io.fastx.record_text import choice_field, format_records
from debruijn_gpu.io.gfa.contigs import write_gfa
from debruijn_gpu.io.kmer_sets.text import write_lines_of
from debruijn_gpu.run import progress
from debruijn_gpu.run.plain_text import one_line

_MOST_CELLS = 1 << 22  # of a block of the matrix
_DECIMALS = 3


def write_colored_fasta(stream: BinaryIO, unitigs: ColoredUnitigs) -> None:
    """Write unitigs, numbered from 1, with a field ``C:COLOR:KMERS`` for each run of one colour set, as GGCAT does."""

    def tags(start: int, stop: int) -> Field:
        return _runs(unitigs, start, stop, [b" C:"], b":")

    write_bcalm(stream, unitigs.contigs, first=1, tags=tags)


def write_colored_gfa(stream: BinaryIO, unitigs: ColoredUnitigs) -> None:
    """Write unitigs as segments 1..n with the tag ``CS:Z:COLOR:KMERS,COLOR:KMERS`` of their runs."""

    def tags(start: int, stop: int) -> Field:
        return _runs(unitigs, start, stop, [b",", b"\tCS:Z:"], b":")

    write_gfa(stream, unitigs.contigs, circular_overlap_bp=unitigs.contigs.k - 1, tags=tags)


def _runs(unitigs: ColoredUnitigs, start: int, stop: int, before: list[bytes], between: bytes) -> TextField:
    """Runs of unitigs start..stop: colour set and k-mers, behind the last text of ``before`` where a unitig begins."""
    bounds = unitigs.run_ptr[start : stop + 1] - unitigs.run_ptr[start]
    runs = slice(unitigs.run_ptr[start], unitigs.run_ptr[stop])
    is_first: NDArray[np.int64] = np.zeros(int(bounds[-1]), np.int64)
    is_first[bounds[:-1]] = len(before) - 1
    fields: list[Field] = [
        choice_field(before, is_first),
        NumberField(unitigs.run_colors[runs].astype(np.int64)),
        between,
        NumberField(unitigs.run_lengths[runs]),
    ]
    offsets, text = format_records(fields)
    return TextField(text, offsets[bounds])


def write_unitig_matrix(stream: BinaryIO, unitigs: ColoredUnitigs, index: ColorIndex, as_counts: bool) -> None:
    """Write a row for each unitig: number, bases, k-mers, and of each sample the share or number of these k-mers."""
    contigs = unitigs.contigs
    header = ("unitig", "length", "kmers", *index.names)
    stream.write(("\t".join(map(one_line, header)) + "\n").encode(errors="backslashreplace"))
    lengths = contigs.lengths
    for first, counts in sample_counts(unitigs, index, _MOST_CELLS):
        last = first + len(counts)
        n_kmers = contigs.n_kmers[first:last]
        fields: list[Field] = [
            NumberField(np.arange(first + 1, last + 1)),
            b"\t",
            NumberField(lengths[first:last]),
            b"\t",
            NumberField(n_kmers),
        ]
        for column in counts.T:
            value = NumberField(column.copy()) if as_counts else NumberField(column / n_kmers, _DECIMALS)
            fields += [b"\t", value]
        stream.write(format_records([*fields, b"\n"])[1].data)
        progress.update(last, len(unitigs), "unitigs")


def write_colored_kmers(stream: BinaryIO, index: ColorIndex) -> None:
    """Write k-mers as lines, each with the number of samples that hold it."""
    sizes = np.concatenate(([0], index.color_sets.sizes)).astype(np.uint32)
    parts = ((codes, sizes[marks]) for codes, marks in index.parts())
    write_lines_of(stream, index.k, parts, backends.host())


def write_color_sets(stream: BinaryIO, index: ColorIndex, n_kmers: NDArray[np.int64]) -> None:
    r"""Write a row for each colour set: number, k-mers, samples, and their names, with commas (in names: ``\x2c``)."""
    names = [one_line(name).replace(",", "\\x2c").encode(errors="backslashreplace") for name in index.names]
    stream.write(b"color\tkmers\tsamples\tnames\n")
    for i, n in enumerate(n_kmers.tolist()):
        members = index.color_sets.members(i)
        listed = b",".join(names[sample] for sample in members.tolist())
        stream.write(b"%d\t%d\t%d\t%b\n" % (i, n, len(members), listed))


def write_samples(stream: BinaryIO, index: ColorIndex) -> None:
    """Write a row for each sample: name and number of distinct k-mers."""
    stream.write(b"sample\tkmers\n")
    for name, n in zip(index.names, index.n_kmers_of_sample.tolist(), strict=True):
        stream.write(one_line(name).encode(errors="backslashreplace") + b"\t%d\n" % n)
