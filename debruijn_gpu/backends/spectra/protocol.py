"""Protocol of the family `spectra`: compute masses of subpeptides, and score peptides against mass spectra."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array

#: Masses are counted for totals below this; twice the total then fits into 32 bits.
COUNTABLE = 1 << 31
#: Distance from whole numbers up to which counts by Fourier transform are trusted.
MOST_ROUNDING = 0.2


@dataclass(frozen=True, eq=False)
class Ladder:
    """Prefix sums of the masses of a peptide.

    Subpeptides are positions[j] - positions[i] with i < j, i < n_starts.

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
        """Return the greatest mass below the total that must be computed."""
        return self.total // 2 if self.is_cyclic else self.total - 1

    @property
    def transform_length(self) -> int:
        """Compute the length of a Fourier transform without wrap-around of differences.

        It is the least 2^a 3^b 5^c of at least 2 T.
        """
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
        # slightly more than evenly spread masses would need, so that few ranges are cut again
        n_parts = np.minimum(widths[full], sizes[full] * 4 // (3 * capacity) + 2)
        cuts = [np.arange(1, n) * (width // n) for n, width in zip(n_parts, widths[full], strict=True)]
        added = np.concatenate([edges[at] + cut for at, cut in zip(full, cuts, strict=True)])
        at = np.searchsorted(edges, added)
        edges, ends = np.insert(edges, at, added), np.insert(ends, at, below(added))


def most_masses(n_positions: int) -> int:
    """Return the number of masses: 0 and the differences of ``n_positions``."""
    return n_positions * (n_positions - 1) // 2 + 1


class IdealSearch:
    """State of a search for cyclic peptides by their ideal mass spectrum.

    Parameters
    ----------
    residues : ndarray, dtype=int64, shape=(n_residues,)
        Ascending masses of those that may occur.
    first : int
        Index of the least residue of the peptide.
    n : int
        Residues of the peptide, 2 or more.
    total : int
        Its mass.
    arcs : ndarray, dtype=int64, shape=(n_arcs,)
        Ascending masses of the lighter parts of the peptide when cut at two places.
    n_cuts : ndarray, dtype=int64, shape=(n_arcs,)
        Multiplicity of each; n (n - 1) / 2 together.

    Attributes
    ----------
    word : ndarray, dtype=int64, shape=(n,)
        Residues that are tried.
    periods : ndarray, dtype=int64, shape=(n + 1,)
        Period of the prefix of each length, as a prenecklace; see `sequences.scalars`.
    positions : ndarray, dtype=int64, shape=(n + 1,)
        Prefix masses.
    used : ndarray, dtype=int64, shape=(n * (n - 1) / 2,)
        Arcs of the prefix; those of its last residue come last.
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
        """Count the subpeptides lighter than each edge (NumPy array, above 0, up to the total)."""

    def count_masses(self, ladder: Ladder, low: int, high: int) -> tuple[Array, Array]:
        """Count the masses of subpeptides in low..high - 1, with one counter per mass.

        Returns masses and their multiplicities; 0 < low and high <= total < COUNTABLE.
        """

    def correlate_masses(self, ladder: Ladder) -> tuple[Array, Array] | None:
        """Compute `count_masses` of 1..ladder.last by Fourier transform.

        None if rounding errors are too large, or a GPU lacks the memory or the library. Allocates some four arrays of
        float64 (ladder.transform_length,).
        """

    def sort_masses(self, ladder: Ladder, low: int, high: int) -> tuple[Array, Array]:
        """Count the masses of subpeptides in low..high - 1 by sorting; for any total."""

    def sort_spectrum(self, ladder: Ladder) -> tuple[Array, Array]:
        """Compute the complete mass spectrum by sorting: `complete_spectrum` of `sort_masses`."""

    def complete_spectrum(self, masses: Array, counts: Array, ladder: Ladder) -> tuple[Array, Array]:
        """Complete the mass spectrum from the masses 1..ladder.last of `count_masses`.

        Adds 0 and the total, once each, and for a cyclic peptide the symmetric upper half.
        """

    def score_peptides(self, positions: Array, lows: Array, highs: Array, cyclic: bool) -> Array:
        """Compute the score (int32) of each peptide.

        The masses of a linear peptide are 0 and those of its subpeptides; of a cyclic one, which has at least one
        residue, 0, those of its n (n - 1) subpeptides, and its own.
        """

    def score_extensions(
        self, positions: Array, residues: Array, lows: Array, highs: Array, possible: Array, shift: int
    ) -> Array:
        """Compute linear scores (int32, (n_peptides * n_residues,)) of each peptide extended by each residue.

        The score is -1 for an extension of mass m if ``possible[m >> shift]`` is 0.

        Parameters
        ----------
        positions : int64 (n_peptides, n + 1)
        residues : int64 (n_residues,)
            Masses, above 0.
        lows, highs : int64 (n_peaks,)
        possible : uint8 (n_possible,)
            0 or 1. Masses beyond it are impossible.
        shift : int
        """


class HostSpectrumOperations(SpectrumOperations, Protocol):
    """Extend the family by operations of the CPU alone."""

    def search_ideal(self, search: IdealSearch, n_steps: int) -> NDArray[np.int64]:
        """Continue a search by about ``n_steps`` tried residues.

        Branch and bound (Compeau and Pevzner, Bioinformatics Algorithms, chapter 4): a prefix is extended while all
        subpeptides between two of its cuts are in the mass spectrum, with their multiplicities. Only words that
        may be the least of their rotations are tried (prenecklaces: Fredricksen and Maiorana, Discrete Math. 23 (1978)
        207), so that each peptide comes once in each direction.

        Returns
        -------
        ndarray, dtype=int64, shape=(n_found, n)
            Peptides as numbers of residues, each the least of its rotations, in lexicographic order, all after those
            of earlier calls.
        """
