"""From the peaks of a mass spectrometer to neutral masses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.peptides.fixed_point import MAX_UNITS
from debruijn_gpu.peptides.spectrum import Measured, Spectrum

#: Mass of a proton in Da (CODATA 2018)
PROTON = 1.007276466621

#: Decimals of masses that are computed from m/z
PEAK_DECIMALS = 6


@dataclass(frozen=True)
class Charges:
    """Charges that the user gives, negative for lost protons; None: from the file.

    Attributes
    ----------
    fragment : int, optional
        Of all peaks. A file may say it for each; by default it is 1, or -1 if the precursor's is negative.
    precursor : int, optional
    """

    fragment: int | None = None
    precursor: int | None = None


@dataclass(frozen=True)
class Peaks:
    """A spectrum as a file has it.

    Attributes
    ----------
    mz, intensities : sequences of float, length n
    charges : sequence of int, length n
        0 where the file does not say.
    counts : ndarray, dtype=int64, shape=(n,), optional
        How often each is there; by default once.
    precursor_mz : float, optional
    precursor_charge : int, optional
    title : str
    """

    mz: Sequence[float] | NDArray[np.float64]
    intensities: Sequence[float] | NDArray[np.float64]
    charges: Sequence[int] | NDArray[np.int64]
    counts: NDArray[np.int64] | None = None
    precursor_mz: float | None = None
    precursor_charge: int | None = None
    title: str = ""


def neutral_spectrum(peaks: Peaks, given: Charges) -> Measured:
    """Neutral masses of peaks, m/z times charge less the protons, in units of 10^-6 Da.

    Peaks without intensity are left out. The precursor is None if its m/z or its charge is not known.

    Raises
    ------
    ValueError
        If a mass is not above 0, or too large; says which.
    """
    precursor_charge = given.precursor or peaks.precursor_charge
    mz, intensities = np.asarray(peaks.mz, np.float64), np.asarray(peaks.intensities, np.float64)
    charges = np.asarray(peaks.charges, np.int64)
    if given.fragment is not None:
        charges = np.full_like(charges, given.fragment)
    else:
        charges = np.where(charges == 0, -1 if (precursor_charge or 1) < 0 else 1, charges)
    seen = intensities > 0
    masses = _neutral(mz[seen], charges[seen])
    precursor = None
    if precursor_charge and peaks.precursor_mz is not None:
        precursor = int(_neutral(np.array([peaks.precursor_mz]), np.array([precursor_charge]))[0])
    counts = None if peaks.counts is None else peaks.counts[seen]
    return measured(masses, PEAK_DECIMALS, counts, intensities[seen], precursor, peaks.title)


def measured(
    masses: NDArray[np.int64],
    decimals: int,
    counts: NDArray[np.int64] | None = None,
    intensities: NDArray[np.float64] | None = None,
    precursor: int | None = None,
    title: str = "",
) -> Measured:
    """A spectrum of masses in any order, which may repeat: counts and intensities of equal ones add up."""
    distinct, place, n_equal = np.unique(masses, return_inverse=True, return_counts=True)
    if counts is not None:
        n_equal = np.zeros(len(distinct), np.int64)
        np.add.at(n_equal, place, counts)
    if intensities is not None:
        sums = np.zeros(len(distinct))
        np.add.at(sums, place, intensities)
        intensities = sums
    spectrum = Spectrum(distinct.astype(np.int64), n_equal.astype(np.int64), decimals)
    return Measured(spectrum, intensities, precursor, title)


def _neutral(mz: NDArray[np.float64], charges: NDArray[np.int64]) -> NDArray[np.int64]:
    units = np.rint((mz * np.abs(charges) - charges * PROTON) * 10.0**PEAK_DECIMALS)
    odd = np.flatnonzero(~((units > 0) & (units < MAX_UNITS)))
    if len(odd):
        at = odd[0]
        raise ValueError(f"m/z {mz[at]:.10g} with charge {charges[at]} is no mass above 0 and below 4e12 Da")
    return units.astype(np.int64)
