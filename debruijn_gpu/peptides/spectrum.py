"""Containers of peptides and mass spectra, with masses in units of 10^-decimals Da."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array


@dataclass(frozen=True, eq=False)
class Peptide:
    """Residues of a linear or cyclic peptide.

    Attributes
    ----------
    masses : ndarray, dtype=int64, shape=(n,)
        Of each residue, above 0, in units of 10^-decimals Da, so that sums are exact. At least one.
    decimals : int
        0 to 9; 0 for integer masses.
    names : tuple of str
        How each residue was written; () if by its mass.
    label : str
        Name of its record in a file.
    """

    masses: NDArray[np.int64]
    decimals: int = 0
    names: tuple[str, ...] = ()
    label: str = ""

    def __len__(self) -> int:
        return len(self.masses)

    @property
    def total(self) -> int:
        """Mass of all residues."""
        return int(self.masses.sum())


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


#: Decimals that a mass may have
MAX_DECIMALS = 9

#: Units that a peptide, or a peak, may have: in a cyclic peptide, sums of nearly twice that occur
MAX_UNITS = 1 << 62

#: A mass without sign: plain decimals, no exponent
PLAIN_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")

_LONGEST = 40  # characters of a number; what is longer has too many decimals, or is too large
_EXACT = Context(prec=2 * _LONGEST)


def read_number(text: str) -> Decimal | None:
    """The value of a plain number without sign; None if the text is none or is beyond all masses."""
    return Decimal(text) if len(text) <= _LONGEST and PLAIN_NUMBER.fullmatch(text) else None


def n_decimals(value: Decimal) -> int:
    """Digits after the point, as written."""
    return max(0, -int(value.as_tuple().exponent))


def to_units(value: Decimal, decimals: int) -> int:
    """A value of at most that many decimals, in units of 10^-decimals."""
    return int(value.scaleb(decimals, _EXACT))


def of_units(number: str, decimals: int) -> str:
    """``2^62 units of 10^-9 Da``, or ``2^62 Da``."""
    return f"{number} units of 10^-{decimals} Da" if decimals else f"{number} Da"


def format_units(units: int, decimals: int) -> str:
    """Units of 10^-decimals as text, all decimals written."""
    if not decimals:
        return str(units)
    whole, part = divmod(abs(units), 10**decimals)
    return f"{'-' if units < 0 else ''}{whole}.{part:0{decimals}d}"
