"""Scores of single peptides, and the windows of peaks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides.options import Tolerance
from debruijn_gpu.peptides.peaks import peak_windows
from debruijn_gpu.peptides.scoring import score
from debruijn_gpu.peptides.spectrum import Peptide
from debruijn_gpu.peptides.theoretical import canonical, distinct_rows
from tests.naive import sequencing as naive
from tests.peptides.spectrum_data import spectrum_of

NQEL = Peptide(np.array([114, 128, 129, 113]))
MEASURED = [0, 99, 113, 114, 128, 227, 257, 299, 355, 356, 370, 371, 484]


def test_textbook():
    assert score(NQEL, spectrum_of(MEASURED)) == 11
    assert score(NQEL, spectrum_of(MEASURED), linear=True) == 8


def test_tolerance():
    spectrum = spectrum_of([mass + 1 for mass in naive.cyclic_masses([114, 128, 129, 113])])
    assert score(NQEL, spectrum) == 4  # 113, 114, 128 and 355 are one below 114, 115, 129 and 356
    assert score(NQEL, spectrum, tolerance=Tolerance(Fraction(1))) == 14
    assert score(NQEL, spectrum, tolerance=Tolerance(Fraction(99, 100))) == 4
    assert (
        score(NQEL, spectrum, tolerance=Tolerance(Fraction(3000), ppm=True)) == 7
    )  # from 356 on, they are near enough


def test_units_may_differ():
    spectrum = spectrum_of([1000 * mass for mass in MEASURED], decimals=3)
    assert score(NQEL, spectrum) == 11
    assert score(Peptide(NQEL.masses * 100, 2), spectrum_of(MEASURED)) == 11
    assert (
        score(NQEL, spectrum_of([mass * 1000 + 1 for mass in MEASURED], 3), tolerance=Tolerance(Fraction(1, 1000)))
        == 11
    )


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=6),
    st.lists(st.integers(0, 50), min_size=1, max_size=20),
    st.integers(0, 5),
    st.integers(0, 2),
)
def test_rotation_and_reversal_change_nothing(residues, peaks, turn, width):
    turn %= len(residues)
    spectrum, tolerance = spectrum_of(peaks), Tolerance(Fraction(width))
    turned = (residues[turn:] + residues[:turn])[::-1]
    expected = naive.greatest_matching(
        naive.cyclic_masses(residues),
        [peak - width for peak in sorted(peaks)],
        [peak + width for peak in sorted(peaks)],
    )
    for each in (residues, turned):
        assert score(Peptide(np.array(each)), spectrum, tolerance=tolerance) == expected


def test_limits():
    with pytest.raises(ParameterError, match="20,000 residues"):
        score(Peptide(np.ones(20_000, np.int64)), spectrum_of([1]))
    with pytest.raises(ParameterError, match="too large for 9 decimals"):
        score(Peptide(np.array([1 << 60]), 0), spectrum_of([1], 9))
    spectrum = spectrum_of([1])
    spectrum.counts[0] = 1 << 60
    with pytest.raises(ParameterError, match="masses"):
        score(NQEL, spectrum)


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=30), st.fractions(0, 999_999))
def test_windows_of_ppm_ascend(masses, value):
    peaks = peak_windows(spectrum_of(masses), Tolerance(value, ppm=True), 0)
    assert (np.diff(peaks.lows) >= 0).all()
    assert (np.diff(peaks.highs) >= 0).all()
    for mass, low, high in zip(sorted(masses), peaks.lows.tolist(), peaks.highs.tolist(), strict=True):
        assert high - mass == mass - low == value * mass // 1_000_000


@given(st.lists(st.lists(st.integers(1, 3), min_size=5, max_size=5), min_size=1, max_size=9))
def test_one_form_for_each_cyclic_peptide(rows):
    found = canonical(np.array(rows))
    assert [tuple(row) for row in found.tolist()] == [naive.canonical(row) for row in rows]
    assert [tuple(row) for row in distinct_rows(found).tolist()] == sorted({naive.canonical(row) for row in rows})
