"""Tests that need a GPU. They are chosen by their mark (``make test-gpu``), and fail without one."""

from __future__ import annotations

import pytest

from debruijn_gpu import backends
from debruijn_gpu.run.options import RunOptions


@pytest.fixture
def cuda():
    """The CUDA backend with most of the memory; CudaUnavailableError where it cannot be used."""
    return backends.load_cuda(RunOptions(backend="cuda"))
