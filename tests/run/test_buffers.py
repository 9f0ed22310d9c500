"""Arrays that begin at a cache line."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.run.buffers import LINE_BYTES, aligned_array


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.float64, np.dtype([("a", "u1"), ("b", "<u4")])])
@pytest.mark.parametrize("n", [0, 1, 7, 100_003])
def test_arrays_begin_at_a_cache_line(n, dtype):
    arrays = [aligned_array(n, dtype) for _ in range(20)]
    assert all(array.shape == (n,) and array.dtype == dtype and array.flags.writeable for array in arrays)
    assert all(array.ctypes.data % LINE_BYTES == 0 for array in arrays if n)
