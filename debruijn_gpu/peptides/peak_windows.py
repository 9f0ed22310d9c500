"""The masses that peaks take, in units that peaks and peptides have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.peptides.fixed_point import MAX_UNITS, format_units
from debruijn_gpu.peptides.options import Tolerance
from debruijn_gpu.peptides.spectrum import Spectrum

#: Masses of a spectrum, each as often as it counts
_MOST_PEAKS = 1 << 28


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
        raise ParameterError(f"the spectrum has {n_peaks:,} masses", f"give up to {_MOST_PEAKS:,}")
    return np.repeat(rescaled(masses, spectrum.decimals, decimals), counts)


def peak_windows(spectrum: Spectrum, tolerance: Tolerance, decimals: int) -> PeakWindows:
    """The peaks of a spectrum, in units of 10^-decimals, which are no fewer than the spectrum has."""
    masses = peak_masses(spectrum, decimals)
    if tolerance.ppm:
        widths: Any = np.array([tolerance.units(mass, decimals) for mass in masses.tolist()], np.int64)
    else:
        widths = min(tolerance.units(0, decimals), MAX_UNITS)
    return PeakWindows(masses, masses - widths, masses + widths, decimals)
