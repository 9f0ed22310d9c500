"""Score peptides against a mass spectrum, and select the best with ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.options import EXACT, Tolerance
from debruijn_gpu.peptides.peaks import peak_windows, rescaled
from debruijn_gpu.peptides.spectrum import Peptide, Spectrum

#: Candidates that are kept because of ties, beside those that are asked for. Spectra that tell little have millions of
#: ties, and each would be made longer by each residue.
MOST_TIED = 1 << 14


class Best:
    """Places of the n best candidates, and of those that score as much as the last of them.

    Parameters
    ----------
    n : int
    most : int
        The greatest score that there may be.

    Attributes
    ----------
    n_scored : int
        Candidates with a score.
    n_cut : int
        Candidates that `places` left out although they score as much as others that it has.
    """

    def __init__(self, n: int, most: int) -> None:
        self._n = n
        self._n_with = np.zeros(most + 1, np.int64)  # candidates by score
        self._found: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
        self.n_scored = 0
        self.n_cut = 0

    def add(self, scores: NDArray[np.int32], first: int) -> None:
        """Candidates from place ``first`` on; those below 0 are none."""
        self._n_with += np.bincount(scores + 1, minlength=len(self._n_with) + 1)[1:]
        self.n_scored = int(self._n_with.sum())
        places = np.flatnonzero(scores >= self._least())
        self._found.append((places + first, scores[places]))

    def places(self) -> NDArray[np.int64]:
        """Of the best, ascending.

        If there are more than n and `MOST_TIED`, some of those that score least go, evenly over all.
        """
        least = self._least()
        places = np.concatenate([places for places, _ in self._found])
        scores = np.concatenate([scores for _, scores in self._found])
        is_good = scores >= least
        places, scores = places[is_good], scores[is_good]
        most = self._n + MOST_TIED
        if len(places) <= most:
            return places
        self.n_cut = len(places) - most
        tied = places[scores == least]
        n_left = len(tied) - self.n_cut
        tied = tied[np.arange(n_left) * len(tied) // n_left]
        return np.sort(np.append(places[scores > least], tied))

    def _least(self) -> int:
        """The score from which on candidates are among the best, as far as they are known."""
        n_above = np.cumsum(self._n_with[::-1])
        return max(0, len(n_above) - 1 - int(np.searchsorted(n_above, self._n)))


#: The differences of so many masses take 400 MB.
_MOST_RESIDUES = 10_000


@dataclass(frozen=True)
class ScoredPeptide:
    """A peptide that was found.

    Attributes
    ----------
    peptide : Peptide
        Cyclic; the least of its rotations and those of its reversal, by masses.
    score : int
        See `score`.
    """

    peptide: Peptide
    score: int

    @property
    def n_masses(self) -> int:
        """The greatest score that there could be: that against its own spectrum."""
        n = len(self.peptide)
        return n * (n - 1) + 2


def prefix_masses(residues: NDArray[np.int64]) -> NDArray[np.int64]:
    """0 and the mass of each prefix: (n_peptides, n) to (n_peptides, n + 1)."""
    positions = np.zeros((residues.shape[0], residues.shape[1] + 1), np.int64)
    np.cumsum(residues, axis=1, out=positions[:, 1:])
    return positions


def score(peptide: Peptide, spectrum: Spectrum, *, linear: bool = False, tolerance: Tolerance = EXACT) -> int:
    """The number of masses of the peptide's theoretical spectrum that the spectrum has, with multiplicity.

    That is the greatest number of pairs of a theoretical mass and a peak, no further apart than the tolerance allows,
    such that no mass and no peak is in two pairs. Without a tolerance, a mass that is there a times in theory and b
    times in the spectrum counts min(a, b) times. (Compeau and Pevzner, Bioinformatics Algorithms, chapter 4.)

    Parameters
    ----------
    peptide : Peptide
    spectrum : Spectrum
    linear : bool
        Whether the peptide is linear.
    tolerance : Tolerance
    """
    if len(peptide) > _MOST_RESIDUES:
        raise ParameterError(
            f"the peptide has {len(peptide):,} residues", f"score peptides of up to {_MOST_RESIDUES:,} residues"
        )
    decimals = max(peptide.decimals, spectrum.decimals)
    peaks = peak_windows(spectrum, tolerance, decimals)
    positions = prefix_masses(rescaled(peptide.masses, peptide.decimals, decimals)[None])
    return int(backends.host().spectra.score_peptides(positions, peaks.lows, peaks.highs, not linear)[0])
