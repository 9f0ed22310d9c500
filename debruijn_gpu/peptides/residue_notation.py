"""One residue of a peptide as text: by mass, by letter or by name, and its modifications."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.residues import NO_RESIDUE, ResidueMasses
from debruijn_gpu.peptides.spectrum import PLAIN_NUMBER, n_decimals, read_number, to_units
from debruijn_gpu.run.plain_text import shorten


class PeptideError(ParameterError):
    """A text is no peptide.

    Attributes
    ----------
    reason : str
        What is wrong.
    offset : int
        Where in the text, from 0.
    """

    def __init__(self, text: str, offset: int, reason: str, fix: str) -> None:
        super().__init__(f"{shorten(text)}: position {offset + 1}: {reason}", fix)
        self.reason = reason
        self.offset = offset


@dataclass(frozen=True)
class Residue:
    """A residue in the text, its name without modifications; "" if it is a mass."""

    offset: int
    name: str
    mass: Decimal
    modifications: tuple[str, ...] = ()

    @property
    def written(self) -> str:
        return self.name + "".join(f"[{text}]" for text in self.modifications)

    def decimals(self, of_table: int) -> int:
        base = of_table if self.name else n_decimals(self.mass)
        return max(base, *(n_decimals(Decimal(text)) for text in self.modifications), 0)

    def units(self, decimals: int) -> int:
        """Mass with modifications."""
        return sum(to_units(each, decimals) for each in (self.mass, *map(Decimal, self.modifications)))


def residue_by_mass(text: str, offset: int, written: str) -> Residue:
    """Read a residue that is written as a mass."""
    mass = read_number(written)
    if mass is not None:
        return Residue(offset, "", mass)
    if PLAIN_NUMBER.fullmatch(written):
        raise PeptideError(text, offset, f"{shorten(written)} is beyond all masses", "check the masses")
    fix = "write masses with hyphens between, as in 57-71.03711-113"
    raise PeptideError(text, offset, f"'{shorten(written)}' is not a mass", fix)


def residue_by_letter(text: str, offset: int, letter: str, masses: ResidueMasses) -> Residue:
    """Look up a residue by its letter."""
    mass = masses.letter(letter)
    if mass is not None:
        return Residue(offset, letter, mass)
    if letter in NO_RESIDUE:
        why, _, fix = NO_RESIDUE[letter].partition("; ")
        raise PeptideError(text, offset, f"{letter!r} {why}", fix)
    if letter in "[]":
        raise PeptideError(text, offset, f"{letter!r} without its counterpart", "close brackets, as in M[+15.995]EL")
    if letter.isdigit() or letter in ".,+":
        fix = "write masses with hyphens between, as in 57-71-113, and modifications as M[+15.995]"
        raise PeptideError(text, offset, f"{letter!r} among letters", fix)
    if letter.islower() and masses.letter(letter.upper()) is not None:
        fix = "write letters in capitals, and names as Val-Orn-dPhe or V[Orn]F"
        raise PeptideError(text, offset, f"{letter!r}: capitals and lower case in one peptide", fix)
    raise PeptideError(text, offset, f"{letter!r} is no amino acid", "check the peptide, or give a table (--masses)")


def residue_by_name(text: str, offset: int, name: str, masses: ResidueMasses) -> Residue:
    """Look up a residue by its name."""
    mass = masses.named(name)
    if mass is not None:
        return Residue(offset, name, mass)
    if len(name) == 1 and masses.letter(name) is not None:
        fix = "write names as Val-Orn-Leu, or letters and names as V[Orn]L"
        raise PeptideError(text, offset, f"{name!r}: a letter where a name should be", fix)
    fix = "give its mass in a table (--masses); modifications are written by mass, as M[+15.995]"
    raise PeptideError(text, offset, f"'{shorten(name)}' is no residue that is known", fix)


def with_modification(text: str, offset: int, residue: Residue, inside: str) -> Residue:
    """Add a modification, the text within brackets, to a residue."""
    if inside[:1] not in ("+", "-") or read_number(inside[1:]) is None:
        fix = "write the difference in mass with its sign, as in M[+15.995]"
        raise PeptideError(text, offset, f"'{shorten(inside)}' is no modification", fix)
    return Residue(residue.offset, residue.name, residue.mass, (*residue.modifications, inside))
