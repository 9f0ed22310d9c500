"""Write contigs and counted k-mers as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.io.fastx.record_text import choice_field, format_records, split_records
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import progress
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend


def write_fasta(
    stream: BinaryIO,
    contigs: Contigs,
    bases_per_kmer: float,
    prefix: str = "contig",
    rotated_to: Mapping[int, str] | None = None,
) -> None:
    """Write contigs numbered from 1, with length, depths and topology in their headers.

    A header is ``>contig_1 length=5386 kmer_depth=12.76 read_depth=30.12 circular=true``, and of a contig that was
    rotated to a gene, ``rotated_to=dnaA`` is behind this.

    Parameters
    ----------
    stream : BinaryIO
    contigs : Contigs
    bases_per_kmer : float
        Read bases per counted k-mer (`Assembly.bases_per_kmer`), by which k-mer depth becomes read depth.
    prefix : str
        Name of the contigs, before their number.
    rotated_to : mapping of int to str or None
        Genes that circular contigs start with, by contig.
    """
    write_contigs(stream, contigs, fasta_fields(contigs, bases_per_kmer, prefix.encode(), rotated_to=rotated_to))


def fasta_fields(
    contigs: Contigs,
    bases_per_kmer: float,
    prefix: bytes,
    first_number: int = 1,
    rotated_to: Mapping[int, str] | None = None,
) -> Callable[[int, int], list[Field]]:
    """Return the function that gives the fields of records start..stop; see `write_fasta`.

    Parameters
    ----------
    contigs, bases_per_kmer, prefix, rotated_to
        See `write_fasta`.
    first_number : int
        Number of the first contig.
    """
    lengths, kmer_depth, topology = contigs.lengths, contigs.kmer_depth, contigs.circular.astype(np.int64)
    read_depth = bases_per_kmer * kmer_depth
    ends_of_header = [b" circular=%s\n" % word for word in (b"false", b"true")]
    for contig, gene in (rotated_to or {}).items():
        topology[contig] = len(ends_of_header)
        ends_of_header.append(b" circular=true rotated_to=%s\n" % gene.encode())

    def fields(start: int, stop: int) -> list[Field]:
        return [
            b">%s_" % prefix,
            NumberField(np.arange(first_number + start, first_number + stop)),
            b" length=",
            NumberField(lengths[start:stop]),
            b" kmer_depth=",
            NumberField(kmer_depth[start:stop], 2),
            b" read_depth=",
            NumberField(read_depth[start:stop], 2),
            choice_field(ends_of_header, topology[start:stop]),
            TextField(contigs.text, contigs.offsets[start : stop + 1]),
            b"\n",
        ]

    return fields


def write_contigs(stream: BinaryIO, contigs: Contigs, fields: Callable[[int, int], Sequence[Field]]) -> None:
    """Write a record for each contig; ``fields`` gives those of contigs start..stop."""
    for start, stop in contig_blocks(contigs):
        stream.write(format_records(fields(start, stop))[1].data)


def contig_blocks(contigs: Contigs) -> Iterator[tuple[int, int]]:
    """Split contigs into blocks of a few MB, and report progress after each."""
    total = int(contigs.offsets[-1])
    for start, stop in split_records(contigs.offsets):
        yield start, stop
        progress.update(int(contigs.offsets[stop]), total, "bases")


def as_printed(values: NDArray[np.float64], decimals: int) -> NDArray[np.float64]:
    """Round numbers to the precision of a `NumberField`."""
    found = np.empty(len(values), np.float64)
    for start in range(0, len(values), tuning().block_records):
        numbers = NumberField(values[start : start + tuning().block_records], decimals)
        words = format_records([numbers, b"\n"])[1].tobytes().split()
        found[start : start + tuning().block_records] = [float(word) for word in words]
    return found


def write_kmer_lines(
    stream: BinaryIO, table: KmerTable, backend: HostBackend, digits: Mapping[str, NDArray[np.uint8]] | None = None
) -> None:
    """Write ``kmer<TAB>count`` for each k-mer of a table, in its order.

    Parameters
    ----------
    stream : BinaryIO
    table : KmerTable
    backend : HostBackend
    digits : mapping of str to ndarray of dtype=uint8 and shape=(n,), optional
        Further columns of numbers from 0 to 9.
    """
    columns = list((digits or {}).values())
    for start in range(0, len(table), tuning().kmers_at_once):
        progress.update(start, len(table), "k-mers")
        stop = min(start + tuning().kmers_at_once, len(table))
        lines = backend.kmers.kmer_lines(table.codes, table.counts, table.k, start, stop)
        stream.write(_with_digits(lines, [column[start:stop] for column in columns]).data if columns else lines.data)


def _with_digits(lines: NDArray[np.uint8], columns: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Append a tab and a digit per column to each line."""
    cells = np.full((len(columns[0]), len(columns), 2), ord("\t"), np.uint8)
    cells[:, :, 1] = np.stack(columns, axis=1) + ord("0")
    ends = np.flatnonzero(lines == ord("\n"))
    return np.insert(lines, np.repeat(ends, 2 * len(columns)), cells.ravel())


def write_kmer_arrays(
    stream: BinaryIO, table: KmerTable, columns: Mapping[str, NDArray[np.uint8]] | None = None
) -> None:
    """Write the fields of a `KmerTable` (codes, counts, k, canonical), and further columns, as NumPy's npz."""
    further: dict[str, Any] = dict(columns or {})
    np.savez(
        stream,
        **further,
        codes=np.asfortranarray(table.codes),  # one layout, whatever the backend and the memory
        counts=table.counts,
        k=np.int64(table.k),
        canonical=np.bool_(table.canonical),
    )
