"""Tests of what is special to the CUDA backend; on a GPU, or in numba's simulator."""

from __future__ import annotations

import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection
from debruijn_gpu.run.options import RunOptions


@pytest.fixture
def cuda():
    """The CUDA backend; without one, the test is left out."""
    problems = detection.cuda_problems()
    if problems:
        pytest.skip("; ".join(problems))
    return backends.load_cuda(RunOptions(backend="cuda"))
