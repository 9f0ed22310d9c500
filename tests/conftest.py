"""What every test may use."""

from __future__ import annotations

import pytest

from debruijn_gpu import backends
from debruijn_gpu.options import RunOptions


@pytest.fixture(params=["cpu"])
def backend(request):
    """Each backend at hand, with two threads."""
    return backends.load(RunOptions(backend=request.param, threads=2))
