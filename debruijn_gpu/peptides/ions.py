"""Fragment ions of linear peptides: b and y ions of charge 1.

A b ion is a prefix of the peptide with a proton; a y ion is a suffix with water and a proton (Roepstorff and Fohlman
1984; Steen and Mann 2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from debruijn_gpu.errors import UsageError
from debruijn_gpu.peptides.residues import ResidueMasses, water_mass
from debruijn_gpu.peptides.spectrum import Peptide, Spectrum, to_units

#: Mass of a proton in Da (CODATA 2018)
_PROTON = Decimal("1.007276466621")

ION_KINDS = ("b", "y")


@dataclass(frozen=True)
class Ion:
    """A fragment ion.

    Attributes
    ----------
    name : str
        ``b3``: the first three residues.
    mass : int
        m/z at charge 1, in units of 10^-decimals of the peptide.
    """

    name: str
    mass: int


def parse_ions(text: str | None) -> tuple[str, ...]:
    """Parse ``b``, ``y`` and ``b,y`` as kinds of ions, in this order; none if there is no text."""
    if text is None:
        return ()
    given = {part.strip() for part in text.split(",")}
    if not given <= set(ION_KINDS):
        raise UsageError(f"--ions {text}: expected kinds of ions", "give b, y or b,y")
    return tuple(kind for kind in ION_KINDS if kind in given)


def fragment_ions(peptide: Peptide, kinds: tuple[str, ...], masses: ResidueMasses) -> list[Ion]:
    """Compute the b and y ions of a linear peptide, in ascending order of mass.

    Parameters
    ----------
    peptide : Peptide
        Of n residues; n - 1 ions of each kind.
    kinds : tuple of str
        Some of `ION_KINDS`.
    masses : ResidueMasses
        Whose kind of masses water has: monoisotopic, average or, in whole Da, nominal.
    """
    decimals = peptide.decimals
    proton = _rounded(_PROTON, decimals)
    added = {"b": proton, "y": _rounded(water_mass(masses.kind) + _PROTON, decimals)}
    if decimals == 0:
        added["y"] = _rounded(water_mass(masses.kind), 0) + proton
    found = []
    for kind in kinds:
        ordered = peptide.masses if kind == "b" else peptide.masses[::-1]
        sums = np.cumsum(ordered[:-1]).tolist()
        found += [Ion(f"{kind}{i}", mass + added[kind]) for i, mass in enumerate(sums, 1)]
    return sorted(found, key=lambda ion: (ion.mass, ion.name))


def ion_spectrum(ions: list[Ion], decimals: int) -> Spectrum:
    """The masses of ions as a spectrum."""
    masses, counts = np.unique(np.array([ion.mass for ion in ions], np.int64), return_counts=True)
    return Spectrum(masses, counts.astype(np.int64), decimals)


def _rounded(mass: Decimal, decimals: int) -> int:
    """A mass in units of 10^-decimals, rounded."""
    return to_units(mass.quantize(Decimal(1).scaleb(-decimals)), decimals)
