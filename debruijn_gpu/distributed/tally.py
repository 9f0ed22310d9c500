"""Sums of what tasks read: numbers, lengths and names of reads, of parts of a file in its order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.distributed.reading import NamedReads
from debruijn_gpu.reads.read_statistics import ReadLengths

_BASE = 0x9E3779B97F4A7C15  # odd, of the hash of names
_WORD = 1 << 64


class ReadTally:
    """Sums of one part of the reads.

    Parameters
    ----------
    continues : bool
        Whether its first read began in the part before.

    Attributes
    ----------
    n_reads, n_bases, n_kmers, shuffled_bytes : int
    lengths : ReadLengths
        Of the reads but the first and the last ones.
    first_bp, last_bp : int or None
        Bases of the first read that are in no part before, and of the last one, if it is not the first.
    names, n_names : int
        Hash of the names in their order, modulo 2^64; and how many there are.
    has_unnamed : bool
        Whether there is a read without a name, which goes with any other.
    warnings : list of str
    """

    def __init__(self, continues: bool) -> None:
        self.continues = continues
        self.n_reads = self.n_bases = self.n_kmers = self.shuffled_bytes = 0
        self.names = self.n_names = 0
        self.has_unnamed = False
        self.first_bp: int | None = None
        self.last_bp: int | None = None
        self.lengths = ReadLengths.of([])
        self.warnings: list[str] = []

    def add(self, reads: NamedReads) -> None:
        """Add a batch."""
        batch = reads.batch
        new = np.diff(batch.offsets)
        new[:1] -= batch.n_repeated
        self.n_bases += batch.n_new_bases
        if batch.n_repeated and self.first_bp is not None:
            self._extend(int(new[0]))
            new = new[1:]
        if len(new) and self.first_bp is None:
            self.first_bp = int(new[0])
            new = new[1:]
        if len(new):
            self.lengths += ReadLengths.of(np.append(new[:-1], [] if self.last_bp is None else [self.last_bp]))
            self.last_bp = int(new[-1])
        self.names = joined_names(self.names, hash_names(reads.names), len(reads.names))
        self.n_names += len(reads.names)
        self.n_reads += batch.n_reads
        self.has_unnamed |= bool((reads.names == 0).any())

    @classmethod
    def of_file(cls, parts: list[ReadTally]) -> ReadTally:
        """Sum the numbers and names of the parts of a file, in order."""
        whole = cls(False)
        for part in parts:
            whole.names = joined_names(whole.names, part.names, part.n_names)
            whole.n_names += part.n_names
            whole.n_reads += part.n_reads
            whole.has_unnamed |= part.has_unnamed
        return whole

    def _extend(self, n_bases: int) -> None:
        if self.last_bp is None:
            self.first_bp = (self.first_bp or 0) + n_bases
        else:
            self.last_bp += n_bases


def hash_names(names: NDArray[np.uint64]) -> int:
    """Hash names in their order: a polynomial modulo 2^64, whose last coefficient is the first name."""
    powers = np.full(len(names), _BASE, np.uint64)
    powers[-1:] = 1
    powers = np.multiply.accumulate(powers[::-1])[::-1]
    return int((names * powers).sum(dtype=np.uint64))


def joined_names(first: int, second: int, n_second: int) -> int:
    """Hash names and, behind them, others."""
    return (first * pow(_BASE, n_second, _WORD) + second) % _WORD


def lengths_of(parts: Iterable[ReadTally]) -> ReadLengths:
    """Lengths of the reads of a file, of its parts in order."""
    whole, ends = ReadLengths.of([]), list[int]()
    for part in parts:
        whole += part.lengths
        if part.first_bp is not None:
            if part.continues and ends:
                ends[-1] += part.first_bp
            else:
                ends.append(part.first_bp)
        if part.last_bp is not None:
            ends.append(part.last_bp)
    return whole + ReadLengths.of(ends)
