"""Training of maps, fixed-point numbers, U-matrix and watershed."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.vectors.protocol import NEIGHBOUR_BITS
from debruijn_gpu.binning import training
from debruijn_gpu.binning.fixed_point import LOG_BITS, fixed_point_of, log2_of
from debruijn_gpu.binning.neighbourhoods import neighbourhood, radii
from debruijn_gpu.binning.options import SomOptions, parse_map
from debruijn_gpu.binning.u_matrix import HEIGHT_BITS, heights, neighbours
from debruijn_gpu.binning.watershed import watershed
from debruijn_gpu.errors import OptionValueError, ParameterError, UsageError
from tests.naive import maps as naive

pytestmark = pytest.mark.cuda


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=5))
def test_logarithms_are_rounded_down(numbers):
    found = log2_of(np.array(numbers)).tolist()
    for number, value in zip(numbers, found, strict=True):
        exact = naive.log2_floor(number, 12)
        assert value >> LOG_BITS - 12 in (exact, exact - 1)


def test_logarithms_of_powers_of_two_are_exact():
    assert log2_of(np.array([1 << i for i in range(63)])).tolist() == [i << LOG_BITS for i in range(63)]


@pytest.mark.parametrize("radius", ["0.1", "0.5", "1", "2.75", "50", "4096"])
@pytest.mark.parametrize("n", [1, 2, 11, 201])
def test_neighbourhoods_are_gaussian(radius, n):
    found = neighbourhood(Decimal(radius), n).tolist()
    expected = naive.gaussian(Decimal(radius), n, NEIGHBOUR_BITS)
    assert len(found) == len(expected)
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) <= 1


def test_radii_shrink_in_equal_ratios():
    found = list(radii(SomOptions(rows=40, columns=8, epochs=5)))
    assert found[0] == 10
    assert [round(float(b / a), 9) for a, b in pairwise(found)] == [round(0.1**0.25, 9)] * 4
    assert next(radii(SomOptions(rows=40, columns=8, epochs=1))) == pytest.approx(1)


@pytest.mark.parametrize("topology", ["torus", "plane"])
@pytest.mark.parametrize("distance", ["euclidean", "taxicab"])
def test_training_is_that_of_the_definition(backend, topology, distance):
    vectors = np.random.default_rng(1).integers(-(1 << 19), 1 << 19, (12, 3)).astype(np.int32)
    options = SomOptions(rows=3, columns=4, topology=topology, distance=distance, epochs=3, seed=5)
    found = training.train(vectors, 19, options, backend)
    weights = training.sample_of(vectors, 12, 5).tolist()
    for radius in radii(options):
        most = (2, 3) if topology == "torus" else (3, 4)
        tables = [neighbourhood(radius, n) for n in most]
        arguments = (3, 4), tables, topology == "torus", distance, 0, 19, 1 << NEIGHBOUR_BITS
        weights = naive.train_epoch(vectors, np.array(weights), *arguments)
    assert found.tolist() == weights


def test_sums_of_many_vectors_keep_fewer_bits():
    assert training._intermediate_shift(1, 19) == 0
    assert training._intermediate_shift(1 << 26, 19) == NEIGHBOUR_BITS
    with pytest.raises(ParameterError, match="more than a map can be trained with"):
        training._intermediate_shift((1 << 26) + 1, 19)


@given(rows=st.integers(1, 4), columns=st.integers(1, 4), is_torus=st.booleans(), seed=st.integers(0, 9))
def test_u_matrix_is_the_mean_distance_to_neighbours(rows, columns, is_torus, seed):
    weights = np.random.default_rng(seed).integers(-900, 900, (rows * columns, 3)).astype(np.int32)
    options = SomOptions(rows=rows, columns=columns, topology="torus" if is_torus else "plane")
    found = heights(weights, options).ravel() / (1 << HEIGHT_BITS)
    assert np.abs(found - naive.u_matrix(weights, rows, columns, is_torus)).max() <= 2 / (1 << HEIGHT_BITS)


@given(
    values=st.lists(st.integers(0, 9), min_size=12, max_size=12),
    topology=st.sampled_from(["torus", "plane"]),
    least=st.integers(0, 6),
)
def test_watershed_is_that_of_repeated_flooding(values, topology, least):
    beside = neighbours(SomOptions(rows=3, columns=4, topology=topology))
    found = watershed(np.array(values), beside, least)
    assert found.tolist() == naive.watershed(values, beside.tolist(), least)


def test_ridges_separate_basins_and_low_ones_do_not():
    line = neighbours(SomOptions(rows=1, columns=7, topology="plane"))
    values = np.array([0, 5, 1, 3, 2, 9, 0])
    assert len(set(watershed(values, line, 1).tolist())) == 4
    assert len(set(watershed(values, line, 2).tolist())) == 3
    assert len(set(watershed(values, line, 5).tolist())) == 2
    assert len(set(watershed(values, line, 10).tolist())) == 1


@pytest.mark.parametrize("scale", ["none", "range", "deviation"])
def test_fixed_point_numbers_are_decoded_within_half_a_unit(scale):
    table = np.random.default_rng(1).normal(5, [1e-3, 7, 1e5], (50, 3))
    fixed = fixed_point_of(table, scale)
    numbers = fixed.encode(table)
    assert np.abs(numbers).max() <= 1 << fixed.bits
    assert (np.abs(fixed.decode(numbers) - table) <= 0.51 * fixed.reaches / (1 << fixed.bits)).all()


def test_deviations_become_one():
    table = np.random.default_rng(1).normal(5, [1e-3, 7, 1e5], (500, 3))
    fixed = fixed_point_of(table, "deviation")
    assert np.std(fixed.encode(table) * fixed.unit, axis=0) == pytest.approx(1, rel=1e-4)


@pytest.mark.parametrize("scale", ["none", "range", "deviation"])
def test_constant_and_huge_columns_are_numbers(scale):
    table = np.array([[1.0, 1e308, 0.0], [1.0, -1e308, 5e-324]])
    numbers = fixed_point_of(table, scale).encode(table)
    assert numbers[:, 0].tolist() == [0, 0]
    assert numbers[0, 1] == -numbers[1, 1] != 0


def test_sizes_of_maps_are_parsed():
    assert parse_map("7x12") == (7, 12)
    for text in ("7", "x", "7x", "-1x3", "7x1e3", ""):
        with pytest.raises(UsageError, match="not the size of a map"):
            parse_map(text)


@pytest.mark.parametrize(
    "members", [{"rows": 0}, {"columns": 5000}, {"end_radius": 0.0}, {"start_radius": float("nan")}]
)
def test_options_out_of_range_are_refused(members):
    with pytest.raises(OptionValueError):
        SomOptions(**members)
