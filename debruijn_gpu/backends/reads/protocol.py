"""Protocol of the family `reads`: parse, pack and store reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.backends.core.array_types import Array

if TYPE_CHECKING:
    from debruijn_gpu.run.options import RunOptions


#: Bases that consecutive batches share where a record is split: enough for every k
REPEATED_BASES = K_MAX - 1


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
    """

    bases: Array
    offsets: Array
    ambiguous_positions: Array
    n_repeated: int = 0

    @property
    def n_reads(self) -> int:
        """Number of reads that begin in this batch."""
        return len(self.offsets) - 1 - bool(self.n_repeated)

    @property
    def n_bases(self) -> int:
        """Number of bases in this batch, repeated ones included."""
        return int(self.offsets[-1])

    @property
    def n_new_bases(self) -> int:
        """Number of bases that no batch before had."""
        return self.n_bases - self.n_repeated

    def first_new_kmer(self, k: int) -> int:
        """Position of the first k-mer that is not in the batch before."""
        return max(0, self.n_repeated - (k - 1))

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
    """

    bases: Array
    offsets: Array
    ambiguous_positions: Array
    names: NDArray[np.uint64]
    starts: NDArray[np.int64]
    n_consumed: int
    n_lines: int
    fault: Fault | None

    @property
    def n_reads(self) -> int:
        return len(self.names)


class ReadStore(Protocol):
    """Batches of reads in input order, for repeated iteration.

    They are stored in memory of the backend up to its budget, then in memory of the host, then in a scratch file.
    """

    def __iter__(self) -> Iterator[ReadBatch]: ...

    def close(self) -> None:
        """Free memory and scratch space."""


class ReadOperations(Protocol):
    """Parse, pack and store reads."""

    @property
    def block_bytes(self) -> int: ...

    @property
    def leaves_cpus_free(self) -> bool: ...

    def parse_reads(self, text: NDArray[np.uint8], fastq: bool, final: bool) -> ParsedReads:
        """Parse the complete records of a FASTA or FASTQ text.

        The text begins at a record, or at empty lines before it. Without `final` the file continues after the text: a
        record that the text may truncate is left for the next call, which has to begin with it. Lines end with LF or CR
        LF; the last one need not end. U is T; the letters of `alphabet.AMBIGUOUS`, in either case, break a read; blanks
        within lines of FASTA do not count.

        Source: P. Cock et al., The Sanger FASTQ file format, Nucleic Acids Res. 38 (2010) 1767.
        """

    def read_store(self, batches: Iterable[ReadBatch], run: RunOptions) -> ReadStore:
        """Store all batches for repeated iteration."""
