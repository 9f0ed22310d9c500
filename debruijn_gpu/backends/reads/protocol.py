"""Protocol of the family `reads`: parse, pack, hash, trim, copy and store reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.backends.core.array_types import Array

if TYPE_CHECKING:
    from debruijn_gpu.run.options import RunOptions


#: Bases that consecutive batches share where a record is split: enough for every k
REPEATED_BASES = K_MAX - 1


#: `Mates.mate` of a batch in which first and second mates take turns
TURNS = 2


@dataclass(frozen=True)
class Mates:
    """Pairs that the reads of a batch belong to.

    Attributes
    ----------
    number : int
        Of the paired input, files of first and second mates before interleaved ones.
    mate : int
        0 for first mates, 1 for second mates, `TURNS` for both in turn.
    first : int
        Index in its file of the first read that begins in the batch.
    """

    number: int
    mate: int
    first: int

    def pairs(self, n_reads: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Compute the pair of each read that begins in a batch, and its mate: 0 or 1."""
        index = np.arange(self.first, self.first + n_reads)
        if self.mate == TURNS:
            return index >> 1, index & 1
        return index, np.full(n_reads, self.mate)


@dataclass(frozen=True)
class ReadBatch:
    """A batch of reads in input order, with packed bases.

    Attributes
    ----------
    bases : array of a backend, dtype=uint64, shape=(ceil(n_bases / 32),)
        Two-bit codes (A 0, C 1, G 2, T 3), 32 a word, the first base in the most significant bits; reads follow each
        other without a gap. An ambiguous base is stored as A and named in ``ambiguous_positions``. Unused low bits are
        0.
    offsets : array of a backend, dtype=int64, shape=(n_reads + 1,)
        Read i holds the bases ``offsets[i]:offsets[i + 1]``; ``offsets[0]`` is 0.
    ambiguous_positions : array of a backend, dtype=int64, shape=(n_ambiguous,)
        Positions of bases that are not A, C, G or T, ascending.
    n_repeated : int
        Above 0, the first read continues the last read of the batch before, and its first `n_repeated` bases are the
        last ones of that batch: a record longer than a block comes in several batches. At most `REPEATED_BASES`.
    mates : Mates or None
        None where reads have no mates.
    """

    bases: Array
    offsets: Array
    ambiguous_positions: Array
    n_repeated: int = 0
    mates: Mates | None = None

    @property
    def n_rows(self) -> int:
        """Number of reads that are in this batch, whole or in part."""
        return len(self.offsets) - 1

    @property
    def n_reads(self) -> int:
        """Number of reads that begin in this batch."""
        return self.n_rows - bool(self.n_repeated)

    @cached_property
    def n_bases(self) -> int:
        """Number of bases in this batch, repeated ones included; asked of a device once."""
        return int(self.offsets[-1])

    @property
    def n_new_bases(self) -> int:
        """Number of bases that no batch before had."""
        return self.n_bases - self.n_repeated

    def first_new_kmer(self, k: int) -> int:
        """Position of the first k-mer that is not in the batch before."""
        return max(0, self.n_repeated - (k - 1))

    def is_whole(self, lengths: NDArray[np.int64], longest_bp: int) -> NDArray[np.bool_]:
        """Tell which reads of these lengths are in this batch alone: not longer than others, and not begun before."""
        whole = lengths <= longest_bp
        whole[: int(self.n_repeated > 0)] = False
        return whole

    @property
    def nbytes(self) -> int:
        return int(self.bases.nbytes + self.offsets.nbytes + self.ambiguous_positions.nbytes)

    def moved(self, move: Callable[[Array], Array]) -> ReadBatch:
        """Transfer the arrays by `CoreOperations.to_host` or `CoreOperations.to_device`."""
        return replace(
            self, bases=move(self.bases), offsets=move(self.offsets), ambiguous_positions=move(self.ambiguous_positions)
        )


class FaultKind(IntEnum):
    """Kind of a fault in a record."""

    TRUNCATED = 1  # the file ends within it
    NO_HEADER = 2  # it does not begin with > or @
    ALIEN_BYTE = 3  # something in the sequence is no nucleotide letter
    NO_PLUS = 4  # a line after a line of sequence is neither sequence nor +
    BAD_QUALITY = 5  # something in the qualities is not printable
    LENGTHS = 6  # quality and sequence lengths differ


@dataclass(frozen=True)
class Fault:
    """Fault in the record after the last complete one.

    Attributes
    ----------
    position : int
        Where in the text; of a truncated record, where it begins.
    line : int
        The line with the fault, counted within the text from 0; of a truncated record, its first line.
    n_bases, n_qualities : int
        What was counted, if the kind is LENGTHS.
    """

    kind: FaultKind
    position: int
    line: int
    n_bases: int
    n_qualities: int


