"""Names of simulated reads that tell their origin, in the format of DWGSIM, which dwgsim_eval reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.reads.qualities import constant, decimal


@dataclass(frozen=True)
class Alignment:
    """Where reads align to their records, and with how many errors.

    Attributes
    ----------
    lowest : ndarray, dtype=int64, shape=(n,)
        Smallest position of a base that was read, from 0; below 0 or beyond the end of a circular record, it wraps.
    reverse : ndarray, dtype=bool, shape=(n,)
        Whether the reverse strand was read.
    first : ndarray, dtype=int64, shape=(n,)
        Position at which reading began.
    n_substituted, n_indels : ndarray, dtype=int64, shape=(n,)
    """

    lowest: NDArray[np.int64]
    reverse: NDArray[np.bool_]
    first: NDArray[np.int64]
    n_substituted: NDArray[np.int64]
    n_indels: NDArray[np.int64]

    @classmethod
    def of(cls, first: NDArray[np.int64], reverse: NDArray[np.bool_], length_bp: int) -> Alignment:
        """Align reads without errors."""
        lowest = np.where(reverse, first - (length_bp - 1), first)
        return cls(lowest, reverse, first, np.zeros(len(first), np.int64), np.zeros(len(first), np.int64))

    def shift(self, rows: NDArray[np.intp], steps: NDArray[np.int64], inserted: NDArray[np.bool_]) -> None:
        """Align some reads with indels: steps of their bases, and which are inserted; shape=(m, length)."""
        far = np.iinfo(np.int64).max
        least = np.where(inserted, far, steps).min(axis=1)
        most = np.where(inserted, -1, steps).max(axis=1)
        none = most < 0  # inserted bases only
        least[none], most[none] = 0, 0
        reverse, first = self.reverse[rows], self.first[rows]
        self.lowest[rows] = np.where(reverse, first - most, first + least)
        moved = np.diff(steps, axis=1, prepend=-1)
        self.n_indels[rows] = inserted.sum(axis=1) + (moved > 1).sum(axis=1)


def truth_names(
    names: NDArray[np.uint8],
    numbers: NDArray[np.int64],
    n_digits: int,
    lengths: NDArray[np.int64],
    mates: Sequence[Alignment],
) -> list[NDArray[np.uint8]]:
    """Columns of the names of DWGSIM, which both mates of a pair share.

    ``<record>_<start 1>_<start 2>_<strand 1>_<strand 2>_0_0_<errors 1>:0:<indels 1>_<errors 2>:0:<indels 2>_<number>``:
    starts are the smallest positions, from 1; strands 0 (forward) or 1 (reverse); errors are substitutions; the other
    zeros are for random reads and simulated variants, which DWGSIM has. The fields of the
    second mate are 0 for single reads.

    Parameters
    ----------
    names : ndarray, dtype=uint8, shape=(n, width)
        Of records, filled up with 0.
    numbers : ndarray, dtype=int64, shape=(n,)
    n_digits : int
        Digits of the largest number.
    lengths : ndarray, dtype=int64, shape=(n,)
        Bases of the record of each read.
    mates : sequence of Alignment
        One or two.
    """
    n = len(names)
    zeros = np.zeros(n, np.int64)
    starts = [mate.lowest % lengths + 1 for mate in mates]
    counts = [(mate.n_substituted, mate.n_indels) for mate in mates]
    strands = [mate.reverse.astype(np.int64) for mate in mates]
    if len(mates) == 1:
        starts, strands, counts = [*starts, zeros], [*strands, zeros], [*counts, (zeros, zeros)]
    columns = [names]
    for values in (*starts, *strands, zeros, zeros):
        columns += [constant(b"_", n), _number(values)]
    for substituted, indels in counts:
        columns += [constant(b"_", n), _number(substituted), constant(b":0:", n), _number(indels)]
    return [*columns, constant(b"_", n), decimal(numbers, n_digits)]


def _number(values: NDArray[np.int64]) -> NDArray[np.uint8]:
    return decimal(values, len(str(int(values.max(initial=0)))))
