"""Memory that files are read into."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.run.buffers import read_buffer


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.float64, np.dtype([("a", "u1"), ("b", "<u4")])])
@pytest.mark.parametrize("n", [0, 1, 7, 100_003])
def test_buffers_begin_where_the_system_copies_fast(n, dtype):
    buffers = [read_buffer(n, dtype) for _ in range(20)]
    assert all(buffer.shape == (n,) and buffer.dtype == dtype and buffer.flags.writeable for buffer in buffers)
    assert all(buffer.ctypes.data % 32 == 0 for buffer in buffers if n)
