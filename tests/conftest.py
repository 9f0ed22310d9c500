"""What every test may use."""

from __future__ import annotations

import fcntl
import os
import signal
import tempfile
from contextlib import ExitStack
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection, kernel_store
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.cli import main
from debruijn_gpu.run import signals
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned
from tests import warm_up
from tests.browser import browser, page  # noqa: F401
from tests.helpers import FULL_EXAMPLES

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; children would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
ANSWERS = {number: signal.getsignal(number) for number in signals.ENDING}

# The first call of a kernel compiles it, which takes longer than any sensible deadline.
# A loaded machine draws slowly, which is no defect of a test.
SLOW = [HealthCheck.too_slow]
_EXAMPLES = int(os.environ.get("DBG_EXAMPLES", FULL_EXAMPLES))  # fewer in continuous integration
settings.register_profile("full", deadline=None, max_examples=_EXAMPLES, suppress_health_check=SLOW)
settings.register_profile("quick", deadline=None, max_examples=FULL_EXAMPLES // 7, suppress_health_check=SLOW)
settings.register_profile("simulator", deadline=None, max_examples=4, suppress_health_check=SLOW)
settings.load_profile("simulator" if detection.is_simulated() else "full")
if detection.is_simulated():
    from tests import simulator

    simulator.install()

N_THREADS = 2
#: Items that the simulator of kernels takes in bearable time.
SIMULATED_ITEMS = 128


def pytest_generate_tests(metafunc):
    """Run tests of a backend on each one at hand; in the simulator, which has a process of its own, on that alone."""
    if "backend" in metafunc.fixturenames:
        names = ["cpu"]
        if metafunc.definition.get_closest_marker("cuda") and not detection.cuda_problems():
            names = ["cuda"] if detection.is_simulated() else ["cpu", "cuda"]
        metafunc.parametrize("backend", names, indirect=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(specs):
    """Fill an empty cache of kernels before pytest-xdist starts its processes."""
    warm_up.fill_cache(len(specs))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Escape names of files that are not UTF-8 in captured output: a process of pytest-xdist cannot send them."""
    report = (yield).get_result()
    report.sections = [(title, text.encode("utf-8", "backslashreplace").decode()) for title, text in report.sections]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark tests that open pages and, in the simulator, those of the CUDA backend; then pytest selects by markers."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        if detection.is_simulated() and item.get_closest_marker("cuda"):
            item.add_marker("simulator")


@pytest.fixture(scope="session")
def backend(request):
    """Each backend at hand; the threads of the CPU are those of `run_settings`."""
    options = RunOptions(backend=request.param, threads=N_THREADS)
    if request.param == "cpu":
        return backends.load(options)
    cuda = backends.load_cuda(options)
    return _for_simulator(cuda) if detection.is_simulated() else cuda


def _for_simulator(cuda):
    """The backend that leaves tests out whose input is too much for the simulator."""

    def to_device(array):
        if np.size(array) > SIMULATED_ITEMS:
            if hypothesis.currently_in_test_context():
                hypothesis.assume(False)
            pytest.skip(f"more than {SIMULATED_ITEMS} items")
        return cuda.to_device(array)

    limited = type(cuda)()
    limited.to_device = to_device
    return limited


@pytest.fixture(scope="session", autouse=True)
def divide_small_inputs():
    """Share out small inputs among the threads, too."""
    with tuned(least_work=1):
        yield


@pytest.fixture(autouse=True)
def refuse_kernels_that_are_not_kept(monkeypatch):
    """Fail where a kernel cannot be kept in the store: every process of every user would compile it."""

    def refuse(function, error):
        pytest.fail(f"{function.py_func.__qualname__} would be compiled in each process: {error}")

    monkeypatch.setattr(kernel_store, "on_not_kept", refuse)


@pytest.fixture
def tune():
    """A function that changes fields of `Tuning` until the test ends."""
    with ExitStack() as changed:
        yield lambda **changes: changed.enter_context(tuned(**changes))


@pytest.fixture(autouse=True)
def turn_on_gpu(request):
    """Let a test that takes most memory of the GPU run alone, where processes of pytest-xdist share it.

    What a test leaves in the memory pool of its process would be missing in the others.
    """
    callspec = getattr(request.node, "callspec", None)
    on_cuda = callspec is not None and callspec.params.get("backend") == "cuda"
    if detection.is_simulated() or not (on_cuda or request.node.get_closest_marker("gpu")):
        yield
        return
    from debruijn_gpu.backends.core.cuda import runtime  # which needs CuPy

    alone = request.node.get_closest_marker("whole_gpu") is not None
    with open(Path(tempfile.gettempdir(), f"dbg-tests-gpu-{os.getuid()}.lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
        runtime.free_pool_blocks()


@pytest.fixture(autouse=True)
def run_settings(request, turn_on_gpu):
    """Begin each test with two threads and most of the GPU's memory: the commands of another may have set them."""
    threads.configure(N_THREADS)
    callspec = getattr(request.node, "callspec", None)
    if callspec and callspec.params.get("backend") == "cuda":
        backends.load_cuda(RunOptions(backend="cuda"))


@pytest.fixture(autouse=True)
def restore_answers_to_signals():
    """Begin each test with what signals do at first: `main` ignores them, also in fixtures of a wider scope."""
    for number, answer in ANSWERS.items():
        signal.signal(number, answer)


@pytest.fixture
def dbg(capsysbinary):
    """A function that runs a command in this process: exit code, standard output and standard error."""

    def run(*args):
        with pytest.raises(SystemExit) as caught:
            main([str(arg) for arg in args])
        captured = capsysbinary.readouterr()
        return caught.value.code, captured.out.decode(), captured.err.decode()

    return run
