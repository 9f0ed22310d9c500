"""Packed integers are read as they were; those of the stores take as few bytes as the documentation says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from debruijn_gpu.run.byte_planes import MOST_AT_ONCE, is_packable, pack, unpack_into

RNG = np.random.default_rng(1)
DTYPES = [np.dtype(name) for name in ("int32", "uint32", "int64", "uint64")]


def unpacked(values):
    target = np.full(len(values), 77, values.dtype)
    unpack_into(np.frombuffer(pack(values), np.uint8), target)
    return target


@st.composite
def integers(draw):
    dtype = draw(st.sampled_from(DTYPES))
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    top = draw(st.sampled_from([0, 1, 255, 256, 70000, most]))
    one = st.integers(0, top) | st.sampled_from([least, most])
    values = draw(arrays(dtype, st.integers(1, 300), elements=one, fill=st.integers(0, top)))
    return np.sort(values) if draw(st.booleans()) else values


@given(integers())
def test_integers_are_the_same_after_packing(values):
    assert unpacked(values).tolist() == values.tolist()


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, MOST_AT_ONCE - 1, MOST_AT_ONCE])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sizes_of_blocks_are_packed(size, dtype):
    values = RNG.geometric(0.1, size).astype(dtype)
    values[-1] = np.iinfo(dtype).max
    for some in (values, np.sort(values)):
        assert unpacked(some).tolist() == some.tolist()


@pytest.mark.parametrize(
    ("values", "n_bytes"),
    [
        (np.arange(0, 150 * 10_000, 150), 0),
        (np.sort(RNG.integers(0, 1 << 42, 10_000)), 4.2),
        (RNG.integers(0, 1 << 42, 10_000), 6.1),
        (RNG.geometric(0.2, 10_000).astype(np.uint32), 1.1),
        (np.where(RNG.random(10_000) < 0.001, 70_000, 30).astype(np.uint32), 1.1),
    ],
)
def test_integers_of_stores_take_few_bytes(values, n_bytes):
    assert len(pack(values)) <= n_bytes * len(values) + 25


def test_integers_of_other_sizes_are_not_packed():
    assert all(map(is_packable, DTYPES))
    assert not any(is_packable(np.dtype(name)) for name in ("u1", "i2", "f8", "?", ">u8"))
