"""Blocks of a grid that wait for each other."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.core import detection

pytestmark = pytest.mark.cuda


def test_all_blocks_see_what_others_wrote(cuda):
    from debruijn_gpu.backends.core.cuda.runtime import launch_waiting, xp
    from tests.backends.core.shifting import shift

    n, n_rounds, step = (60, 6, 7) if detection.is_simulated() else (1_000_003, 200, 333_337)
    values = np.arange(n, dtype=np.int64)
    on_device = cuda.to_device(values)
    numbers = np.int64(n_rounds), np.int64(step)
    launch_waiting(shift, n, on_device, xp.empty(n, np.int64), *numbers, xp.zeros(1, np.int64))
    np.testing.assert_array_equal(cuda.to_host(on_device), np.roll(values, -step * n_rounds) + n_rounds)


@pytest.mark.parametrize("dtype", ["i4", "u8", "f8"])
def test_scan_of_few_tiles(cuda, dtype):
    rng = np.random.default_rng(1)
    sizes = (32, 33, 64, 128) if detection.is_simulated() else (2048, 2049, 100_000, 524_288, 524_289, 3_000_000)
    for n in sizes:
        values = rng.integers(0, 9, n).astype(dtype)
        found = cuda.to_host(cuda.arrays.inclusive_scan(cuda.to_device(values)))
        np.testing.assert_array_equal(found, np.cumsum(values))
