"""Neutral masses from the peaks of a mass spectrometer, in units of peptides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.peptides.options import Tolerance
from debruijn_gpu.peptides.spectrum import MAX_UNITS, Measured, Spectrum, format_units

#: Masses of a spectrum, each as often as it counts: as many as a cyclic peptide of 2,048 residues has, in 100 MB. A few
#: lines of masses with counts would otherwise fill the memory.
_MOST_PEAKS = 1 << 22


@dataclass(frozen=True, eq=False)
class PeakWindows:
    """Peaks, one that counts twice twice.

    Attributes
    ----------
    masses : ndarray, dtype=int64, shape=(n,)
        Ascending, 0 or more.
    lows, highs : ndarray, dtype=int64, shape=(n,)
        The least and the greatest mass that a peak takes; both ascend.
    decimals : int
    """

    masses: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    decimals: int

    def __len__(self) -> int:
        return len(self.masses)

    def take(self, masses: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which masses a peak takes."""
        first = np.searchsorted(self.highs, masses)
        taken: NDArray[np.bool_] = np.append(self.lows, np.iinfo(np.int64).max)[first] <= masses
        return taken


def rescaled(masses: NDArray[np.int64], decimals: int, wanted: int) -> NDArray[np.int64]:
    """Masses in units of 10^-wanted, where ``wanted`` is ``decimals`` or more."""
    factor = 10 ** (wanted - decimals)
    if len(masses) and int(masses.max()) >= MAX_UNITS // factor:
        raise ParameterError(
            f"the mass {format_units(int(masses.max()), decimals)} is too large for {wanted} decimals",
            "give smaller masses, or fewer decimals",
        )
    return masses * np.int64(factor)


def peak_masses(spectrum: Spectrum, decimals: int) -> NDArray[np.int64]:
    """Ascending masses in units of 10^-decimals, each as often as it occurs.

    Raises
    ------
    FormatError
        If there is none, or one is below 0.
    ParameterError
        If there are more than 2^22 of them.
    """
    to_host = backends.of(spectrum.masses).to_host
    masses: NDArray[np.int64] = to_host(spectrum.masses)
    counts: NDArray[np.int64] = to_host(spectrum.counts)
    if not len(masses):
        raise FormatError("the spectrum is empty", "give the masses of its peaks")
    if masses[0] < 0:
        mass = format_units(int(masses[0]), spectrum.decimals)
        raise FormatError(f"the spectrum has the mass {mass}", "give masses of 0 and more")
    n_peaks = int(counts.astype(np.float64).sum())
    if n_peaks > _MOST_PEAKS:
        raise ParameterError(
            f"the spectrum has {n_peaks:,} masses, counts included", f"give at most {_MOST_PEAKS:,}, or smaller counts"
        )
    return np.repeat(rescaled(masses, spectrum.decimals, decimals), counts)


def peak_windows(spectrum: Spectrum, tolerance: Tolerance, decimals: int) -> PeakWindows:
    """The peaks of a spectrum, in units of 10^-decimals, which are no fewer than the spectrum has."""
    masses = peak_masses(spectrum, decimals)
    if tolerance.ppm:
        widths: Any = np.array([tolerance.units(mass, decimals) for mass in masses.tolist()], np.int64)
    else:
        widths = min(tolerance.units(0, decimals), MAX_UNITS)
    return PeakWindows(masses, masses - widths, masses + widths, decimals)


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
