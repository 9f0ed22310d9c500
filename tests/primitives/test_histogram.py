"""Histograms against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.primitives.histogram import histogram_of_records
from debruijn_gpu.primitives.options import HistogramOptions

RNG = np.random.default_rng(3)


def count(backend, values: np.ndarray, **options) -> list[list[float]]:
    columns = Columns((backend.to_device(values),))
    result = histogram_of_records(columns, HistogramOptions(**options), backend)
    return [backend.to_host(array).tolist() for array in result.arrays]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.uint32, np.float64, np.float32])
@pytest.mark.parametrize("options", [{}, {"n_bins": 7}, {"n_bins": 3, "low": 10, "high": 40.5}])
def test_bins(backend, dtype: type, options: dict) -> None:
    values = RNG.integers(0, 100, 1000).astype(dtype)
    low, high, counts = count(backend, values, **options)
    ends = (options["low"], options["high"]) if "low" in options else None
    expected, edges = np.histogram(values, options.get("n_bins", HistogramOptions.n_bins), ends)
    assert counts == expected.tolist()
    assert np.allclose(low, edges[:-1])
    assert np.allclose(high, edges[1:])


def test_values_that_are_all_equal_or_none(backend) -> None:
    assert count(backend, np.full(4, 7), n_bins=1) == [[6.5], [7.5], [4]]
    assert count(backend, np.empty(0)) == [[], [], []]
    assert count(backend, np.array([np.nan])) == [[], [], []]
    assert count(backend, np.empty(0), n_bins=2, low=0, high=1) == [[0.0, 0.5], [0.5, 1.0], [0, 0]]


def test_not_a_number_and_infinity(backend) -> None:
    values = np.array([0, 1, np.nan, 3, 4])
    assert count(backend, values, n_bins=2) == [[0.0, 2.0], [2.0, 4.0], [2, 2]]
    with pytest.raises(ParameterError, match="infinite"):
        count(backend, np.array([1, np.inf]))
    assert count(backend, np.array([1, np.inf]), n_bins=1, low=0, high=2)[2] == [1]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.uint32])
def test_integers(backend, dtype: type) -> None:
    limits = np.iinfo(dtype)
    for low in (limits.min, 0, limits.max - 4):
        values = np.array([0, 3, 3, 1], dtype) + dtype(low)
        assert count(backend, values, integers=True) == [[low, low + 1, low + 2, low + 3], [1, 1, 0, 2]]
        assert count(backend, values, integers=True, low=low + 1, high=low + 3)[1] == [1, 0, 2]
    assert count(backend, np.empty(0, dtype), integers=True) == [[], []]
    assert count(backend, np.array([9], dtype), integers=True, low=0, high=1) == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (np.array([1]), {"low": -1.7e308, "high": 1.7e308}),
        (np.array([-1.7e308, 1.7e308]), {}),
        (np.array([1 << 60, (1 << 60) + 9]), {}),
        (np.array([0, 5e-324]), {}),
    ],
)
def test_bins_that_floats_cannot_divide(backend, values: np.ndarray, options: dict) -> None:
    with pytest.raises(ParameterError, match="no floats divide the range"):
        count(backend, values, **options)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_without_fractions_are_counted_as_integers(backend, dtype: type) -> None:
    values = np.array([3, np.nan, -1, 3, 0], dtype)
    assert count(backend, values, integers=True) == [[-1, 0, 1, 2, 3], [1, 1, 0, 0, 2]]
    others = np.array([0.5, np.inf, 1e30, 2.5], dtype)
    outside = np.concatenate((values, others))
    assert count(backend, outside, integers=True, low=-1, high=0.25) == [[-1, 0], [1, 1]]
    assert count(backend, np.array([np.nan], dtype), integers=True) == [[], []]
    with pytest.raises(ParameterError, match="fractions"):
        count(backend, outside, integers=True, low=0, high=3)
    with pytest.raises(ParameterError, match=r"integers of 64 bits, but the column has inf"):
        count(backend, np.array([1, np.inf], dtype), integers=True)
    assert count(backend, np.array([-(2.0**63)], dtype), integers=True) == [[-(2**63)], [1]]
    with pytest.raises(ParameterError, match="integers of 64 bits"):
        count(backend, np.array([2.0**63], dtype), integers=True)


def test_integers_that_cannot_be_counted(backend) -> None:
    with pytest.raises(ParameterError, match="fractions"):
        count(backend, np.array([0.5]), integers=True)
    with pytest.raises(ParameterError, match="too many"):
        count(backend, np.array([0, 2**62]), integers=True)
    assert count(backend, np.array([0, 2**62]), integers=True, low=0, high=1) == [[0, 1], [1, 0]]
