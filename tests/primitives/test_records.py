"""Sort, distinct, compact and semi-join of records against their naive twins."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.primitives.columns import Columns, NumberFormat
from debruijn_gpu.primitives.filter import compact_records, join_records
from debruijn_gpu.primitives.keys import Key
from debruijn_gpu.primitives.options import CompactOptions, Condition, DistinctOptions, JoinOptions, SortOptions
from debruijn_gpu.primitives.sort import distinct_records, sort_records
from tests.naive import numbers as naive

pytestmark = pytest.mark.cuda

# few values, so that many are equal, and those that are special
VALUES = {
    np.int64: st.sampled_from([-(2**63), -5, -1, 0, 1, 2, 3, 2**53 + 1, 2**63 - 1]),
    np.uint64: st.sampled_from([0, 1, 2, 3, 2**53 + 1, 2**63, 2**64 - 1]),
    np.int32: st.sampled_from([-(2**31), -1, 0, 1, 2, 2**31 - 1]),
    np.uint32: st.sampled_from([0, 1, 2, 3, 2**32 - 1]),
    np.float64: st.sampled_from([-math.inf, -1.5, 0.0, 1.0, 2.0, 2.5, 1e300, math.inf, math.nan]),
    np.float32: st.sampled_from([-math.inf, -1.5, 0.0, 1.0, 2.0, 2.5, math.inf, math.nan]),
}
ANY_CASE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def tables(draw, n_columns: int | None = None) -> Columns:
    dtypes = draw(st.lists(st.sampled_from(list(VALUES)), min_size=n_columns or 1, max_size=n_columns or 3))
    n = draw(st.integers(0, 12))
    return Columns(tuple(np.array(draw(st.lists(VALUES[dtype], min_size=n, max_size=n)), dtype) for dtype in dtypes))


def keys_for(columns: Columns) -> st.SearchStrategy[tuple[Key, ...]]:
    key = st.builds(Key, st.integers(0, len(columns.arrays) - 1), st.booleans())
    return st.lists(key, min_size=1, max_size=3).map(tuple)


def records(columns: Columns, backend) -> list[tuple[float, ...]]:
    return list(zip(*(backend.to_host(array).tolist() for array in columns.arrays), strict=True))


def shown(rows: list[tuple[float, ...]]) -> list[str]:
    """Comparable where there is NaN."""
    return [repr(row) for row in rows]


def as_pairs(keys: tuple[Key, ...]) -> list[tuple[int, bool]]:
    return [(key.column, key.descending) for key in keys]


@ANY_CASE
@given(data=st.data())
def test_sort(backend, data: st.DataObject) -> None:
    columns = data.draw(tables())
    keys = data.draw(keys_for(columns))
    rows = records(columns, backend)
    result = sort_records(columns.moved(backend.to_device), SortOptions(keys=keys), backend)
    assert shown(records(result, backend)) == shown(naive.sort(rows, as_pairs(keys)))
    assert [array.dtype for array in result.arrays] == [array.dtype for array in columns.arrays]


@ANY_CASE
@given(data=st.data())
def test_unique_and_distinct(backend, data: st.DataObject) -> None:
    columns = data.draw(tables())
    keys = data.draw(keys_for(columns))
    groups = naive.groups(records(columns, backend), as_pairs(keys))
    first = shown([group[0] for group in groups])
    device = columns.moved(backend.to_device)
    assert shown(records(sort_records(device, SortOptions(keys=keys, unique=True), backend), backend)) == first
    assert shown(records(distinct_records(device, DistinctOptions(keys=keys), backend), backend)) == first
    counted = distinct_records(device, DistinctOptions(keys=keys, count=True), backend)
    assert shown(records(counted, backend)) == shown([(*group[0], len(group)) for group in groups])


THRESHOLDS = st.sampled_from(
    [-(2**70), -(2**63), -1, 0, 1, 2, 2**53 + 1, 2**63, 2**64 - 1, 2**64, 2**70]
) | st.sampled_from([-math.inf, -1.5, -0.0, 0.5, 2.0, 2.5, 1e300, math.inf])


@ANY_CASE
@given(data=st.data(), comparison=st.sampled_from(["nonzero", ">", "<", ">=", "<=", "==", "!="]), threshold=THRESHOLDS)
def test_compact(backend, data: st.DataObject, comparison, threshold: float) -> None:
    columns = data.draw(tables())
    column = data.draw(st.integers(0, len(columns.arrays) - 1))
    rows = records(columns, backend)
    expected = [i for i, row in enumerate(rows) if naive.meets(row[column], comparison, threshold)]
    device = columns.moved(backend.to_device)
    options = CompactOptions(condition=Condition(comparison, threshold), column=column)
    assert shown(records(compact_records(device, options, backend), backend)) == shown([rows[i] for i in expected])
    options = CompactOptions(condition=Condition(comparison, threshold), column=column, indices=True)
    assert records(compact_records(device, options, backend), backend) == [(i,) for i in expected]


@ANY_CASE
@given(data=st.data(), n_keys=st.integers(1, 3))
def test_join(backend, data: st.DataObject, n_keys: int) -> None:
    columns, wanted = data.draw(tables(n_keys)), data.draw(tables(n_keys))
    order = data.draw(st.permutations(range(n_keys)))
    options = JoinOptions(keys=tuple(Key(column) for column in order))
    rows = records(columns, backend)
    wanted_rows = list(zip(*(array.tolist() for array in wanted.arrays), strict=True))
    everything = [(i, False) for i in range(n_keys)]
    expected = [
        row
        for row in rows
        if any(naive.compare_records(tuple(row[c] for c in order), other, everything) == 0 for other in wanted_rows)
    ]
    result = join_records(columns.moved(backend.to_device), wanted, options, backend)
    assert shown(records(result, backend)) == shown(expected)


@pytest.mark.parametrize("n", [0, 1, 1000, 100_000])
def test_many_records(backend, n: int) -> None:
    rng = np.random.default_rng(n)
    columns = Columns((rng.integers(0, 50, n), rng.integers(-3, 3, n) / 2, np.arange(n)))
    keys = (Key(1, True), Key(0))
    order = np.lexsort((columns.arrays[0], -columns.arrays[1]))
    device = columns.moved(backend.to_device)
    result = sort_records(device, SortOptions(keys=keys), backend)
    for array, expected in zip(result.arrays, columns.arrays, strict=True):
        assert np.array_equal(backend.to_host(array), expected[order])
    counted = distinct_records(device, DistinctOptions(keys=keys, count=True), backend)
    pairs, counts = np.unique(np.stack([-columns.arrays[1], columns.arrays[0]]), axis=1, return_counts=True)
    assert np.array_equal(backend.to_host(counted.arrays[0]), pairs[1])
    assert np.array_equal(backend.to_host(counted.arrays[3]), counts)


@ANY_CASE
@given(data=st.data())
def test_lines_of_the_text_follow_their_records(backend, data: st.DataObject) -> None:
    table = data.draw(tables())
    keys = data.draw(keys_for(table))
    n, number = len(table), np.arange(len(table))
    columns = Columns(table.arrays, places=7 * number).moved(backend.to_device)
    rows = list(zip(*(array.tolist() for array in table.arrays), number.tolist(), strict=True))

    def places(result: Columns) -> list[int]:
        assert len(result.arrays) >= len(table.arrays)
        return backend.to_host(result.places).tolist()

    groups = naive.groups(rows, as_pairs(keys))
    in_order, first = [7 * row[-1] for group in groups for row in group], [7 * group[0][-1] for group in groups]
    assert places(sort_records(columns, SortOptions(keys=keys), backend)) == in_order
    assert places(sort_records(columns, SortOptions(keys=keys, unique=True), backend)) == first
    for count in (False, True):
        assert places(distinct_records(columns, DistinctOptions(keys=keys, count=count), backend)) == first
    is_kept = backend.to_host(backend.arrays.matches(columns.arrays[0], ">", 1)).tolist()
    above = compact_records(columns, CompactOptions(condition=Condition(">", 1)), backend)
    assert places(above) == [7 * i for i in range(n) if is_kept[i]]
    indices = compact_records(columns, CompactOptions(condition=Condition(">", 1), indices=True), backend)
    assert indices.places is None
    concatenated = join_records(columns, Columns((table.arrays[0][::2],)), JoinOptions(keys=(Key(0),)), backend)
    wanted = shown([(row[0],) for row in rows[::2]])
    assert places(concatenated) == [7 * row[-1] for row in rows if repr((row[0],)) in wanted]


BIG = 2**53 + 1
WHOLE = [np.array([5, BIG]), np.array([5, BIG], np.uint64), np.array([-BIG, 5])]


@pytest.mark.parametrize("integers", WHOLE)
def test_integers_that_floats_round_are_not_compared_with_floats_of_a_text(backend, integers: np.ndarray) -> None:
    floats = np.array([0.5, 5, 2.0**53, -(2.0**53)])
    options = JoinOptions(keys=(Key(0),))
    for left, right in ((integers, floats), (floats, integers)):
        columns, wanted = (
            Columns((backend.to_device(left),), NumberFormat("npy")),
            Columns((right,), NumberFormat("npy")),
        )
        assert len(join_records(columns, wanted, options, backend)) == 1  # those of arrays are exact
        text = [
            replace(each, file_format=NumberFormat("text")) if each.column(0).dtype == float else each
            for each in (columns, wanted)
        ]
        with pytest.raises(ParameterError, match=f"column 1: -?{BIG} is compared with floats"):
            join_records(*text, options, backend)
        less = [
            replace(each, arrays=(each.column(0)[:2],)) if each.file_format.kind == "text" else each for each in text
        ]
        assert len(join_records(*less, options, backend)) == 1  # no float of the text can be one of the integers


def test_column_that_is_not_there(backend) -> None:
    columns = Columns((np.arange(3), np.arange(3)))
    with pytest.raises(ParameterError, match="column 3 is asked for, but the input has 2 columns"):
        sort_records(columns, SortOptions(keys=(Key(2),)), backend)
    with pytest.raises(ParameterError, match=r"has 1 column$"):
        join_records(columns, Columns((np.arange(3),)), JoinOptions(keys=(Key(0), Key(1))), backend)
