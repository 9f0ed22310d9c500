"""A peptide as the masses of its residues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
