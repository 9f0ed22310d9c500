"""Operations on which trails rest, on every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.naive import trails as naive

pytestmark = pytest.mark.cuda


def append(backend, rows, added, dtype):
    """Row pointers, heads and old numbers of the new graph."""
    row_ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    arrays = (
        row_ptr,
        np.array([head for row in rows for head in row], dtype),
        *np.array(added, dtype).reshape(-1, 2).T,
    )
    return [backend.to_host(a) for a in backend.circuits.append_edges(*map(backend.to_device, arrays))]


def check(backend, rows, added, dtype=np.uint32):
    row_ptr, col, original = append(backend, rows, added, dtype)
    expected = naive.append_edges(rows, added)
    assert (row_ptr.dtype, col.dtype, original.dtype) == (np.int64, dtype, np.int64)
    assert row_ptr.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert list(zip(col.tolist(), original.tolist(), strict=True)) == [edge for row in expected for edge in row]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_append_edges(backend, data):
    n_vertices = data.draw(st.integers(1, 6))
    vertex = st.integers(0, n_vertices - 1)
    rows = data.draw(st.lists(st.lists(vertex, max_size=4), min_size=n_vertices, max_size=n_vertices))
    added = data.draw(st.lists(st.tuples(vertex, vertex), max_size=8))
    check(backend, rows, added, data.draw(st.sampled_from([np.uint32, np.uint64])))


def test_append_to_nothing(backend):
    check(backend, [], [])
    check(backend, [[], []], [])
    check(backend, [[], []], [(1, 0), (1, 1), (0, 1), (1, 0)])
    check(backend, [[1, 0], []], [])


def test_append_to_a_vertex_that_is_not_there(backend):
    with pytest.raises(ValueError, match="a tail is not in"):
        append(backend, [[1], [0]], [(2, 0)], np.uint32)


@pytest.mark.parametrize("n_added", [1, 40_000])
def test_append_many(backend, n_added):
    rng = np.random.default_rng(n_added)
    tails, heads = np.sort(rng.integers(0, 5_000, 100_000)), rng.integers(0, 5_000, 100_000).astype(np.uint32)
    row_ptr = np.searchsorted(tails, np.arange(5_001))
    new_tails, new_heads = rng.integers(0, 5_000, (2, n_added)).astype(np.uint32)
    arrays = (row_ptr, heads, new_tails, new_heads)
    new_ptr, col, original = map(backend.to_host, backend.circuits.append_edges(*map(backend.to_device, arrays)))
    all_tails = np.concatenate((tails, new_tails))
    order = np.argsort(all_tails, kind="stable")
    np.testing.assert_array_equal(new_ptr, np.searchsorted(all_tails[order], np.arange(5_001)))
    np.testing.assert_array_equal(col, np.concatenate((heads, new_heads))[order])
    np.testing.assert_array_equal(original, np.where(order < 100_000, order, -1))


@st.composite
def cut_walks(draw):
    """Steps, the numbers of edges, and ranges of steps that hold no added edge: (steps, original, starts, lengths)."""
    original = np.array(draw(st.lists(st.integers(-1, 90), min_size=1, max_size=12)))
    dtype = draw(st.sampled_from([np.uint32, np.uint64]))
    steps = np.array(draw(st.lists(st.integers(0, len(original) - 1), max_size=40)), dtype)
    edges = original[steps]
    ranges = []
    for start in draw(st.lists(st.integers(0, len(steps)), max_size=8)):
        least = next((i for i in range(start, len(steps)) if edges[i] < 0), len(steps))
        ranges.append((start, draw(st.integers(0, least - start))))
    return steps, original, ranges


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cut_walks())
def test_cutting_walks(backend, case):
    steps, original, ranges = case
    on_device = backend.to_device(steps), backend.to_device(original)
    found = backend.to_host(backend.circuits.find_added(*on_device))
    assert found.dtype == np.int64
    assert found.tolist() == [i for i, step in enumerate(steps) if original[step] < 0]
    starts = np.array([start for start, _length in ranges], np.int64)
    offsets = np.cumsum([0, *(length for _start, length in ranges)]).astype(np.int64)
    taken = backend.to_host(
        backend.circuits.gather_ranges(*on_device, backend.to_device(starts), backend.to_device(offsets))
    )
    assert taken.dtype == steps.dtype
    assert taken.tolist() == [original[step] for start, n in ranges for step in steps[start : start + n]]


def test_cutting_long_walks(backend):
    rng = np.random.default_rng(5)
    original = np.where(rng.random(100_000) < 0.01, -1, rng.permutation(100_000))
    steps = rng.permutation(100_000).astype(np.uint32)
    on_device = backend.to_device(steps), backend.to_device(original)
    cuts = backend.to_host(backend.circuits.find_added(*on_device))
    np.testing.assert_array_equal(cuts, np.flatnonzero(original[steps] < 0))
    order = rng.permutation(len(cuts) - 1)
    starts, lengths = (cuts[:-1] + 1)[order], (np.diff(cuts) - 1)[order]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    taken = backend.to_host(
        backend.circuits.gather_ranges(*on_device, backend.to_device(starts), backend.to_device(offsets))
    )
    expected = [original[steps[start : start + n]] for start, n in zip(starts, lengths, strict=True)]
    np.testing.assert_array_equal(taken, np.concatenate(expected))
