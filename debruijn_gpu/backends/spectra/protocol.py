"""Protocol of the family `spectra`: compute masses of subpeptides, and score peptides against mass spectra."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array

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
        `SpectrumOperations.count_below` of a ladder.
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


def most_masses(n_positions: int) -> int:
    """0 and the differences of so many positions."""
    return n_positions * (n_positions - 1) // 2 + 1


class IdealSearch:
    """The search for cyclic peptides by their ideal spectrum, as far as it has come.

    Parameters
    ----------
    residues : ndarray, dtype=int64, shape=(n_residues,)
        Ascending masses of those that may occur.
    first : int
        Which of them is the least of the peptide.
    n : int
        Residues of the peptide, 2 or more.
    total : int
        Its mass.
    arcs : ndarray, dtype=int64, shape=(n_arcs,)
        Ascending masses of the lighter parts of the peptide when cut at two places.
    n_cuts : ndarray, dtype=int64, shape=(n_arcs,)
        In how many ways each arises; n (n - 1) / 2 together.

    Attributes
    ----------
    word : ndarray, dtype=int64, shape=(n,)
        Which residues are tried.
    periods : ndarray, dtype=int64, shape=(n + 1,)
        Of the prefix of each length, as a prenecklace; see `sequences.scalars`.
    positions : ndarray, dtype=int64, shape=(n + 1,)
        Prefix masses.
    used : ndarray, dtype=int64, shape=(n * (n - 1) / 2,)
        Arcs that the prefix has, those that its last residue brought behind the others.
    level : int
        Residues of the prefix; -1 when the search is over.
    """

    def __init__(
        self,
        residues: NDArray[np.int64],
        first: int,
        n: int,
        total: int,
        arcs: NDArray[np.int64],
        n_cuts: NDArray[np.int64],
    ) -> None:
        self.residues, self.total, self.arcs, self.n_free = residues, total, arcs, n_cuts.copy()
        self.word, self.periods = np.full(n, first), np.ones(n + 1, np.int64)
        self.positions, self.used = np.zeros(n + 1, np.int64), np.empty(n * (n - 1) // 2, np.int64)
        self.level = 0


class SpectrumOperations(Protocol):
    """Compute masses of subpeptides, and score peptides against mass spectra."""

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

    def score_peptides(self, positions: Array, lows: Array, highs: Array, cyclic: bool) -> Array:
        """Score (int32) of each peptide.

        The masses of a linear peptide are 0 and those of its subpeptides; of a cyclic one, which has at least one
        residue, 0, those of its n (n - 1) subpeptides, and its own.
        """

    def score_extensions(
        self, positions: Array, residues: Array, lows: Array, highs: Array, possible: Array, shift: int
    ) -> Array:
        """Score (int32, (n_peptides * n_residues,)) of each peptide, made longer by each residue, as a linear one.

        -1 for one of mass m that is not ``possible[m >> shift]``.

        Parameters
        ----------
        positions : int64 (n_peptides, n + 1)
        residues : int64 (n_residues,)
            Masses, above 0.
        lows, highs : int64 (n_peaks,)
        possible : uint8 (n_possible,)
            0 or 1. What is beyond is not possible.
        shift : int
        """


class HostSpectrumOperations(SpectrumOperations, Protocol):
    """The same, and what only the CPU does."""

    def search_ideal(self, search: IdealSearch, n_steps: int) -> NDArray[np.int64]:
        """Go on with a search, by about so many residues tried.

        Branch and bound (Compeau and Pevzner, Bioinformatics Algorithms, chapter 4): a prefix is made longer while all
        parts into which its ends cut the circle are in the spectrum, as often as they occur. Only words that may be
        the least of their rotations are tried (prenecklaces: Fredricksen and Maiorana, Discrete Math. 23 (1978) 207),
        so that each peptide comes once in each direction.

        Returns
        -------
        ndarray, dtype=int64, shape=(n_found, n)
            Peptides as numbers of residues, each the least of its rotations, in lexicographic order, all after those
            of earlier calls.
        """
