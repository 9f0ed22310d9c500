"""Options of spectra and of sequencing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.peptides.options import (
    ConvolutionOptions,
    LeaderboardOptions,
    Tolerance,
    parse_bounds,
    parse_mass_range,
    parse_tolerance,
)
from debruijn_gpu.peptides.residues import make_alphabet, range_alphabet


def test_tolerances():
    assert parse_tolerance("0.3") == Tolerance(Fraction(3, 10))
    assert parse_tolerance(" .02 Da") == Tolerance(Fraction(2, 100))
    assert parse_tolerance("20PPM") == Tolerance(Fraction(20), ppm=True)
    assert parse_tolerance("20ppm").units(1_000_000_000, 6) == 20_000
    assert parse_tolerance("0.29").units(0, 2) == 29


@pytest.mark.parametrize("text", ["", "-1", "1e3", "nan", "inf", "5%", "1 2", "٣", "9" * 5000, "0.3kDa"])
def test_no_tolerances(text):
    with pytest.raises((UsageError, ParameterError)):
        parse_tolerance(text)


def test_all_of_the_mass():
    with pytest.raises(ParameterError, match="all of the mass"):
        parse_tolerance("1000000ppm")


def test_ranges():
    assert parse_mass_range("57:200") == parse_mass_range("57..200") == (57, 200)
    assert parse_bounds("57:200") == parse_bounds("57..200") == (57, 200)
    assert parse_bounds("57:") == parse_bounds("57..") == (57, None)
    assert parse_bounds(":200") == (0, 200)
    assert parse_mass_range("standard") is None
    for text in ("200:57", "0:3", "1:999999999", "200..57"):
        with pytest.raises(ParameterError):
            parse_mass_range(text)


def test_alphabets():
    assert range_alphabet(57, 60).masses.tolist() == [57, 58, 59, 60]
    assert make_alphabet([3, 1, 3]).masses.tolist() == [1, 3]
    for masses in ([], [0, 5], [-1], [1 << 70], range(1, 200_000)):
        with pytest.raises(ParameterError):
            make_alphabet(masses)


@pytest.mark.parametrize("options", [{"keep": 0}, {"top": 0}])
def test_leaderboards_of_nothing(options):
    with pytest.raises(ParameterError):
        LeaderboardOptions(**options)


@pytest.mark.parametrize("options", [{"low": -1}, {"low": 5, "high": 4}, {"top": 0}])
def test_convolutions_of_nothing(options):
    with pytest.raises(ParameterError):
        ConvolutionOptions(**options)
