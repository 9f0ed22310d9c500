"""Numbers of peptides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.spectra.alphabets import make_alphabet
from debruijn_gpu.spectra.counting import count_cyclopeptides, count_peptides
from tests.naive import sequencing as naive
from tests.spectra.spectrum_data import STANDARD


def test_textbook():
    assert count_peptides(1024, STANDARD) == 14712706211


@given(st.sets(st.integers(1, 6), min_size=1, max_size=3), st.integers(1, 12), st.integers(1, 3))
def test_equal_to_listing_them(alphabet, mass, factor):
    residues = make_alphabet([factor * a for a in alphabet])
    assert count_peptides(factor * mass, residues) == len(naive.peptides(mass, sorted(alphabet)))
    for mirrored in (False, True):
        expected = len(naive.cyclopeptides(mass, sorted(alphabet), mirrored))
        assert count_cyclopeptides(factor * mass, residues, mirrored=mirrored) == expected


def test_masses_that_no_peptide_has():
    residues = make_alphabet([4, 6])
    assert [count_peptides(mass, residues) for mass in (-2, 0, 2, 5)] == [0, 1, 0, 0]
    assert [count_cyclopeptides(mass, residues) for mass in (-2, 0, 2, 5)] == [0, 0, 0, 0]


def test_decimals_and_large_masses():
    assert count_peptides(102400000, make_alphabet((STANDARD.masses * 100000).tolist(), 5)) == 14712706211
    fibonacci = [1, 1]
    while len(fibonacci) <= 3000:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    assert count_peptides(3000, make_alphabet([1, 2])) == fibonacci[3000]
    with pytest.raises(ParameterError, match="too large to count"):
        count_peptides(10**9, STANDARD)
