"""What a backend does: each operation once, with shapes, dtypes and source. `cpu` implements it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class FaultKind(IntEnum):
    """What is wrong with a record."""

    TRUNCATED = 1  # the file ends within it
    NO_HEADER = 2  # it does not begin with > or @
    ALIEN_BYTE = 3  # something in the sequence is no nucleotide letter
    NO_PLUS = 4  # a line after a line of sequence is neither sequence nor +
    BAD_QUALITY = 5  # something in the qualities is not printable
    LENGTHS = 6  # as many qualities as bases are not there


@dataclass(frozen=True)
class Fault:
    """The record after the last whole one is not sound.

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
    """The whole records of a text; ``bases``, ``offsets`` and ``breaks`` as in `ReadBatch`.

    Attributes
    ----------
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
        Why the record at ``n_consumed`` cannot be one.
    """

    bases: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    breaks: NDArray[np.int64]
    names: NDArray[np.uint64]
    starts: NDArray[np.int64]
    n_consumed: int
    n_lines: int
    fault: Fault | None

    @property
    def n_reads(self) -> int:
        return len(self.names)


class Backend(Protocol):
    """A module with these names."""

    def parse_reads(self, text: NDArray[np.uint8], fastq: bool, final: bool) -> ParsedReads:
        """Parse the whole records of a FASTA or FASTQ text that begins at a record, or empty lines before it.

        Without `final` the file goes on after the text: a record that the text may cut short is left for the
        next call, which has to begin with it. Lines end with LF or CR LF; the last one need not end. U is T;
        the letters of `alphabet.AMBIGUOUS`, in either case, break a read; blanks within lines of FASTA do not
        count.

        Source: P. Cock et al., The Sanger FASTQ file format, Nucleic Acids Res. 38 (2010) 1767.
        """
        ...
