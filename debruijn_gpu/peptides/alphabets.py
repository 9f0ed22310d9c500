"""Masses of the residues that peptides are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.fixed_point import MAX_UNITS, format_units
from debruijn_gpu.peptides.options import MOST_RESIDUES


@dataclass(frozen=True, eq=False)
class Alphabet:
    """Residues by mass.

    Attributes
    ----------
    masses : ndarray, dtype=int64, shape=(n,)
        Ascending, distinct, above 0, in units of 10^-decimals Da. At least one.
    decimals : int
        0 to 9.
    """

    masses: NDArray[np.int64]
    decimals: int = 0

    def __len__(self) -> int:
        return len(self.masses)


def make_alphabet(masses: Iterable[int], decimals: int = 0) -> Alphabet:
    """The alphabet of some masses, in any order, which may repeat.

    Raises
    ------
    ParameterError
        If there is none, or too many, or one is not above 0.
    """
    distinct = sorted(set(masses))
    if not distinct:
        raise ParameterError("the alphabet is empty", "give at least one mass")
    if len(distinct) > MOST_RESIDUES:
        raise ParameterError(f"the alphabet has {len(distinct):,} masses", f"give up to {MOST_RESIDUES:,}")
    if distinct[0] <= 0:
        raise ParameterError(
            f"the alphabet has the mass {format_units(distinct[0], decimals)}", "residues have masses above 0"
        )
    if distinct[-1] >= MAX_UNITS:
        raise ParameterError(
            f"the alphabet has the mass {format_units(distinct[-1], decimals)}",
            "give smaller masses, or fewer decimals",
        )
    return Alphabet(np.array(distinct, np.int64), decimals)


def range_alphabet(low: int, high: int) -> Alphabet:
    """All whole masses from low to high."""
    return make_alphabet(range(low, high + 1))
