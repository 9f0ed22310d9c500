"""Cyclic peptides of ideal spectra."""

from __future__ import annotations

import itertools
import logging

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import FormatError, NoPeptideError, ParameterError, SearchLimitError
from debruijn_gpu.peptides.ideal import sequence_ideal
from debruijn_gpu.peptides.residues import make_alphabet, range_alphabet
from tests.naive import sequencing as naive
from tests.peptides.spectrum_data import STANDARD, residues_of, spectrum_of

LEQN = [0, 113, 114, 128, 129, 227, 242, 242, 257, 355, 356, 370, 371, 484]


def test_textbook():
    assert residues_of(sequence_ideal(spectrum_of(LEQN), STANDARD)) == [(113, 114, 128, 129)]
    found = sequence_ideal(spectrum_of([0, 113, 128, 186, 241, 299, 314, 427]), STANDARD)
    assert residues_of(found) == [(113, 128, 186)]


@given(st.lists(st.sampled_from([3, 4, 5, 7]), min_size=1, max_size=5))
def test_all_peptides_of_a_spectrum_are_found(residues):
    masses = naive.cyclic_masses(residues)
    same = {
        naive.canonical(other)
        for other in itertools.product([3, 4, 5, 7], repeat=len(residues))
        if naive.cyclic_masses(other) == masses
    }
    assert residues_of(sequence_ideal(spectrum_of(masses), make_alphabet([7, 5, 3, 4, 9]))) == sorted(same)


def test_several_peptides_of_one_spectrum():
    """Two sets of places on a cycle with the same distances, which are not reflections of each other."""
    first, second = (1, 2, 5, 8), (1, 5, 2, 8)
    masses = naive.cyclic_masses(first)
    found = residues_of(sequence_ideal(spectrum_of(masses), range_alphabet(1, 20)))
    assert naive.canonical(first) in found
    assert all(naive.cyclic_masses(peptide) == masses for peptide in found)
    assert (naive.canonical(second) in found) == (naive.cyclic_masses(second) == masses)


@given(st.lists(st.sampled_from(STANDARD.masses.tolist()), min_size=1, max_size=14), st.integers(0, 13), st.booleans())
def test_planted_peptides_are_found(residues, start, backwards):
    start %= len(residues)
    turned = residues[start:] + residues[:start]
    found = sequence_ideal(spectrum_of(naive.cyclic_masses(turned[:: -1 if backwards else 1])), STANDARD)
    assert naive.canonical(residues) in residues_of(found)


@pytest.mark.parametrize(
    "residues",
    [(57,) * 20, (57, 71) * 10, (57,) * 19 + (71,), (57, 71, 57, 87) * 5, tuple(range(57, 77)), (57, 57, 71) * 6],
)
def test_long_and_repetitive_peptides(residues):
    found = sequence_ideal(spectrum_of(naive.cyclic_masses(residues)), range_alphabet(57, 200))
    assert naive.canonical(residues) in residues_of(found)


@pytest.mark.parametrize("n", [12, 16, 20])
def test_random_long_peptides(n):
    for seed in range(5):
        residues = np.random.default_rng(seed).choice(STANDARD.masses, n).tolist()
        assert naive.canonical(residues) in residues_of(
            sequence_ideal(spectrum_of(naive.cyclic_masses(residues)), STANDARD)
        )


def test_masses_with_decimals():
    found = sequence_ideal(
        spectrum_of([10 * mass for mass in LEQN], decimals=1), make_alphabet([11300, 11400, 12800, 12900], 2)
    )
    assert residues_of(found) == [(11300, 11400, 12800, 12900)]
    assert found[0].decimals == 2


def test_ends_that_are_not_there_are_added(caplog):
    found = sequence_ideal(spectrum_of(LEQN[1:-1]), STANDARD, parent=484)
    assert residues_of(found) == [(113, 114, 128, 129)]
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert ["no mass 0" in message or "no mass 484" in message for message in warnings] == [True, True]


@pytest.mark.parametrize(
    ("masses", "parent", "message"),
    [
        (LEQN[:-1], None, "13 masses"),
        ([*LEQN, 100], None, "15 masses"),
        ([0], None, "1 masses"),
        ([0, 0], None, "mass 0 more than once"),
        ([0, 57, 71, 128, 128, 128, 128, 128], None, "mass 128 more than once"),
        ([0, 57, 72, 128], None, "mass 57 and the rest of the cyclic peptide, 71"),
        ([0, 60, 60, 60, 60, 60, 60, 120], None, None),
        (LEQN, 483, "mass 484, above that of the peptide, 483"),
    ],
)
def test_spectra_of_no_cyclic_peptide(masses, parent, message):
    with pytest.raises((ParameterError, NoPeptideError)) as caught:
        sequence_ideal(spectrum_of(masses), STANDARD, parent)
    assert message is None or message in caught.value.what
    assert caught.value.fix


def test_nothing_to_find():
    with pytest.raises(NoPeptideError, match="no residue has the mass 50"):
        sequence_ideal(spectrum_of([0, 50, 60, 110]), STANDARD)
    with pytest.raises(NoPeptideError, match="no cyclic peptide"):
        sequence_ideal(spectrum_of(LEQN), make_alphabet([113, 114, 128]))
    with pytest.raises(NoPeptideError, match="no cyclic peptide"):  # sound for as much as is easy to see
        sequence_ideal(spectrum_of([0, 57, 58, 59, 71, 72, 73, 130]), range_alphabet(57, 200))


def test_masses_below_zero_and_none():
    with pytest.raises(FormatError, match="empty"):
        sequence_ideal(spectrum_of([]), STANDARD)
    with pytest.raises(FormatError, match="-5"):
        sequence_ideal(spectrum_of([-5, 0]), STANDARD)


def test_hopeless_search_ends():
    """A cyclic difference set of 15 numbers modulo 211: there is none, and no quick way to see it."""
    with pytest.raises(SearchLimitError, match="after 2 million steps") as caught:
        sequence_ideal(spectrum_of(list(range(212))), range_alphabet(1, 211), steps=2)
    assert caught.value.exit_code == ParameterError.exit_code
    assert "--steps" in caught.value.fix


def test_steps_without_limit():
    with pytest.raises(NoPeptideError):
        sequence_ideal(spectrum_of(list(range(44))), range_alphabet(1, 43), steps=0)
