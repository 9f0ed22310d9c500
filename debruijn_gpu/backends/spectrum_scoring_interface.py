"""What a backend does to score peptides against a spectrum; see `matching` for what a score is.

Peptides of one length n are the rows of an array of prefix masses, int64 (n_peptides, n + 1): 0, then the mass of the
first residue, of the first two, and so on; they ascend strictly and are below 2^62. A spectrum is the low and high ends
of its peaks, int64 (n_peaks,), both ascending, with a peak that counts twice in them twice.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.protocol import Array


def most_masses(n_positions: int) -> int:
    """0 and the differences of so many positions."""
    return n_positions * (n_positions - 1) // 2 + 1


class ScoringBackend(Protocol):
    """A module with these names."""

    def to_device(self, array: Array) -> Array:
        """See `ArrayBackend.to_device`."""

    def to_host(self, array: Array) -> Array:
        """See `ArrayBackend.to_host`."""

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
        Of the prefix of each length, as a prenecklace; see `necklaces`.
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


class IdealBackend(Protocol):
    """A module with this name, for NumPy's arrays."""

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
