"""Masses of residues, and the alphabets of residues that peptides are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.peptides.options import MOST_RESIDUES
from debruijn_gpu.peptides.spectrum import MAX_UNITS, format_units, n_decimals, to_units


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
        raise OptionValueError("the alphabet is empty", "give at least one mass")
    if len(distinct) > MOST_RESIDUES:
        raise OptionValueError(f"the alphabet has {len(distinct):,} masses", f"give up to {MOST_RESIDUES:,}")
    if distinct[0] <= 0:
        raise OptionValueError(
            f"the alphabet has the mass {format_units(distinct[0], decimals)}", "residues have masses above 0"
        )
    if distinct[-1] >= MAX_UNITS:
        raise OptionValueError(
            f"the alphabet has the mass {format_units(distinct[-1], decimals)}",
            "give smaller masses, or fewer decimals",
        )
    return Alphabet(np.array(distinct, np.int64), decimals)


def range_alphabet(low: int, high: int) -> Alphabet:
    """All whole masses from low to high."""
    return make_alphabet(range(low, high + 1))


MASS_KINDS = ("integer", "monoisotopic", "average")

#: The 20 amino acids of the standard code
STANDARD_LETTERS = "ACDEFGHIKLMNPQRSTVWY"

#: Letters that stand for no one mass, and why
NO_RESIDUE = {
    "B": "is aspartic acid or asparagine, which differ in mass; write D or N",
    "J": "is leucine or isoleucine, which have one mass; write L or I",
    "X": "is any amino acid; write which, or give X a mass in a table (--masses)",
    "Z": "is glutamic acid or glutamine, which differ in mass; write E or Q",
    "*": "is the end of a translation; cut the peptide there",
}

#: Biopython's sixth decimal is lost in the difference to water: residues of one formula would differ by one
_DECIMALS = {"integer": 0, "monoisotopic": 5, "average": 4}
_WATER = {"monoisotopic": Decimal("18.010565"), "average": Decimal("18.0153")}

#: Monoisotopic and average masses of atoms (IUPAC, as Biopython's average masses have them)
_ATOMS = {
    "C": ("12", "12.0107"),
    "H": ("1.00782503207", "1.00794"),
    "N": ("14.0030740048", "14.0067"),
    "O": ("15.99491461956", "15.9994"),
    "S": ("31.972071", "32.065"),
}
_METHYLENE = "CH2"

#: Names of residues that have a letter
_LETTER_NAMES = {
    "A": "Ala", "R": "Arg", "N": "Asn", "D": "Asp", "C": "Cys", "Q": "Gln", "E": "Glu", "G": "Gly", "H": "His",
    "I": "Ile", "L": "Leu", "K": "Lys", "M": "Met", "F": "Phe", "P": "Pro", "S": "Ser", "T": "Thr", "W": "Trp",
    "Y": "Tyr", "V": "Val", "U": "Sec selenocysteine", "O": "Pyl pyrrolysine",
}  # fmt: skip

#: Residues without a letter: names, and what their formula is
_NAMED = {
    "Aad aminoadipate": "C6H9NO3",
    "Abu aminobutyrate": "C4H7NO",
    "Aib aminoisobutyrate": "C4H7NO",
    "aIle alloisoleucine": "C6H11NO",
    "aThr allothreonine": "C4H7NO2",
    "bAla betaalanine": "C3H5NO",
    "Bmt butenylmethylthreonine": "C9H15NO2",
    "Cha cyclohexylalanine": "C9H15NO",
    "Cit citrulline": "C6H11N3O2",
    "Dab diaminobutyrate": "C4H8N2O",
    "Dap Dpr diaminopropionate": "C3H6N2O",
    "Dha dehydroalanine": "C3H3NO",
    "Dhb dehydrobutyrine": "C4H5NO",
    "Hpg hydroxyphenylglycine": "C8H7NO2",
    "Hse homoserine": "C4H7NO2",
    "Hyp hydroxyproline": "C5H7NO2",
    "Kyn kynurenine": "C10H10N2O2",
    "Nle norleucine": "C6H11NO",
    "Nva norvaline": "C5H9NO",
    "Orn ornithine": "C5H10N2O",
    "pGlu Glp pyroglutamate": "C5H5NO2",
    "Phg phenylglycine": "C8H7NO",
    "Pip pipecolate": "C6H9NO",
    "Sar sarcosine": "C3H5NO",
    "Tle tertleucine": "C6H11NO",
}

#: What may stand before a name: D- and L-forms have one mass, N-methyl and homo forms one CH2 more
_PREFIXES = {"d": "", "me": _METHYLENE, "nme": _METHYLENE, "h": _METHYLENE}
_HANDEDNESS = re.compile(r"(?:DL?|L)-")
_SHORTEST_NAME, _LONGEST_NAME = 3, 40


@dataclass(frozen=True, eq=False)
class ResidueMasses:
    """Masses of residues, by letter and by name.

    Attributes
    ----------
    kind : str
        One of `MASS_KINDS`.
    by_key : mapping of str to Decimal
        Letters as they are, longer names in lower case.
    lower_case : bool
        Whether a peptide that is all in lower case means the same as in capitals.
    decimals : int
        The most that a mass of the table has.
    """

    kind: str
    by_key: Mapping[str, Decimal]
    lower_case: bool = False

    @cached_property
    def decimals(self) -> int:
        return max(_DECIMALS[self.kind], *map(n_decimals, self.by_key.values()))

    def letter(self, letter: str) -> Decimal | None:
        """Mass by the one-letter code; None if there is no such residue."""
        return self.by_key.get(letter)

    def named(self, name: str) -> Decimal | None:
        """Mass by a name of three characters or more, in any case, as in Orn, dPhe, D-Phe, MeVal, hSer; or None.

        A name of two characters is found if the user gave it.
        """
        key = _HANDEDNESS.sub("", name, count=1).lower()
        return self._found(key) if 1 < len(key) <= _LONGEST_NAME else None

    def units(self, letters: str) -> list[int]:
        """Masses of letters in units of 10^-decimals."""
        return [to_units(self.by_key[letter], self.decimals) for letter in letters]

    @property
    def standard(self) -> list[int]:
        """The distinct masses of the 20 standard amino acids, ascending, in units of 10^-decimals."""
        return sorted(set(self.units(STANDARD_LETTERS)))

    def _found(self, key: str) -> Decimal | None:
        if key in self.by_key:
            return self.by_key[key]
        for prefix, formula in _PREFIXES.items():
            rest = key[len(prefix) :]
            if key.startswith(prefix) and len(rest) >= _SHORTEST_NAME:
                mass = self._found(rest)
                if mass is not None:
                    return mass + _formula_mass(formula, self.kind)
        return None


def residue_masses(kind: str = "integer", table: Mapping[str, Decimal] | None = None) -> ResidueMasses:
    """Masses of all residues that are known.

    Parameters
    ----------
    kind : str
        One of `MASS_KINDS`.
    table : mapping of str to Decimal, optional
        Masses by letter or name, above 0, which replace ours under all names of the residue, or are added.

    Raises
    ------
    ParameterError
        If there is no such kind.
    """
    if kind not in MASS_KINDS:
        raise OptionValueError(f"{kind}: no kind of masses", f"choose one of {', '.join(MASS_KINDS)}")
    keys_of: dict[str, tuple[str, ...]] = {}
    by_key: dict[str, Decimal] = {}
    for keys, mass in _known(kind):
        by_key.update(dict.fromkeys(keys, mass))
        keys_of.update(dict.fromkeys(keys, keys))
    theirs = {name_key(name): mass for name, mass in (table or {}).items()}
    for key, mass in theirs.items():
        by_key.update(dict.fromkeys(keys_of.get(key, (key,)), mass))
    return ResidueMasses(kind, by_key | theirs)


def name_key(name: str) -> str:
    """Normalise the name of a residue for lookup."""
    return name if len(name) == 1 else name.lower()


def _known(kind: str) -> list[tuple[tuple[str, ...], Decimal]]:
    """Keys of each residue, and its mass."""
    from Bio.Data import IUPACData

    exact = "monoisotopic" if kind == "integer" else kind
    weights = IUPACData.monoisotopic_protein_weights if exact == "monoisotopic" else IUPACData.protein_weights
    found = []
    for letter, names in _LETTER_NAMES.items():
        mass = Decimal(repr(weights[letter])) - _WATER[exact]
        found.append(((letter, *names.lower().split()), _rounded(mass, kind)))
    for names, formula in _NAMED.items():
        found.append((tuple(names.lower().split()), _formula_mass(formula, kind)))
    return found


def _formula_mass(formula: str, kind: str) -> Decimal:
    """Mass of a formula like C5H10N2O; 0 for the empty one."""
    of_kind = 1 if kind == "average" else 0
    mass = Decimal(0)
    for atom, count in re.findall(r"([A-Z])([0-9]*)", formula):
        mass += Decimal(_ATOMS[atom][of_kind]) * int(count or 1)
    return _rounded(mass, kind)


def _rounded(mass: Decimal, kind: str) -> Decimal:
    return mass.quantize(Decimal(1).scaleb(-_DECIMALS[kind]))
