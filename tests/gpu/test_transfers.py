"""Large arrays are the same on host and device, in whichever chunks they are copied."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.run.tuning import tuned

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("n", [1, 5, (8 << 20) - 1, 8 << 20, (8 << 20) + 1, 100_000_001])
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.uint32])
def test_there_and_back(cuda, n, dtype):
    values = np.random.default_rng(n).integers(0, 2 if dtype is np.bool_ else 256, n, np.uint8).astype(dtype)
    with tuned(staged_bytes=1):
        moved = cuda.to_device(values)
        found = cuda.to_host(moved)
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, values)
    np.testing.assert_array_equal(cuda.to_host(moved), values)


def test_shapes_and_slices(cuda):
    values = np.arange(6_000_000).reshape(2, 3, -1)
    with tuned(staged_bytes=1):
        np.testing.assert_array_equal(cuda.to_host(cuda.to_device(values)), values)
        np.testing.assert_array_equal(cuda.to_host(cuda.to_device(values[:, :, ::2])), values[:, :, ::2])
        np.testing.assert_array_equal(cuda.to_host(cuda.to_device(values)[:, 1:]), values[:, 1:])
