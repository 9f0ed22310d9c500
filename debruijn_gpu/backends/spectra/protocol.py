"""What a backend does for the masses of subpeptides: differences of prefix sums, one subtraction each.

Only masses of up to half of the total T are looked for in a cyclic peptide: what a subpeptide of mass m leaves of it
has mass T - m, so the rest is their mirror image.

A spectrum is two arrays of the backend, both int64: masses, ascending and distinct, and how often each occurs. It can
be had in three ways, with the same result. Counters for all masses of a range, one added to for each subpeptide. The
autocorrelation of the indicator of the prefix sums, by Fourier transform: its value at m is the number of subpeptides
of mass m. Or the masses themselves, sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.protocol import Array

#: Totals below this are counted; then twice the total fits into 32 bits.
COUNTABLE = 1 << 31
#: Distance from whole numbers up to which counts by Fourier transform are trusted.
MOST_ROUNDING = 0.2


@dataclass(frozen=True, eq=False)
class Ladder:
    """Prefix sums of the masses of a peptide. Subpeptides are positions[j] - positions[i] with i < j, i < n_starts.

    Attributes
    ----------
    positions : array of a backend, dtype=int64
        Strictly ascending from 0. Linear: all n + 1 of them. Cyclic: the first n, and these again, plus the total.
    n_starts : int
        n + 1 of a linear peptide, n of a cyclic one: all that are different modulo the total.
    total : int
        Mass of all residues, below 2^61.
    is_cyclic : bool
    """

    positions: Array
    n_starts: int
    total: int
    is_cyclic: bool

    @property
    def last(self) -> int:
        """The greatest mass between 0 and the total that must be looked for."""
        return self.total // 2 if self.is_cyclic else self.total - 1

    @property
    def transform_length(self) -> int:
        """Of a Fourier transform in which no difference of prefix sums meets another: the least 2^a 3^b 5^c of at least
        2 T."""
        least = 2 * self.total
        odd: list[int] = [3**b * 5**c for b in range(21) for c in range(14)]
        return min(number << (-(-least // number) - 1).bit_length() for number in odd)


def mass_ranges(
    below: Callable[[NDArray[np.int64]], NDArray[np.int64]], low: int, high: int, capacity: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut low..high - 1 into ranges with few subpeptides.

    Parameters
    ----------
    below : callable
        `SpectrumBackend.count_below` of a ladder.
    low, high : int
    capacity : int
        Most subpeptides of a range that is wider than one unit.

    Returns
    -------
    edges : ndarray, dtype=int64, shape=(n_ranges + 1,)
        Range r is edges[r]..edges[r + 1] - 1.
    ends : ndarray, dtype=int64, shape=(n_ranges + 1,)
        Subpeptides from low on to each edge.
    """
    edges = np.array([low, high], np.int64)
    ends = below(edges)
    while True:
        sizes, widths = np.diff(ends), np.diff(edges)
        full = np.flatnonzero((sizes > capacity) & (widths > 1))
        if not len(full):
            return edges, ends - ends[0]
        # a little more than would do if masses were spread evenly, so that few have to be cut again
        n_parts = np.minimum(widths[full], sizes[full] * 4 // (3 * capacity) + 2)
        cuts = [np.arange(1, n) * (width // n) for n, width in zip(n_parts, widths[full], strict=True)]
        added = np.concatenate([edges[at] + cut for at, cut in zip(full, cuts, strict=True)])
        at = np.searchsorted(edges, added)
        edges, ends = np.insert(edges, at, added), np.insert(ends, at, below(added))


class SpectrumBackend(Protocol):
    """A module with these names."""

    def count_below(self, ladder: Ladder, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many subpeptides weigh less than each edge (NumPy's, above 0, up to the total)."""

    def count_masses(self, ladder: Ladder, low: int, high: int) -> tuple[Array, Array]:
        """Masses of subpeptides in low..high - 1, and how often each occurs, by counters for all of them; 0 < low and
        high <= total < COUNTABLE."""

    def correlate_masses(self, ladder: Ladder) -> tuple[Array, Array] | None:
        """`count_masses` of 1..ladder.last by Fourier transform; None if the rounding errors were too large, or a GPU
        has no room or no library for it. Takes some four arrays of float64 (ladder.transform_length,)."""

    def sort_masses(self, ladder: Ladder, low: int, high: int) -> tuple[Array, Array]:
        """The same as `count_masses`, by sorting them; for any total."""

    def sort_spectrum(self, ladder: Ladder) -> tuple[Array, Array]:
        """`complete_spectrum` of `sort_masses` of 1..ladder.last."""

    def complete_spectrum(self, masses: Array, counts: Array, ladder: Ladder) -> tuple[Array, Array]:
        """The whole spectrum from what `count_masses` gives for 1..ladder.last: with 0 and the total, once each, and
        for a cyclic peptide the mirror image."""
