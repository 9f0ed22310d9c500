"""Spectra: masses of subpeptides, or of peaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Masses and their multiplicities.

    Attributes
    ----------
    masses : array of a backend, dtype=int64, shape=(n,)
        Ascending and distinct, in units of 10^-decimals Da.
    counts : array of a backend, dtype=int64, shape=(n,)
        1 or more of each.
    decimals : int
        0 to 9.
    """

    masses: Array
    counts: Array
    decimals: int = 0

    def __len__(self) -> int:
        return len(self.masses)


@dataclass(frozen=True, eq=False)
class Measured:
    """A spectrum that was measured.

    Attributes
    ----------
    spectrum : Spectrum
        Neutral masses of the peaks, in NumPy arrays.
    intensities : ndarray, dtype=float64, shape=(n,), optional
        Of each peak.
    precursor : int, optional
        Neutral mass of the peptide, in the same unit.
    title : str
    """

    spectrum: Spectrum
    intensities: NDArray[np.float64] | None = None
    precursor: int | None = None
    title: str = ""
