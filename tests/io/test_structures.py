"""Trees of dataclasses come back as they were, and only listed classes are built."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.io.structures import Structures


@dataclass(frozen=True)
class Point:
    x: object
    y: object = None


@dataclass
class Other:
    x: int


NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), st.none(), st.text(), st.binary())
KEYS = st.one_of(st.integers(), st.text(), st.tuples(st.integers(), st.text()))
TREES = st.recursive(
    NUMBERS,
    lambda parts: st.one_of(
        st.lists(parts),
        st.lists(parts).map(tuple),
        st.dictionaries(KEYS, parts),
        st.builds(Point, parts, parts),
    ),
    max_leaves=12,
)


def copied(value, *classes):
    """Encode a value, pass it through JSON, and decode it."""
    structures, arrays = Structures(*classes), []
    return structures.decode(json.loads(json.dumps(structures.encode(value, arrays))), arrays)


@given(TREES)
def test_trees_come_back_with_their_types(tree):
    found = copied(tree, Point)
    assert found == tree
    assert repr(found) == repr(tree)


@pytest.mark.parametrize(
    "number", [np.float64(0.1), np.int64(-3), np.uint64(2**64 - 1), np.bool_(True), np.float32(1.5), float("inf")]
)
def test_types_of_numbers_are_kept(number):
    found = copied([number])[0]
    assert found == number
    assert type(found) is type(number)


def test_arrays_keep_dtype_and_shape():
    arrays = [np.arange(6, dtype=np.uint32).reshape(2, 3), np.zeros((0, 2), np.bool_)]
    for array, found in zip(arrays, copied(Point(arrays), Point).x, strict=True):
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert np.array_equal(found, array)


def test_order_of_dictionaries_is_kept():
    assert list(copied({3: "a", 1: "b", 2: "c"})) == [3, 1, 2]


@pytest.mark.parametrize("value", [Other(1), {1, 2}, [Point(Other(1))], 1j])
def test_classes_that_are_not_listed_are_refused(value):
    with pytest.raises(TypeError, match="not among the classes"):
        copied(value, Point)


def test_class_of_the_same_name_is_refused():
    listed = dataclass(type("Other", (), {"__annotations__": {"x": int}}))
    with pytest.raises(TypeError, match="not among"):
        copied(Other(1), listed)


@pytest.mark.parametrize(
    "value",
    [
        {"class": "Other", "members": {"x": 1}},
        {"class": "Point", "members": {"z": 1}},
        {"class": "Point"},
        {"array": 5},
        {"array": "x"},
        {"pickle": "x"},
        {"dict": [[1]]},
        {"tuple": 7},
    ],
)
def test_foreign_values_raise_expected_errors(value):
    with pytest.raises((ValueError, TypeError, LookupError)):
        Structures(Point).decode(value, [])
