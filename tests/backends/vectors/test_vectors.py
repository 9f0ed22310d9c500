"""Best matching units, batch updates and word counts, on each backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.vectors.protocol import MOST_BITS, N_WORDS, most_bits
from tests.helpers import first_quick, n_examples
from tests.naive import vectors as naive

pytestmark = pytest.mark.cuda

some = settings(
    deadline=None,
    max_examples=5 if is_simulated() else n_examples(80),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
distances = pytest.mark.parametrize("distance", ["euclidean", "taxicab"])


def rows(n, d, seed, largest=1 << MOST_BITS):
    """Rows of components of all sizes; small ones make ties."""
    random = np.random.default_rng(seed)
    return random.integers(-largest, largest, (n, d), endpoint=True).astype(np.int32)


def check_units(backend, vectors, weights, distance):
    found = backend.vectors.best_matching_units(*map(backend.to_device, (vectors, weights)), distance)
    units, lengths = map(backend.to_host, found)
    assert (units.dtype, lengths.dtype) == (np.int32, np.int64)
    assert (units.tolist(), lengths.tolist()) == naive.best_matching_units(vectors, weights, distance)


@distances
@some
@given(
    n=st.integers(0, 9),
    n_units=st.integers(1, 20),
    d=st.integers(1, 6),
    largest=st.sampled_from([1, 3, 1 << MOST_BITS]),
    seed=st.integers(0, 99),
)
def test_best_matching_unit_is_the_first_of_the_nearest(backend, distance, n, n_units, d, largest, seed):
    check_units(backend, rows(n, d, seed, largest), rows(n_units, d, seed + 1, largest), distance)


@distances
@pytest.mark.parametrize(
    ("n", "n_units", "d"),
    [
        (1, 1, 1),
        (9, 13, 9),
        (2, 40, 3),
        (3, 6, 20),
        (4, 256, 4),
        (5, 257, 5),
        (65, 64, 16),
        (64, 65, 17),
        pytest.param(63, 600, 33, marks=pytest.mark.slow),
        (3, 5, 136),
    ],
)
def test_best_matching_units_of_sizes_around_tiles(backend, distance, n, n_units, d):
    check_units(backend, rows(n, d, n), rows(n_units, d, d), distance)


@distances
def test_best_matching_units_at_the_greatest_distance(backend, distance):
    d = 17
    most = 1 << most_bits(d)
    vectors, weights = np.full((3, d), most, np.int32), np.full((2, d), -most, np.int32)
    check_units(backend, vectors, weights, distance)


@distances
@pytest.mark.parametrize("d", first_quick([3, 33, 300], 2))
def test_best_matching_units_far_from_zero_differ_by_less_than_single_precision(backend, distance, d):
    far = (1 << most_bits(d)) - 4
    vectors, weights = rows(9, d, 1, 3) + np.int32(far), rows(600, d, 2, 3) + np.int32(far)
    if is_simulated():
        vectors, weights = vectors[:2], weights[:60]
    check_units(backend, vectors, weights, distance)


@pytest.mark.parametrize("d", [1, 2, 8, 12, 136, 1000, 8192, 8193, 100_000])
def test_sums_of_products_stay_below_two_to_the_53rd(d):
    most = 1 << most_bits(d)
    assert 3 * d * most * most < 1 << 53
    assert most_bits(d) == MOST_BITS or 3 * d * (2 * most) ** 2 >= 1 << 52


@distances
def test_best_matching_units_are_independent_of_threads(distance):
    from debruijn_gpu.backends.vectors import cpu

    vectors, weights = rows(99, 12, 1), rows(700, 12, 2)
    found = []
    for n in (1, 2, 3, 7):
        threads.configure(n)
        found.append([part.tolist() for part in cpu.best_matching_units(vectors, weights, distance)])
    assert all(each == found[0] for each in found)


@some
@given(n=st.integers(0, 20), n_units=st.integers(1, 5), d=st.integers(1, 5), seed=st.integers(0, 99))
def test_sums_are_those_of_the_vectors_of_each_unit(backend, n, n_units, d, seed):
    vectors = rows(n, d, seed)
    units = np.random.default_rng(seed).integers(0, n_units, n).astype(np.int32)
    sums = backend.vectors.sum_by_unit(*map(backend.to_device, (vectors, units)), n_units, 1 << 19)
    assert backend.to_host(sums).tolist() == naive.sum_by_unit(vectors, units, n_units, 1 << 19)


@pytest.mark.parametrize("is_torus", [False, True])
@some
@given(
    shape=st.tuples(st.integers(1, 3), st.integers(1, 7), st.integers(1, 3)),
    table=st.lists(st.integers(0, 1 << 16), min_size=1, max_size=9),
    shift=st.sampled_from([0, 1, 9]),
    seed=st.integers(0, 99),
)
def test_smoothing_weighs_by_distance(backend, is_torus, shape, table, shift, seed):
    sums = np.random.default_rng(seed).integers(-(1 << 40), 1 << 40, (shape[0] * shape[1], shape[2]))
    on_device = map(backend.to_device, (sums, np.array(table, np.int64)))
    smoothed = backend.vectors.smooth(next(on_device), shape, next(on_device), is_torus, shift)
    assert backend.to_host(smoothed).tolist() == naive.smooth(sums, shape, table, is_torus, shift)


@some
@given(n_units=st.integers(1, 9), d=st.integers(1, 5), least=st.sampled_from([1, 3]), seed=st.integers(0, 99))
def test_weights_move_to_means_where_vectors_suffice(backend, n_units, d, least, seed):
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 5, n_units) << 19
    sums = np.column_stack([random.integers(-(1 << 50), 1 << 50, (n_units, d)) // (1 << 30), numbers])
    weights = rows(n_units, d, seed)
    moved = backend.vectors.move_weights(*map(backend.to_device, (sums, weights)), 19, least)
    assert moved.dtype == np.int32
    assert backend.to_host(moved).tolist() == naive.move_weights(sums, weights, 19, least)


@some
@given(text=st.text("ACGTN", max_size=60), cuts=st.lists(st.integers(0, 60), max_size=4))
def test_word_counts_are_those_of_the_text_and_skip_ambiguous_bases(backend, text, cuts):
    codes = np.array(["ACGTN".index(letter) for letter in text], np.uint8)
    edges = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    starts, ends = np.array(edges[:-1], np.int64), np.array(edges[1:], np.int64)
    counts = backend.vectors.count_words(*map(backend.to_device, (codes, starts, ends)))
    counts = backend.to_host(counts)
    assert (counts.dtype, counts.shape) == (np.int32, (len(starts), N_WORDS))
    assert counts.tolist() == [naive.count_words(text, *window) for window in zip(starts, ends, strict=True)]
