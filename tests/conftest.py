"""What every test may use."""

from __future__ import annotations

import signal

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.cli import main
from debruijn_gpu.run import signals
from debruijn_gpu.run.options import RunOptions
from tests.browser import browser, page  # noqa: F401

#: Least steps of a range of work; the tests divide small inputs as well.
LEAST_WORK = threads.LEAST_WORK
threads.LEAST_WORK = 1

# The first call of a kernel compiles it, which takes longer than any sensible deadline.
# A loaded machine draws slowly, which is no defect of a test.
SLOW = [HealthCheck.too_slow]
settings.register_profile("dbg", deadline=None, max_examples=70, suppress_health_check=SLOW)
settings.register_profile("simulator", deadline=None, max_examples=6, suppress_health_check=SLOW)
settings.load_profile("simulator" if detection.is_simulated() else "dbg")

#: Tests of operations that the CUDA backend has.
ON_CUDA = (
    "tests.backends.arrays.test_arrays",
    "tests.backends.circuits.test_checking",
    "tests.backends.circuits.test_circuits",
    "tests.backends.unitigs.test_cleaning",
    "tests.backends.graphs.test_components",
    "tests.backends.graphs.test_generators",
    "tests.backends.kmers.test_kmers",
    "tests.backends.circuits.test_list_ranking",
    "tests.backends.sequences.test_look_and_say",
    "tests.backends.sequences.test_necklaces",
    "tests.backends.reads.test_parsing",
    "tests.backends.spectra.test_masses",
    "tests.backends.spectra.test_scoring",
    "tests.backends.sequences.test_symbols",
    "tests.backends.sequences.test_registers",
    "tests.backends.circuits.test_trails",
    "tests.backends.unitigs.test_unitigs",
    "tests.backends.sequences.test_windows",
    "tests.drawing.test_backends",
    "tests.graph.test_analysis",
    "tests.primitives.test_records",
    "tests.sequences.test_euler",
    "tests.sequences.test_verify",
    "tests.peptides.test_theoretical",
    "tests.peptides.test_leaderboard",
    "tests.backends.sequences.test_words",
    "tests.sequences.test_universal",
    "tests.euler.test_postman",
    "tests.euler.test_trails",
    "tests.euler.test_bidirected",
    "tests.assembly.test_unitig_trails",
    "tests.assembly.test_unitigs",
)
#: Items that the simulator of kernels takes in bearable time.
SIMULATED_ITEMS = 128


def pytest_generate_tests(metafunc):
    """Run tests of a backend on each one at hand; in the simulator, which has a process of its own, on that alone."""
    if "backend" in metafunc.fixturenames:
        names = ["cpu"]
        if metafunc.module.__name__ in ON_CUDA and not detection.cuda_problems():
            names = ["cuda"] if detection.is_simulated() else ["cpu", "cuda"]
        metafunc.parametrize("backend", names, indirect=True)


@pytest.fixture
def backend(request):
    """Each backend at hand, with two threads."""
    options = RunOptions(backend=request.param, threads=2)
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


@pytest.fixture(autouse=True)
def keep_answer_to_interrupts():
    """`main` changes what signals do, as the last thing in its process."""
    answers = {number: signal.getsignal(number) for number in signals.ENDING}
    yield
    for number, answer in answers.items():
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
