"""What every test may use."""

from __future__ import annotations

import pytest
from hypothesis import settings

from debruijn_gpu import backends
from debruijn_gpu.cli import main
from debruijn_gpu.options import RunOptions

# The first call of a kernel compiles it, which takes longer than any sensible deadline.
settings.register_profile("dbg", deadline=None)
settings.load_profile("dbg")


@pytest.fixture(params=["cpu"])
def backend(request):
    """Each backend at hand, with two threads."""
    return backends.load(RunOptions(backend=request.param, threads=2))


@pytest.fixture
def dbg(capsysbinary):
    """A function that runs a command in this process: exit code, standard output and standard error."""

    def run(*args):
        with pytest.raises(SystemExit) as caught:
            main([str(arg) for arg in args])
        captured = capsysbinary.readouterr()
        return caught.value.code, captured.out.decode(), captured.err.decode()

    return run
