"""Masses of subpeptides: counted, by Fourier transform, and sorted, on each backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.spectra.protocol import COUNTABLE, mass_ranges
from debruijn_gpu.peptides.spectrum import Peptide
from debruijn_gpu.peptides.theoretical import make_ladder
from tests.helpers import n_examples
from tests.naive import spectra as naive

pytestmark = pytest.mark.cuda

some = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
MOST_MASS = 6 if is_simulated() else 200  # the simulator's counters are threads' work
small_masses = st.lists(st.integers(1, MOST_MASS), min_size=1, max_size=6 if is_simulated() else 20)
any_masses = small_masses | st.lists(st.integers(1, 10**14), min_size=1, max_size=6 if is_simulated() else 20)


def ladder_of(masses, backend, linear):
    return make_ladder(Peptide(np.array(masses, np.int64)), backend, linear)


def check(backend, found, expected):
    """A spectrum, or a part of it, against pairs of mass and count."""
    arrays = [backend.to_host(array) for array in found]
    for array, numbers in zip(arrays, zip(*expected, strict=True) if expected else ((), ()), strict=True):
        assert array.dtype == np.int64
        assert array.tolist() == list(numbers)


def inner(masses, linear):
    """Mass and count of what is between nothing and the whole."""
    return list(zip(*naive.with_counts(naive.spectrum(masses, linear)), strict=True))[1:-1]


@some
@given(masses=small_masses, linear=st.booleans(), data=st.data())
def test_counting(backend, masses, linear, data):
    ladder = ladder_of(masses, backend, linear)
    low = data.draw(st.integers(1, ladder.total))
    high = data.draw(st.integers(low, ladder.total))
    check(
        backend,
        backend.spectra.count_masses(ladder, low, high),
        [pair for pair in inner(masses, linear) if low <= pair[0] < high],
    )


@some
@given(masses=small_masses, linear=st.booleans())
def test_transforming(backend, masses, linear):
    ladder = ladder_of(masses, backend, linear)
    found = backend.spectra.correlate_masses(ladder)
    check(backend, found, [pair for pair in inner(masses, linear) if pair[0] <= ladder.last])


@some
@given(masses=any_masses, linear=st.booleans(), data=st.data())
def test_sorting(backend, masses, linear, data):
    ladder = ladder_of(masses, backend, linear)
    low = data.draw(st.integers(1, ladder.total))
    high = data.draw(st.integers(low, ladder.total))
    check(
        backend,
        backend.spectra.sort_masses(ladder, low, high),
        [pair for pair in inner(masses, linear) if low <= pair[0] < high],
    )


@some
@given(masses=any_masses, linear=st.booleans())
def test_whole_spectra(backend, masses, linear):
    ladder = ladder_of(masses, backend, linear)
    expected = list(zip(*naive.with_counts(naive.spectrum(masses, linear)), strict=True))
    check(backend, backend.spectra.sort_spectrum(ladder), expected)
    half = backend.spectra.sort_masses(ladder, 1, ladder.last + 1)
    check(backend, backend.spectra.complete_spectrum(*half, ladder), expected)


@some
@given(masses=any_masses, linear=st.booleans(), data=st.data())
def test_numbers_below(backend, masses, linear, data):
    ladder = ladder_of(masses, backend, linear)
    edges = data.draw(st.lists(st.integers(1, ladder.total), min_size=1, max_size=9))
    expected = [sum(count for mass, count in inner(masses, linear) if mass < edge) for edge in edges]
    assert backend.spectra.count_below(ladder, np.array(edges)).tolist() == expected


@some
@given(masses=any_masses, linear=st.booleans(), capacity=st.integers(1, 40))
def test_ranges(backend, masses, linear, capacity):
    ladder = ladder_of(masses, backend, linear)
    edges, ends = mass_ranges(lambda edges: backend.spectra.count_below(ladder, edges), 1, ladder.total, capacity)
    assert (edges[0], edges[-1]) == (1, ladder.total)
    widths, sizes = np.diff(edges), np.diff(ends)
    assert (widths > 0).all() or ladder.total == 1
    assert (sizes[widths > 1] <= capacity).all()
    assert ends[-1] == sum(count for _, count in inner(masses, linear))


@pytest.mark.parametrize("linear", [False, True])
def test_totals_of_31_bits(backend, linear):
    """The greatest that are counted, in windows; prefix sums of two rounds need all of 32 bits."""
    masses = [COUNTABLE // 4, COUNTABLE // 4 - 1, 3, COUNTABLE // 2 - 3]
    ladder = ladder_of(masses, backend, linear)
    assert ladder.total == COUNTABLE - 1
    for mass, _ in inner(masses, linear):
        low, high = max(1, mass - 5), min(mass + 5, ladder.total)
        check(
            backend,
            backend.spectra.count_masses(ladder, low, high),
            [pair for pair in inner(masses, linear) if low <= pair[0] < high],
        )


@pytest.mark.parametrize("linear", [False, True])
def test_the_largest_totals(backend, linear):
    """Keys of 64 bits."""
    masses = [1 << 59, 1, (1 << 60) - 5, 7, 7]
    expected = list(zip(*naive.with_counts(naive.spectrum(masses, linear)), strict=True))
    check(backend, backend.spectra.sort_spectrum(ladder_of(masses, backend, linear)), expected)


@pytest.mark.slow
@pytest.mark.skipif(is_simulated(), reason="more than the simulator takes")
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("kind", ["integers", "sparse", "skewed", "equal"])
def test_many_residues(backend, kind, linear):
    """Several ranges, by all ways that do."""
    rng = np.random.default_rng(1)
    masses = {
        "integers": rng.integers(57, 187, 2000),
        "sparse": rng.integers(570, 1870, 1500),
        "skewed": np.concatenate((np.full(1000, 1), [10**13], rng.integers(1, 10**5, 600))),
        "equal": np.full(1500, 113),
    }[kind]
    ladder = ladder_of(masses, backend, linear)
    ends = np.concatenate(([0], np.cumsum(masses)))
    differences = np.subtract.outer(ends, ends)[np.tri(len(ends), k=-1, dtype=bool)]
    if not linear:
        differences = differences[differences < ladder.total]  # a round that begins at a residue, and one at its end
        rows = np.subtract.outer(ends[:-1], ends[:-1])[np.tri(len(masses), k=-1, dtype=bool)]
        differences = np.concatenate((rows, ladder.total - rows))
    expected = np.unique(differences[differences <= ladder.last], return_counts=True)
    ways = [lambda: backend.spectra.sort_masses(ladder, 1, ladder.last + 1)]
    if ladder.total < 1 << 26:
        ways += [
            lambda: backend.spectra.count_masses(ladder, 1, ladder.last + 1),
            lambda: backend.spectra.correlate_masses(ladder),
        ]
    for way in ways:
        for array, numbers in zip(way(), expected, strict=True):
            np.testing.assert_array_equal(backend.to_host(array), numbers)