@dataclass(frozen=True)
class ParsedReads:
    """Complete records of a text.

    Attributes
    ----------
    bases, offsets, ambiguous_positions : array of the backend
        As in `ReadBatch`.
    names : ndarray, dtype=uint64, shape=(n_reads,)
        Hash of each name: the header up to its first blank, less a final 1 or 2 after ``/``, ``.`` or ``_``,
        so that mates agree. 0 for an empty name, and for no other.
    starts : ndarray, dtype=int64, shape=(n_reads,)
        Position in the text of each record's first byte.
    n_consumed : int
        Bytes of the text that whole records, and empty lines after them, take.
    n_lines : int
        Lines within them.
    fault : Fault or None
        Fault of the record at ``n_consumed``.
    empty_line, other_name_line : int or None
        Of FASTQ, the first empty line before a record, and the first ``+`` line that names another record than the
        header; counted within the text from 0.
    n_empty_lines : int
        Of FASTQ, empty lines behind the last record.
    """

    bases: Array
    offsets: Array
    ambiguous_positions: Array
    names: NDArray[np.uint64]
    starts: NDArray[np.int64]
    n_consumed: int
    n_lines: int
    fault: Fault | None
    empty_line: int | None = None
    other_name_line: int | None = None
    n_empty_lines: int = 0

    @property
    def n_reads(self) -> int:
        return len(self.names)


class ReadStore(Protocol):
    """Batches of reads in input order, for repeated iteration.

    They are stored in memory of the backend up to its budget, then in memory of the host, then in a scratch file.
    """

    def __iter__(self) -> Iterator[ReadBatch]: ...

    def drained(self) -> Iterator[ReadBatch]:
        """Yield each batch for the last time: the store forgets it before the next one."""

    def close(self) -> None:
        """Free memory and scratch space."""


class ReadOperations(Protocol):
    """Parse, pack, hash, trim, copy and store reads."""

    @property
    def block_bytes(self) -> int: ...

    def large_block_bytes(self) -> int:
        """Return the largest size of a block of large files; 0 if no block is larger than ``block_bytes``."""

    @property
    def leaves_cpus_free(self) -> bool: ...

    def parse_reads(self, text: NDArray[np.uint8], fastq: bool, final: bool) -> ParsedReads:
        """Parse the complete records of a FASTA or FASTQ text.

        The text begins at a record, or at empty lines before it. Without `final` the file continues after the text: a
        record that the text may truncate is left for the next call, which has to begin with it. Lines end with LF or CR
        LF; the last one need not end. Sequences and qualities of FASTQ may be wrapped; the name behind ``+`` does not
        matter, nor do empty lines between records. U is T; the letters of `alphabet.AMBIGUOUS`, in either case, break a
        read; blanks within lines of FASTA do not count.

        Source: P. Cock et al., The Sanger FASTQ file format, Nucleic Acids Res. 38 (2010) 1767.
        """

    def hash_reads(self, batch: ReadBatch) -> NDArray[np.uint64]:
        """Hash the content of each read of a batch: its length, bases and ambiguous positions.

        Returns an array of the host, shape (rows of `offsets`,); that of a read in several batches is of its part.
        """

    def take_reads(self, batch: ReadBatch, rows: NDArray[np.int64], lengths: NDArray[np.int64]) -> ReadBatch:
        """Copy some reads of a batch, each up to a length.

        Parameters
        ----------
        batch : ReadBatch
        rows : ndarray, dtype=int64, shape=(n,)
            Rows of `offsets`, ascending; with `n_repeated`, row 0 is the first.
        lengths : ndarray, dtype=int64, shape=(n,)
            Bases to keep of each, at most its length; of a read in several batches, all.

        Returns
        -------
        ReadBatch
            With `n_repeated` and `mates` of the batch.
        """

    def short_inserts(
        self, first: ReadBatch, first_rows: NDArray[np.int64], second: ReadBatch, second_rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Compute the inserts of pairs that are shorter than their reads; see `trim_scalars.short_insert`.

        Row i of both batches is a pair. Returns an array of the host; 0 for any other pair.

        Source: S. Chen et al., fastp, Bioinformatics 34 (2018) i884.
        """

    def adapter_starts(self, batch: ReadBatch, adapter: int, n_adapter: int, least: int) -> NDArray[np.int64]:
        """Compute the bases of each row before an adapter; see `trim_scalars.length_without_adapter`."""

    def trailing_runs(self, batch: ReadBatch) -> NDArray[np.int64]:
        """Compute the run of one base that each row ends with: four times its length plus the base's code."""

    def words_at(self, batch: ReadBatch, positions: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Gather the 32 bases from each position of a batch on; beyond its end, A."""

    def read_store(self, batches: Iterable[ReadBatch], run: RunOptions) -> ReadStore:
        """Store all batches for repeated iteration."""
