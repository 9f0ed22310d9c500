"""Masses of prefixes that can become a whole, and the best of candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.peptides import best
from debruijn_gpu.peptides.best import Best
from debruijn_gpu.peptides.reachable import possible_masses
from debruijn_gpu.run.tuning import tuned


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
    monkeypatch.setattr(best, "MOST_TIED", 3)
    found = Best(2, 9)
    found.add(np.array([3, 9, 3, 3, -1, 3, 3, 3, 3], np.int32), 0)
    assert found.places().tolist() == [0, 1, 2, 5, 7]
    assert found.n_cut == 3
    enough = Best(5, 9)
    enough.add(np.array([3] * 8, np.int32), 100)
    assert enough.places().tolist() == list(range(100, 108))
