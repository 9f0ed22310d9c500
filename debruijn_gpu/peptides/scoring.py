"""Score peptides against a spectrum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.options import EXACT, Tolerance
from debruijn_gpu.peptides.peak_windows import peak_windows, rescaled
from debruijn_gpu.peptides.peptide import Peptide
from debruijn_gpu.peptides.spectrum import Spectrum

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
