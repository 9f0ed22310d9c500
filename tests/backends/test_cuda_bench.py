"""What `dbg bench` times gives the same on both backends."""

from __future__ import annotations

import pytest

from debruijn_gpu.backends.core import detection
from debruijn_gpu.bench.measuring import run_bench
from debruijn_gpu.bench.options import OPERATIONS, BenchOptions
from debruijn_gpu.run.options import RunOptions

pytestmark = pytest.mark.cuda


@pytest.mark.usefixtures("cuda")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_both_backends_are_timed_and_agree(operation):
    size = 6 if operation == "lookandsay" and detection.is_simulated() else 50
    options = BenchOptions(operations=(operation,), sizes=(size,), repeats=1, backends=("cpu", "cuda"))
    bench = run_bench(options, RunOptions())
    assert [(timing.backend, timing.agrees) for timing in bench.timings] == [("cpu", None), ("cuda", True)]
    assert all(timing.work_s > 0 and timing.host_to_host_s > 0 for timing in bench.timings)
    assert "GPU" in bench.machine
