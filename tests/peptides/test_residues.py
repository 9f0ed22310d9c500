"""Masses of residues."""

from __future__ import annotations

from decimal import Decimal

import pytest
from Bio.SeqUtils import molecular_weight

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.notation import parse_peptide
from debruijn_gpu.peptides.residues import MASS_KINDS, STANDARD_LETTERS, residue_masses

TEXTBOOK = {
    "G": 57, "A": 71, "S": 87, "P": 97, "V": 99, "T": 101, "C": 103, "I": 113, "L": 113, "N": 114, "D": 115, "K": 128,
    "Q": 128, "E": 129, "M": 131, "H": 137, "F": 147, "R": 156, "Y": 163, "W": 186, "U": 151, "O": 237,
}  # fmt: skip


def test_integer_masses_are_the_textbook_s():
    masses = residue_masses()
    assert {letter: masses.letter(letter) for letter in TEXTBOOK} == TEXTBOOK
    assert masses.decimals == 0
    assert masses.standard == sorted({TEXTBOOK[letter] for letter in STANDARD_LETTERS})


@pytest.mark.parametrize("kind", MASS_KINDS[1:])
@pytest.mark.parametrize("letters", [STANDARD_LETTERS, "UO", "G" * 100])
def test_weights_are_biopython_s(kind, letters):
    judge = molecular_weight(letters, "protein", circular=True, monoisotopic=kind == "monoisotopic")
    masses = residue_masses(kind)
    assert sum(masses.units(letters)) / 10**masses.decimals == pytest.approx(judge, abs=6e-6 * len(letters))


@pytest.mark.parametrize(
    ("peptide", "monoisotopic", "average"),
    [
        ("-".join(["dPhe-Pro-Val-Orn-Leu"] * 2), "1140.706", "1141.45"),  # gramicidin S
        ("MeBmt-Abu-Sar-MeLeu-Val-MeLeu-Ala-dAla-MeLeu-MeLeu-MeVal", "1201.841", "1202.61"),  # cyclosporin A
    ],
)
def test_known_cyclic_peptides(peptide, monoisotopic, average):
    for kind, expected in (("monoisotopic", monoisotopic), ("average", average)):
        found = parse_peptide(peptide, residue_masses(kind))
        assert found.total / 10**found.decimals == pytest.approx(
            float(expected), abs=0.02 if kind == "average" else 5e-4
        )


@pytest.mark.parametrize("kind", MASS_KINDS)
def test_isomers_have_one_mass(kind):
    masses = residue_masses(kind)
    for one, other in (
        ("Sar", "A"),
        ("Nva", "V"),
        ("Nle", "L"),
        ("Hse", "T"),
        ("hSer", "T"),
        ("MeGly", "A"),
        ("Tle", "I"),
    ):
        assert abs(masses.named(one) - masses.letter(other)) <= (Decimal("0.0009") if kind == "average" else 0), one


@pytest.mark.parametrize("name", ["Orn", "orn", "ORN", "ornithine", "dOrn", "D-Orn", "L-Orn", "DL-Orn"])
def test_names(name):
    assert residue_masses("monoisotopic").named(name) == Decimal("114.07931")


@pytest.mark.parametrize("name", ["", "G", "xyz", "d", "dG", "Or", "D-", "D-D-Orn", "d" * 10000 + "orn", "me" * 5000])
def test_what_is_no_name(name):
    assert residue_masses().named(name) is None


def test_a_table_replaces_under_all_names_and_adds():
    table = {
        "G": Decimal("60.5"),
        "ala": Decimal(70),
        "Val": Decimal(90),
        "V": Decimal(91),
        "b": Decimal("1.234567"),
        "Xx": Decimal(5),
    }
    masses = residue_masses("integer", table)
    assert (masses.letter("G"), masses.named("Gly"), masses.named("dGly")) == (Decimal("60.5"),) * 3
    assert masses.letter("A") == masses.named("Ala") == 70
    assert (masses.letter("V"), masses.named("Val")) == (91, 90)
    assert masses.letter("b") == Decimal("1.234567")
    assert masses.letter("B") is None
    assert masses.named("xx") == 5
    assert masses.decimals == 6
    assert masses.units("GS") == [60_500_000, 87_000_000]


def test_an_unknown_kind_is_an_error():
    with pytest.raises(ParameterError, match="nominal"):
        residue_masses("nominal")
