"""A kernel whose blocks wait for each other. Importing this needs a GPU, or the simulator."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid


@kernel
def shift(values, others, n_rounds, step, arrived):
    """Add 1 to values and shift them, round by round; each round reads what other blocks wrote in the one before.

    Parameters
    ----------
    values : in and out, int64 (n,)
    others : work, int64 (n,)
    n_rounds : int64; even
    step : int64
    arrived : in and out, int64 (1,); see `wait_for_grid`
    """
    n = values.size
    for j in range(n_rounds):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            if j % 2 == 0:
                others[i] = values[(i + step) % n] + 1
            else:
                values[i] = others[(i + step) % n] + 1
        wait_for_grid(arrived, np.int64(j + 1))
