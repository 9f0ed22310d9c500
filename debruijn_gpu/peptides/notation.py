"""Peptides as text.

Three notations, not mixed:

- letters: ``NQEL``, and residues by name in brackets: ``V[Orn]LFP``. Letters are capitals. With
  `ResidueMasses.lower_case` all of them may be in lower case, which means the same: D-amino acids weigh what L ones do.
  Both in one peptide are an error, as they may be names without hyphens. Blanks do not count;
- names with hyphens between: ``Val-Orn-Leu-dPhe-Pro``, ``D-Phe-Pro``; or letters, ``N-Q-E-L``;
- masses with hyphens between: ``57-71.03711-113``.

A residue may be modified: ``M[+15.995]EL``, ``Orn[+14.016]-Leu``. All masses are exact: a peptide has the most decimals
of its masses, its modifications and the table in which its residues are looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.residue_notation import (
    PeptideError,
    Residue,
    residue_by_letter,
    residue_by_mass,
    residue_by_name,
    with_modification,
)
from debruijn_gpu.peptides.residues import ResidueMasses
from debruijn_gpu.peptides.spectrum import (
    MAX_DECIMALS,
    MAX_UNITS,
    Peptide,
    format_units,
    n_decimals,
    of_units,
    read_number,
    to_units,
)
from debruijn_gpu.run.plain_text import shorten

_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_MASS_START = re.compile(r"[0-9.]")
_TOKEN = re.compile(r"[^-]+|-")
_HANDED = ("D", "L", "DL")


def parse_peptide(text: str, masses: ResidueMasses, label: str = "") -> Peptide:
    """Read a peptide in any of the notations.

    Raises
    ------
    PeptideError
        If it is none; says where and why.
    ParameterError
        If it is empty.
    """
    if not text.strip():
        raise ParameterError("the peptide is empty", "write its residues, as in NQEL or 57-71-113")
    unmodified = _unmodified(text, masses)
    if unmodified is not None:
        units, decimals, names = unmodified
    else:
        residues = _residues(text, masses)
        decimals = _decimals(text, residues, masses.decimals)
        units = _units(text, residues, decimals)
        names = tuple(residue.written for residue in residues) if residues[0].name else ()
    return Peptide(np.array(units, np.int64), decimals, names, label)


def spell_peptide(peptide: Peptide) -> str:
    """A peptide as text that `parse_peptide` reads: names, letters with names in brackets, or masses."""
    if not peptide.names:
        return "-".join(format_units(mass, peptide.decimals) for mass in peptide.masses.tolist())
    parts = [(name.partition("[")[0], "".join(_BRACKETS.findall(name))) for name in peptide.names]
    if len(parts) > 1 and all(len(base) > 1 for base, _ in parts):
        return "-".join(peptide.names)
    return "".join((base if len(base) == 1 else f"[{base}]") + modifications for base, modifications in parts)


def _unmodified(text: str, masses: ResidueMasses) -> tuple[list[int], int, tuple[str, ...]] | None:
    """Units, decimals and names of letters alone or masses alone, which may be many; None for all else."""
    parts = text.split("-")
    letters = len(parts) == 1 and not text[0].isdigit()
    if letters:
        parts = list("".join(text.split()))
        values = {part: masses.letter(part) for part in set(parts)}
    else:
        values = {part: read_number(part) for part in set(parts)}
    found = {part: value for part, value in values.items() if value}
    if len(found) < len(values):
        return None
    decimals = masses.decimals if letters else max(map(n_decimals, found.values()))
    if decimals > MAX_DECIMALS:
        return None
    units_of = {part: to_units(value, decimals) for part, value in found.items()}
    units = [units_of[part] for part in parts]
    return (units, decimals, tuple(parts) if letters else ()) if sum(units) < MAX_UNITS else None


def _residues(text: str, masses: ResidueMasses) -> list[Residue]:
    plain = _BRACKETS.sub(lambda match: "[" * len(match[0]), text)
    if "-" in plain or _MASS_START.match(plain.strip()):
        return _listed(text, plain, masses)
    return _lettered(text, masses)


def _decimals(text: str, residues: Sequence[Residue], of_table: int) -> int:
    """The most decimals of the residues."""
    most = max(residues, key=lambda residue: residue.decimals(of_table))
    decimals = most.decimals(of_table)
    if decimals > MAX_DECIMALS:
        raise PeptideError(text, most.offset, f"{decimals} decimals", f"round to {MAX_DECIMALS} decimals")
    return decimals


def _units(text: str, residues: Sequence[Residue], decimals: int) -> list[int]:
    """Masses in units of 10^-decimals, all above 0."""
    units, total = [], 0
    for residue in residues:
        mass = residue.units(decimals)
        total += mass
        if mass <= 0:
            what = residue.written or format_units(mass, decimals)
            more = f" weighs {format_units(mass, decimals)}" if residue.modifications else " is no mass"
            reason = f"{shorten(what)}{more}; masses must be above 0"
            raise PeptideError(text, residue.offset, reason, "check the masses")
        if total >= MAX_UNITS:
            reason = f"masses up to here are beyond {of_units('2^62', decimals)}"
            raise PeptideError(text, residue.offset, reason, "check the masses, or write fewer decimals")
        units.append(mass)
    return units


def _lettered(text: str, masses: ResidueMasses) -> list[Residue]:
    """Residues of letters, and of names in brackets."""
    letters = _BRACKETS.sub("", text)
    plain = _BRACKETS.sub(lambda match: "[" * len(match[0]), text)
    is_lower = letters.islower() and not any(masses.letter(letter) for letter in letters)
    fold = is_lower and masses.lower_case
    if is_lower and not fold and letters.isascii() and "".join(letters.split()).isalpha():
        offset = next(place for place, letter in enumerate(plain) if letter.islower())
        fix = "write residues in capitals, as in NQEL, or give --lower-case"
        raise PeptideError(text, offset, f"{text[offset]!r} is lower case", fix)
    residues: list[Residue] = []
    end = 0
    while end < len(text):
        start, symbol = end, text[end]
        match = _BRACKETS.match(text, start)
        end = match.end() if match else start + 1
        if symbol.isspace():
            continue
        inside = match[0][1:-1].strip() if match else ""
        if match and inside[:1] in ("+", "-"):
            if not residues:
                raise PeptideError(text, start, "a modification before the first residue", "write it behind a residue")
            residues[-1] = with_modification(text, start, residues[-1], inside)
        elif match:
            residues.append(residue_by_name(text, start, inside, masses))
        else:
            residues.append(residue_by_letter(text, start, symbol.upper() if fold else symbol, masses))
    return residues


def _listed(text: str, plain: str, masses: ResidueMasses) -> list[Residue]:
    """Residues with hyphens between, all by masses, all by names or all by letters; `plain` hides the brackets."""
    elements = list(_elements(text, plain))
    lone_letters = all(len(element.base) == 1 and not element.base.isdigit() for element in elements)
    _check_not_mixed(text, elements)
    residues: list[Residue] = []
    for element in elements if lone_letters else _handed(elements):
        offset, base = element.offset, element.base
        if _MASS_START.match(base):
            residue = residue_by_mass(text, offset, base)
        elif lone_letters:
            residue = residue_by_letter(text, offset, base, masses)
        else:
            residue = residue_by_name(text, offset, base, masses)
        for at, inside in element.brackets:
            residue = with_modification(text, at, residue, inside)
        residues.append(residue)
    return residues


def _check_not_mixed(text: str, elements: Sequence[_Element]) -> None:
    by_mass = _MASS_START.match(elements[0].base)
    other = next((each for each in elements if bool(_MASS_START.match(each.base)) != bool(by_mass)), None)
    if other is not None:
        reason = f"'{shorten(other.base)}': masses and names in one peptide"
        raise PeptideError(
            text, other.offset, reason, "write all residues by mass, or none; A[+14.016] is a modified A"
        )


@dataclass(frozen=True)
class _Element:
    """Element between hyphens: its offset, text outside brackets, and the brackets with their offsets."""

    offset: int
    base: str
    brackets: list[tuple[int, str]]


def _elements(text: str, plain: str) -> Iterator[_Element]:
    after_hyphen = True
    for match in _TOKEN.finditer(plain):
        token, start = match[0], match.start()
        if token == "-":
            if after_hyphen:
                fix = "write one hyphen between residues; masses are above 0"
                raise PeptideError(text, start, "nothing before this hyphen", fix)
            after_hyphen = True
        elif token.strip():
            start += len(token) - len(token.lstrip())
            yield _element(text, start, text[start : match.end()].rstrip(), plain)
            after_hyphen = False
    if after_hyphen:
        raise PeptideError(text, len(text.rstrip()) - 1, "nothing behind this hyphen", "write what follows it")


def _element(text: str, start: int, whole: str, plain: str) -> _Element:
    base = plain[start : start + len(whole)].partition("[")[0].rstrip()
    brackets = [(start + each.start(), each[0][1:-1].strip()) for each in _BRACKETS.finditer(whole)]
    if not base or _BRACKETS.sub("", whole[len(base) :]).strip():
        raise PeptideError(text, start, f"'{shorten(whole)}' is no residue", "write as in Val-Orn[+14.016]-Leu")
    return _Element(start, base, brackets)


def _handed(elements: Sequence[_Element]) -> Iterator[_Element]:
    """Elements with D and L put before the names that they belong to."""
    waiting: _Element | None = None
    for element in elements:
        if waiting is not None:
            yield _Element(waiting.offset, f"{waiting.base}-{element.base}", element.brackets)
            waiting = None
        elif element.base in _HANDED and not element.brackets:
            waiting = element
        else:
            yield element
    if waiting is not None:
        yield waiting
