"""Peptides as text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.notation import parse_peptide, spell_peptide
from debruijn_gpu.peptides.residue_notation import PeptideError
from debruijn_gpu.peptides.residues import STANDARD_LETTERS, residue_masses

INTEGER = residue_masses()
EXACT = residue_masses("monoisotopic")

letters = st.sampled_from(STANDARD_LETTERS + "UO")
names = st.sampled_from(["Val", "Orn", "dPhe", "D-Phe", "MeLeu", "Gly", "pGlu", "ornithine"])
decimal_text = st.decimals("0.000000001", 10000, places=None, allow_nan=False).map(lambda x: f"{x:.9f}").map(str)
masses = st.one_of(st.integers(1, 10**9).map(str), decimal_text.filter(lambda text: Decimal(text) > 0))
modifications = st.lists(st.sampled_from(["[+15.995]", "[-0.5]", "[+1]", "[ +3.000001 ]"]), max_size=2).map("".join)


def modified(residues):
    return st.tuples(residues, modifications).map("".join)


peptides = st.one_of(
    st.lists(modified(st.one_of(letters, names.map("[{}]".format))), min_size=1).map("".join),
    st.lists(modified(names), min_size=2).map("-".join),
    st.lists(modified(letters), min_size=2).map(" - ".join),
    st.lists(masses, min_size=1).map("-".join),
)


@pytest.mark.parametrize(
    ("text", "expected", "decimals"),
    [
        ("NQEL", [114, 128, 129, 113], 0),
        ("57-71-113-113-128", [57, 71, 113, 113, 128], 0),
        ("57", [57], 0),
        ("007", [7], 0),
        ("57.02146-.5-71.", [5702146, 50000, 7100000], 5),
        ("Val-Orn-Leu-dPhe-Pro", [99, 114, 113, 147, 97], 0),
        ("D-Phe-Pro-D - Val", [147, 97, 99], 0),
        ("L-D", [113, 115], 0),
        ("M[+15.995]EL", [146995, 129000, 113000], 3),
        ("M[-1][+2]", [132], 0),
        ("V[Orn]LFP", [99, 114, 113, 147, 97], 0),
        ("Orn[+14.016]-Leu", [128016, 113000], 3),
        ("57[+1]-71", [58, 71], 0),
        ("4611686018427387902-1", [4611686018427387902, 1], 0),
    ],
)
def test_notations(text, expected, decimals):
    peptide = parse_peptide(text, INTEGER)
    assert peptide.masses.tolist() == expected
    assert peptide.masses.dtype == np.int64
    assert peptide.decimals == decimals


def test_decimals_of_the_table_stay():
    peptide = parse_peptide("G[+1]A", EXACT, "name")
    assert (peptide.masses.tolist(), peptide.decimals) == ([5802146, 7103711], 5)
    assert (peptide.names, peptide.label) == (("G[+1]", "A"), "name")
    assert parse_peptide("G[+1.1234567]", EXACT).masses.tolist() == [581449167]
    assert parse_peptide("57-71", EXACT).decimals == 0


def test_letters_of_a_table_know_case():
    masses = residue_masses("integer", {"s": Decimal(167), "X": Decimal(100)})
    assert parse_peptide("SsX", masses).masses.tolist() == [87, 167, 100]
    with pytest.raises(PeptideError, match="position 2: 'a'"):
        parse_peptide("sa", masses)


@given(peptides, st.sampled_from([INTEGER, EXACT]))
def test_what_is_spelled_reads_the_same(text, masses):
    peptide = parse_peptide(text, masses)
    again = parse_peptide(spell_peptide(peptide), masses)
    assert again.masses.tolist() == peptide.masses.tolist()
    assert (again.decimals, again.names) == (peptide.decimals, peptide.names)
    assert peptide.masses.min() > 0


def test_lower_case_letters_mean_the_same_where_they_are_allowed():
    folded = replace(INTEGER, lower_case=True)
    for text in (" nq el\t", "nqel", "NQEL"):
        assert parse_peptide(text, folded).masses.tolist() == [114, 128, 129, 113]
    assert parse_peptide("v[Orn]lfp", folded).masses.tolist() == [99, 114, 113, 147, 97]
    for text, reason in (("nqbl", "'B' is aspartic acid or asparagine"), ("nQ", "capitals and lower case")):
        with pytest.raises(ParameterError, match=reason):
            parse_peptide(text, folded)


def test_spelling():
    for text in ("NQEL", "Val-Orn-D-Phe", "V[Orn][+1.5]LFP[-2]", "[Orn]", "57-71.50"):
        whole = text.replace("57-", "57.00-")
        assert spell_peptide(parse_peptide(text, INTEGER)) == whole


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("NQXL", 3, "'X' is any amino acid"),
        ("NQBL", 3, "'B' is aspartic acid or asparagine"),
        ("nqbl", 1, "'n' is lower case"),
        (" v[Orn]l", 2, "'v' is lower case"),
        ("JZ", 1, "'J' is leucine or isoleucine"),
        ("Z", 1, "'Z' is glutamic acid or glutamine"),
        ("NQ*", 3, "'*' is the end of a translation"),
        ("57-A-113", 4, "'A': masses and names in one peptide"),
        ("Orn-57", 5, "'57': masses and names in one peptide"),
        ("57--71", 4, "nothing before this hyphen"),
        ("57 - -71", 6, "nothing before this hyphen"),
        ("-57", 1, "nothing before this hyphen"),
        ("-", 1, "nothing before this hyphen"),
        ("57- ", 3, "nothing behind this hyphen"),
        ("0", 1, "0 is no mass"),
        ("57.0-0.0", 6, "0.0 is no mass"),
        ("GA[-71]", 2, "A[-71] weighs 0; masses must be above 0"),
        ("GA[-71.5]", 2, "A[-71.5] weighs -0.5; masses must be above 0"),
        ("57,71", 1, "'57,71' is not a mass"),
        ("57 71", 1, "'57 71' is not a mass"),
        ("1e5-7", 1, "'1e5' is not a mass"),
        ("NQ57", 3, "'5' among letters"),
        ("fPVOL", 1, "'f': capitals and lower case"),
        ("ValOrnLeu", 2, "'a': capitals and lower case"),
        ("A-Orn-C", 1, "'A': a letter where a name should be"),
        ("Orn-Foo", 5, "'Foo' is no residue that is known"),
        ("D-Orn-L", 7, "'L': a letter where a name should be"),
        ("A[Oxidation]", 2, "'Oxidation' is no residue"),
        ("A[]", 2, "'' is no residue"),
        ("[+42]NQ", 1, "a modification before the first residue"),
        ("A[+1", 2, "'[' without its counterpart"),
        ("A]", 2, "']' without its counterpart"),
        ("A[[+1]]", 2, "'[' without its counterpart"),
        ("A[+x]", 2, "'+x' is no modification"),
        ("57-71[x]", 6, "'x' is no modification"),
        ("[Orn]-Leu", 1, "'[Orn]' is no residue"),
        ("Orn[+1]x-Leu", 1, "'Orn[+1]x' is no residue"),
        ("57-" + "9" * 25, 4, "beyond 2^62 Da"),
        ("4611686018427387902-2", 21, "beyond 2^62 Da"),
        ("57.123456789-99999999999", 14, "beyond 2^62 units of 10^-9 Da"),
        ("9" * 10000, 1, "is beyond all masses"),
        ("57-5.1234567890", 4, "10 decimals"),
        ("A[+1.1234567890]", 1, "10 decimals"),
        ("ß", 1, "is no amino acid"),
        ("N\x1b[31m", 2, "is no amino acid"),
        ("٣", 1, "among letters"),
        ("\N{EN DASH}", 1, "is no amino acid"),
    ],
)
def test_faults_say_where_and_why(text, position, reason):
    with pytest.raises(PeptideError) as caught:
        parse_peptide(text, INTEGER)
    error = caught.value
    assert f"position {position}: " in error.what
    assert reason in error.reason
    assert error.offset == position - 1
    assert error.exit_code == 67
    assert error.fix
    assert len(error.what) < 200
    assert error.what.isprintable()


@pytest.mark.parametrize("text", ["", " \t\n"])
def test_the_empty_peptide_is_an_error(text):
    with pytest.raises(ParameterError, match="the peptide is empty"):
        parse_peptide(text, INTEGER)


@given(st.text("ANXval-[]+.0159 Orn", max_size=20))
def test_any_text_is_a_peptide_or_an_error(text):
    with suppress(ParameterError):
        assert parse_peptide(text, EXACT).masses.min() > 0
