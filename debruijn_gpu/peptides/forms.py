"""Forms of one peptide: rotations and directions, and residues by letters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.peptides.options import EXACT, Tolerance
from debruijn_gpu.peptides.residues import STANDARD_LETTERS, ResidueMasses
from debruijn_gpu.peptides.spectrum import Peptide, format_units, to_units
from debruijn_gpu.peptides.theoretical import distinct_rows

_RARE = "UO"  # letters that are no standard amino acids


def all_forms(peptide: Peptide, linear: bool = False) -> list[Peptide]:
    """All distinct peptides that are the same one read elsewhere: rotations and directions, in lexicographic order.

    Parameters
    ----------
    peptide : Peptide
    linear : bool
        Whether the peptide is linear: then its two directions.
    """
    n = len(peptide)
    ways = np.stack((peptide.masses, peptide.masses[::-1]))
    if not linear:
        places = (np.arange(n)[:, None] + np.arange(n)) % n
        ways = ways[:, places].reshape(2 * n, n)
    return [Peptide(row, peptide.decimals) for row in distinct_rows(ways)]


def least_direction(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lesser of each row and its reversal; (n_rows, n), n at least 1."""
    backward = rows[:, ::-1]
    first = (rows != backward).argmax(axis=1)[:, None]
    is_less = np.take_along_axis(backward, first, axis=1) < np.take_along_axis(rows, first, axis=1)
    return np.where(is_less, backward, rows)


class LetterSpeller:
    """Spells peptides by the letters of their residues' masses.

    Parameters
    ----------
    masses : ResidueMasses
        Letters of the 20 standard amino acids, and those that the user added.
    tolerance : Tolerance
        Maximum difference between a residue and the mass of its letter.
    """

    def __init__(self, masses: ResidueMasses, tolerance: Tolerance = EXACT) -> None:
        own = (key for key in masses.by_key if len(key) == 1 and key not in STANDARD_LETTERS + _RARE)
        self._letters = sorted((*STANDARD_LETTERS, *own))
        self._masses, self._tolerance = masses, tolerance
        self._known: dict[tuple[int, int], str] = {}

    def spell(self, peptide: Peptide) -> str:
        """Spell a peptide: ``N(K/Q)E(I/L)``; residues without a letter by mass, ``[99.5]``."""
        return "".join(self._residue(mass, peptide.decimals) for mass in peptide.masses.tolist())

    def _residue(self, mass: int, decimals: int) -> str:
        if (mass, decimals) not in self._known:
            self._known[mass, decimals] = self._found(mass, decimals)
        return self._known[mass, decimals]

    def _found(self, mass: int, decimals: int) -> str:
        most = max(decimals, self._masses.decimals)
        units, width = mass * 10 ** (most - decimals), self._tolerance.units(mass * 10 ** (most - decimals), most)
        letters = [
            letter for letter in self._letters if abs(to_units(self._masses.by_key[letter], most) - units) <= width
        ]
        if not letters:
            return f"[{format_units(mass, decimals)}]"
        return letters[0] if len(letters) == 1 else f"({'/'.join(letters)})"
