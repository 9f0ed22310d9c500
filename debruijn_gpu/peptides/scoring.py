"""Score peptides against a mass spectrum, and select the best with ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.options import EXACT, Tolerance
from debruijn_gpu.peptides.peaks import PeakWindows, peak_windows, rescaled
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
_RESIDUES_AT_ONCE = 1 << 16  # of peptides that are scored together


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
    return int(Scorer(spectrum, linear=linear, tolerance=tolerance).scores([peptide])[0])


class Scorer:
    """Scores peptides against one spectrum, those of one length together; see `score`.

    Parameters
    ----------
    spectrum : Spectrum
    linear : bool
        Whether peptides are linear.
    tolerance : Tolerance
    """

    def __init__(self, spectrum: Spectrum, *, linear: bool = False, tolerance: Tolerance = EXACT) -> None:
        self._spectrum, self._linear, self._tolerance = spectrum, linear, tolerance
        self._windows: dict[int, PeakWindows] = {}

    def scores(self, peptides: Sequence[Peptide]) -> NDArray[np.int32]:
        """Return the score of each peptide; shape=(n_peptides,).

        Raises
        ------
        ParameterError
            If a peptide has too many residues.
        """
        groups: dict[tuple[int, int], list[int]] = {}
        for place, peptide in enumerate(peptides):
            groups.setdefault((len(peptide), peptide.decimals), []).append(place)
        found = np.zeros(len(peptides), np.int32)
        for (n, decimals), places in groups.items():
            if n > _MOST_RESIDUES:
                raise ParameterError(
                    f"the peptide has {n:,} residues", f"score peptides of up to {_MOST_RESIDUES:,} residues"
                )
            at_once = max(1, _RESIDUES_AT_ONCE // n)
            for start in range(0, len(places), at_once):
                chosen = places[start : start + at_once]
                found[chosen] = self._scored(np.stack([peptides[place].masses for place in chosen]), decimals)
        return found

    def _scored(self, residues: NDArray[np.int64], decimals: int) -> NDArray[np.int32]:
        """Score peptides of one length."""
        most = max(decimals, self._spectrum.decimals)
        if most not in self._windows:
            self._windows[most] = peak_windows(self._spectrum, self._tolerance, most)
        peaks = self._windows[most]
        positions = prefix_masses(rescaled(residues, decimals, most))
        result: NDArray[np.int32] = backends.host().spectra.score_peptides(
            positions, peaks.lows, peaks.highs, not self._linear
        )
        return result


def best_with_ties(scores: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Places of the n highest scores, and of those equal to the last of them: highest first, equal ones in order."""
    order = np.argsort(-scores.astype(np.int64), kind="stable")
    if len(order) > n:
        order = order[: int(np.count_nonzero(scores >= scores[order[n - 1]]))]
    return order
