"""Which backend commands on numbers take, and the table behind it."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends import choose, crossover
from debruijn_gpu.backends.core import detection
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import CudaUnavailableError, OutOfMemoryError
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.primitives.keys import parse_keys
from debruijn_gpu.primitives.options import DistinctOptions, SortOptions
from debruijn_gpu.primitives.sort import distinct_in_runs, sort_in_runs
from debruijn_gpu.run.options import RunOptions


@pytest.fixture(autouse=True)
def own_place(tmp_path, monkeypatch):
    """A cache directory without a calibration."""
    monkeypatch.setenv("DBG_CACHE_DIR", str(tmp_path))
    return tmp_path / "debruijn_gpu" / "cutovers.json"


def calibrated(n_bytes):
    return {name: crossover.Crossover(1.0, 0.5, 1.0, n_bytes) for name in crossover.DEFAULTS}


def test_defaults_hold_until_it_is_calibrated(own_place):
    assert {name: crossover.crossover_bytes(name) for name in crossover.DEFAULTS} == crossover.DEFAULTS
    assert crossover.save(calibrated(123)) == str(own_place)
    assert crossover.crossover_bytes("sort") == 123


@pytest.mark.parametrize("content", ["", "{", "[]", '{"sort": {}}', '{"sort": 3}'])
def test_a_damaged_calibration_is_none(own_place, content):
    own_place.parent.mkdir(parents=True)
    own_place.write_text(content)
    assert crossover.crossover_bytes("sort") == crossover.DEFAULTS["sort"]


@pytest.mark.parametrize(
    ("n_bytes", "problems", "taken"), [(999, [], "cpu"), (1000, [], "cuda"), (1000, ["no GPU"], "cpu")]
)
def test_auto_takes_a_usable_gpu_above_the_crossover(monkeypatch, n_bytes, problems, taken):
    crossover.save(calibrated(1000))
    monkeypatch.setattr(detection, "cuda_problems", lambda: problems)
    monkeypatch.setattr(choose, "load_cuda", lambda options: "cuda")
    monkeypatch.setattr(choose, "load", lambda options: options.backend)
    assert backends.load_arrays(RunOptions(), "sort", n_bytes) == taken


def test_cuda_that_is_asked_for_and_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(detection, "cuda_problems", lambda: ["no GPU"])
    with pytest.raises(CudaUnavailableError, match="no GPU"):
        backends.load_arrays(RunOptions(backend="cuda"), "sort", 1)


def test_runs_of_one_column():
    values = np.array([3, 1, 2, 1])
    one = Columns((values,))
    ascending, descending = SortOptions(), SortOptions(keys=parse_keys("1r"))
    assert sort_in_runs(one, ascending, CPU).arrays[0].tolist() == [1, 1, 2, 3]
    assert sort_in_runs(one, descending, CPU).arrays[0].tolist() == [3, 2, 1, 1]
    assert sort_in_runs(one, SortOptions(unique=True), CPU).arrays[0].tolist() == [1, 2, 3]
    counted = distinct_in_runs(one, DistinctOptions(count=True), CPU)
    assert [array.tolist() for array in counted.arrays] == [[1, 2, 3], [2, 1, 1]]
    two = Columns((values, values))
    for work in (lambda: sort_in_runs(two, ascending, CPU), lambda: distinct_in_runs(two, DistinctOptions(), CPU)):
        with pytest.raises(OutOfMemoryError, match="Out of GPU memory: 64 B of records need about"):
            work()
