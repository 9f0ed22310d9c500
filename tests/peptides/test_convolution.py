"""Differences of masses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import NoPeptideError, ParameterError
from debruijn_gpu.peptides.convolution import convolution, convolution_alphabet
from debruijn_gpu.peptides.options import ConvolutionOptions, Tolerance
from debruijn_gpu.run.tuning import tuned
from tests.naive import sequencing as naive
from tests.peptides.spectrum_data import spectrum_of

ALL = ConvolutionOptions(low=0, high=None)


def pairs(spectrum):
    return list(zip(spectrum.masses.tolist(), spectrum.counts.tolist(), strict=True))


def test_textbook():
    found = convolution(spectrum_of([0, 137, 186, 323]), ALL)
    assert pairs(found) == [(49, 1), (137, 2), (186, 2), (323, 1)]
    assert pairs(convolution(spectrum_of([0, 137, 186, 323]))) == [(137, 2), (186, 2)]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=15), st.integers(1, 40))
def test_equals_the_naive_one(masses, block):
    with tuned(differences_at_once=block):
        assert pairs(convolution(spectrum_of(masses), ALL)) == naive.convolution(masses)
        within = ConvolutionOptions(low=3, high=8)
        expected = [(mass, n) for mass, n in naive.convolution(masses) if 3 <= mass <= 8]
        assert pairs(convolution(spectrum_of(masses), within)) == expected


def test_close_differences_are_one():
    """100.00 is nearest to most; 100.03 is left over; 99.98, 100.00 (twice) and 100.01 have the mean 99.9975."""
    masses = [0, 9998, 30000, 40000, 70000, 80000, 200000, 210001, 300000, 310003]
    options = ConvolutionOptions(low=99, high=101, tolerance=Tolerance(Fraction(2, 100)))
    assert pairs(convolution(spectrum_of(masses, 2), options)) == [(10000, 4), (10003, 1)]


@given(st.lists(st.integers(0, 2000), min_size=2, max_size=25), st.integers(0, 5))
def test_bins_keep_all_differences(masses, width):
    options = ConvolutionOptions(low=0, high=None, tolerance=Tolerance(Fraction(width)))
    found = convolution(spectrum_of(masses), options)
    assert (np.diff(found.masses) > 0).all()
    assert found.counts.sum() == sum(n for _, n in naive.convolution(masses))
    assert found.counts.dtype == found.masses.dtype == np.int64


def test_alphabet_with_ties():
    spectrum = spectrum_of([0, 137, 186, 323])
    assert convolution_alphabet(spectrum, ConvolutionOptions(top=1)).masses.tolist() == [137, 186]
    masses = convolution_alphabet(spectrum, ConvolutionOptions(low=1, high=None, top=3)).masses.tolist()
    assert masses == [49, 137, 186, 323]
    with pytest.raises(NoPeptideError, match="57 to 200"):
        convolution_alphabet(spectrum_of([0, 5]))


def test_too_many_differences(monkeypatch):
    monkeypatch.setattr("debruijn_gpu.peptides.convolution._MOST_DIFFERENCES", 5)
    assert len(convolution(spectrum_of([0, 1, 3, 7]), ConvolutionOptions(low=2, high=None))) == 5
    with pytest.raises(ParameterError, match="6 differences"):
        convolution(spectrum_of([0, 1, 3, 7]), ConvolutionOptions(low=1, high=None))
