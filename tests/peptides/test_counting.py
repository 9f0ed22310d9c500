"""Masses of prefixes that can become a whole, and the best of candidates."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.peptides import counting, scoring
from debruijn_gpu.peptides.counting import count_cyclopeptides, count_peptides, possible_masses
from debruijn_gpu.peptides.residues import make_alphabet
from debruijn_gpu.peptides.scoring import Best
from debruijn_gpu.run.tuning import tuned
from tests.naive import sequencing as naive
from tests.peptides.spectrum_data import STANDARD


def naive_possible(residues, low, high):
    wanted = set(range(low, high + 1))
    possible = set()
    for mass in range(high, -1, -1):
        if any(mass + a in wanted or mass + a in possible for a in residues):
            possible.add(mass)
    return possible


@given(st.sets(st.integers(1, 20), min_size=1, max_size=4), st.integers(1, 80), st.integers(0, 4))
def test_possible_masses(residues, low, width):
    found = possible_masses(np.array(sorted(residues)), low, low + width)
    assert found.shift == 0
    assert set(np.flatnonzero(found.table).tolist()) == naive_possible(residues, low, low + width)


@given(st.sets(st.integers(1, 200), min_size=1, max_size=3), st.integers(300, 900), st.integers(0, 9))
def test_coarse_tables_leave_nothing_out(residues, low, width):
    with tuned(reachable_places=64):
        found = possible_masses(np.array(sorted(residues)), low, low + width)
    assert found.shift > 0
    assert len(found.table) <= 64
    assert all(found.table[mass >> found.shift] for mass in naive_possible(residues, low, low + width))


@pytest.mark.parametrize("high", [(1 << 22) - 1, 1 << 22, (1 << 22) + 1, 1 << 61])
def test_size_of_the_table(high):
    assert len(possible_masses(np.array([high // 3]), high, high).table) <= 1 << 22


@given(st.lists(st.lists(st.integers(-1, 6), max_size=9), min_size=1, max_size=5), st.integers(1, 12))
def test_best(parts, n):
    found, first = Best(n, 6), 0
    for part in parts:
        found.add(np.array(part, np.int32), first)
        first += len(part)
    scores = [score for part in parts for score in part]
    good = sorted(score for score in scores if score >= 0)
    least = good[-min(n, len(good))] if good else 0
    assert found.places().tolist() == [i for i, score in enumerate(scores) if score >= least]
    assert found.n_scored == len(good)


def test_too_many_ties_are_left_out_evenly(monkeypatch):
    monkeypatch.setattr(scoring, "MOST_TIED", 3)
    found = Best(2, 9)
    found.add(np.array([3, 9, 3, 3, -1, 3, 3, 3, 3], np.int32), 0)
    assert found.places().tolist() == [0, 1, 2, 5, 7]
    assert found.n_cut == 3
    enough = Best(5, 9)
    enough.add(np.array([3] * 8, np.int32), 100)
    assert enough.places().tolist() == list(range(100, 108))


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


@pytest.mark.parametrize("masses", [[2, 3], [1, 2, 7], [57, 71, 87], [5]])
@pytest.mark.parametrize("mass", [0, 1, 5, 60, 64, 130, 1000, 1001, 2520])
def test_large_masses_follow_from_the_recurrence(masses, mass, monkeypatch):
    residues = make_alphabet(masses)

    def counts():
        cyclic = [count_cyclopeptides(mass, residues, mirrored=mirrored) for mirrored in (False, True)]
        return [count_peptides(mass, residues), *cyclic]

    one_by_one = counts()
    monkeypatch.setattr(counting, "_FEW_SECONDS", 0)
    monkeypatch.setattr(counting._Work, "of_power", lambda self, mass: 0)
    assert counts() == one_by_one


def test_a_mass_of_100_000_da():
    """Modulo a prime, by powers of the companion matrix."""
    prime, order = 134_217_689, int(STANDARD.masses.max())
    step = np.eye(order, k=-1, dtype=np.int64)
    step[0, STANDARD.masses - 1] = 1
    power, left, mass = np.eye(order, dtype=np.int64), 100_000, 100_000
    while left:
        if left & 1:
            power = step @ power % prime
        step, left = step @ step % prime, left >> 1
    found = count_peptides(mass, STANDARD)
    assert found % prime == power[0, 0]
    assert found.bit_length() == pytest.approx(3940, abs=2)


@pytest.mark.slow
@pytest.mark.parametrize("mass", [10**9, 10**18, 10**30])
@pytest.mark.parametrize("alphabet", [STANDARD, make_alphabet(range(1, 100_001)), make_alphabet([57, 10**9])])
def test_bound_is_told_before_work_begins(mass, alphabet):
    start = time.process_time()
    for count in (count_peptides, count_cyclopeptides):
        with pytest.raises(ParameterError, match=r"expected a mass of at most \d+, whose peptides are counted"):
            count(mass, alphabet)
    assert time.process_time() - start < 5
