"""Linear peptides of ideal spectra, against all peptides."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.errors import NoPeptideError, ParameterError, SearchLimitError
from debruijn_gpu.peptides.forms import LetterSpeller, all_forms, least_direction
from debruijn_gpu.peptides.options import parse_tolerance
from debruijn_gpu.peptides.residues import make_alphabet, residue_masses
from debruijn_gpu.peptides.spectrum import Peptide
from debruijn_gpu.peptides.turnpike import sequence_linear
from tests.helpers import n_examples
from tests.naive import sequencing as naive
from tests.peptides.spectrum_data import STANDARD, spectrum_of


def found_in(masses, alphabet):
    return [tuple(peptide.masses.tolist()) for peptide in sequence_linear(spectrum_of(masses), alphabet)]


@given(residues=st.lists(st.sampled_from([2, 3, 5]), min_size=1, max_size=5))
@settings(max_examples=n_examples(100), deadline=None)
def test_all_peptides_with_the_spectrum_are_found(residues):
    masses = naive.linear_masses(residues)
    expected = {
        min(peptide, peptide[::-1])
        for peptide in naive.peptides(sum(residues), [2, 3, 5])
        if naive.linear_masses(peptide) == masses
    }
    assert found_in(masses, make_alphabet([2, 3, 5])) == sorted(expected)


def test_homometric_sets():
    """Two sets of points with the same differences (Bloom 1977)."""
    masses = naive.linear_masses([1, 3, 4, 3, 1])
    assert (1, 3, 4, 3, 1) in found_in(masses, make_alphabet(range(1, 13)))
    points = [0, 1, 4, 10, 12, 17]
    other = [0, 1, 8, 11, 13, 17]
    assert sorted(naive.linear_masses(np.diff(points).tolist())) == sorted(naive.linear_masses(np.diff(other).tolist()))
    found = found_in(naive.linear_masses(np.diff(points).tolist()), make_alphabet(range(1, 18)))
    assert len(found) == 2


def test_long_peptides():
    rng = random.Random(5)
    residues = rng.choices(STANDARD.masses.tolist(), k=60)
    assert min(tuple(residues), tuple(residues[::-1])) in found_in(naive.linear_masses(residues), STANDARD)


def test_missing_ends_are_added_and_faults_reported(caplog):
    masses = naive.linear_masses([2, 3, 5])
    assert found_in(masses[1:], make_alphabet([2, 3, 5])) == [(2, 3, 5)]
    assert "has no mass 0: it is added" in caplog.text
    whole = sequence_linear(spectrum_of(masses[:-1]), make_alphabet([2, 3, 5]), parent=10)
    assert [peptide.masses.tolist() for peptide in whole] == [[2, 3, 5]]
    with pytest.raises(ParameterError, match="has 6 masses"):
        found_in([0, 1, 2, 3, 4, 9], STANDARD)
    with pytest.raises(NoPeptideError):
        found_in([0, 1, 2, 9], make_alphabet([1, 2]))
    with pytest.raises(ParameterError):
        found_in([0], STANDARD)


@given(residues=st.lists(st.integers(1, 3), min_size=1, max_size=6))
def test_forms_are_all_rotations_of_both_directions(residues):
    n, twice = len(residues), residues * 2
    rotations = {tuple(twice[i : i + n]) for i in range(n)}
    forms = [tuple(form.masses.tolist()) for form in all_forms(Peptide(np.array(residues)))]
    assert forms == sorted(rotations | {form[::-1] for form in rotations})
    both = [tuple(form.masses.tolist()) for form in all_forms(Peptide(np.array(residues)), linear=True)]
    assert both == sorted({tuple(residues), tuple(residues[::-1])})
    assert tuple(least_direction(np.array([residues]))[0].tolist()) == both[0]


def test_letters_within_a_tolerance():
    masses = residue_masses("monoisotopic")
    peptide = Peptide(np.array([11308, 12806, 12809, 5000]), 2)
    assert LetterSpeller(masses).spell(peptide) == "[113.08][128.06][128.09][50.00]"
    assert LetterSpeller(masses, parse_tolerance("0.01")).spell(peptide) == "(I/L)QK[50.00]"
    assert LetterSpeller(masses, parse_tolerance("0.05")).spell(peptide) == "(I/L)(K/Q)(K/Q)[50.00]"


def test_hopeless_search_ends():
    """The spectrum of 40 equal residues, but for two masses."""
    masses = sorted(naive.linear_masses([1] * 40))
    for _ in range(2):
        masses[masses.index(20)] = 21
    with pytest.raises(SearchLimitError, match="after 1 million steps"):
        sequence_linear(spectrum_of(sorted(masses)), make_alphabet([1, 2, 3]), steps=1)
