"""Scores of peptides, on each backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from tests.helpers import n_examples
from tests.naive import sequencing as naive

pytestmark = pytest.mark.cuda

some = settings(
    deadline=None,
    max_examples=8 if is_simulated() else n_examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
masses = st.integers(1, 12)


@st.composite
def peptides(draw, least=0):
    """A few peptides of one length."""
    length = draw(st.integers(least, 5))
    return draw(st.lists(st.lists(masses, min_size=length, max_size=length), min_size=1, max_size=4))


@st.composite
def windows(draw):
    """Low and high ends of peaks; both ascend."""
    lows = sorted(draw(st.lists(st.integers(-2, 60), max_size=20)))
    widths = sorted(draw(st.lists(st.integers(0, 4), min_size=len(lows), max_size=len(lows))))
    return np.array(lows, np.int64), np.array(lows, np.int64) + np.array(widths, np.int64)


def positions_of(rows):
    return np.array([[0, *np.cumsum(np.array(row, np.int64))] for row in rows], np.int64)


@some
@given(rows=peptides(), peaks=windows())
def test_linear_peptides_score_their_greatest_matching(backend, rows, peaks):
    lows, highs = peaks
    scores = backend.spectra.score_peptides(*map(backend.to_device, (positions_of(rows), lows, highs)), False)
    assert scores.dtype == np.int32
    expected = [naive.greatest_matching(naive.linear_masses(row), lows, highs) for row in rows]
    assert backend.to_host(scores).tolist() == expected


@some
@given(rows=peptides(least=1), peaks=windows())
def test_cyclic_peptides_score_their_greatest_matching(backend, rows, peaks):
    lows, highs = peaks
    scores = backend.spectra.score_peptides(*map(backend.to_device, (positions_of(rows), lows, highs)), True)
    expected = [naive.greatest_matching(naive.cyclic_masses(row), lows, highs) for row in rows]
    assert backend.to_host(scores).tolist() == expected


@some
@given(
    rows=peptides(),
    residues=st.lists(masses, min_size=1, max_size=5),
    peaks=windows(),
    possible=st.lists(st.integers(0, 1), min_size=1, max_size=40),
    shift=st.integers(0, 2),
)
def test_extensions_score_as_the_longer_peptides(backend, rows, residues, peaks, possible, shift):
    lows, highs = peaks
    arrays = (positions_of(rows), np.array(residues), lows, highs, np.array(possible, np.uint8))
    scores = backend.to_host(backend.spectra.score_extensions(*map(backend.to_device, arrays), shift))
    expected = []
    for row in rows:
        for residue in residues:
            longer = [*row, residue]
            place = sum(longer) >> shift
            is_possible = place < len(possible) and possible[place]
            matched = naive.greatest_matching(naive.linear_masses(longer), lows, highs)
            expected.append(matched if is_possible else -1)
    assert scores.tolist() == expected
    assert scores.dtype == np.int32


@pytest.mark.parametrize("cyclic", [False, True])
def test_no_peptides(backend, cyclic):
    arrays = (np.empty((0, 3), np.int64), np.array([5]), np.array([5]))
    assert backend.spectra.score_peptides(*map(backend.to_device, arrays), cyclic).shape == (0,)


@pytest.mark.parametrize("n", [63, 64, 65, 150])
def test_long_peptides_and_large_masses(backend, n):
    """Scored against their own spectrum, on both sides of the length from which masses are sorted at once."""
    rng = np.random.default_rng(n)
    row = rng.integers(1, 1 << 50, n)
    own = np.array(naive.cyclic_masses(row.tolist()))
    if is_simulated():
        pytest.skip("too much for the simulator")
    arrays = list(map(backend.to_device, (positions_of([row]), own, own)))
    assert backend.to_host(backend.spectra.score_peptides(*arrays, True)).tolist() == [n * (n - 1) + 2]
    assert backend.to_host(backend.spectra.score_peptides(*arrays, False)).tolist() == [n * (n + 1) // 2 + 1]


def test_many_candidates(backend):
    """More than a block and more than a segment of each thread; each one by itself gives the same."""
    n = 12 if is_simulated() else 3000
    rng = np.random.default_rng(1)
    positions = positions_of(rng.choice([57, 71, 99, 113, 128], (n, 6)))
    peaks = np.unique(rng.integers(0, 700, 60))
    lows, highs = backend.to_device(peaks - 1), backend.to_device(peaks + 1)
    together = backend.to_host(backend.spectra.score_peptides(backend.to_device(positions), lows, highs, True))
    for i in range(0, n, max(1, n // 10)):
        alone = backend.spectra.score_peptides(backend.to_device(positions[i : i + 1]), lows, highs, True)
        assert backend.to_host(alone).tolist() == [together[i]]
