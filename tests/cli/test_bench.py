"""`dbg bench`: what it measures, and how it tells it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends import crossover
from debruijn_gpu.backends.core import detection
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.bench import series
from debruijn_gpu.bench.measuring import Bench, Cut, crossing, run_bench
from debruijn_gpu.bench.options import OPERATIONS, BenchOptions, parse_sizes
from debruijn_gpu.bench.series import Timing, default_sizes
from debruijn_gpu.bench.trials import TRIALS
from debruijn_gpu.cli.bench import describe
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.plots.rates import draw_rates, short
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from tests.drawing.svg import texts
from tests.helpers import as_device, with_operations


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(detection, "cuda_problems", lambda: ["no driver"])


@pytest.fixture
def fake_gpu(monkeypatch, tmp_path):
    """The CPU's backend as that of a GPU."""
    monkeypatch.setenv("DBG_CACHE_DIR", str(tmp_path))  # no calibration
    gpu = with_operations(as_device(CPU), "arrays")
    monkeypatch.setattr(backends, "load", lambda _: CPU)
    monkeypatch.setattr(backends, "load_cuda", lambda _: gpu)
    return gpu


def test_cpu_alone_where_there_is_no_gpu(no_gpu, dbg):
    code, out, err = dbg("bench", "-v", "--sizes", "50,2^7", "--repeats", 1)
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert rows[0][:4] == ["operation", "size", "unit", "backend"]
    assert [row[0] for row in rows[1::2]] == list(OPERATIONS)
    assert {row[3] for row in rows[1:]} == {"cpu"}
    assert "there is no GPU to time (no driver): the CPU alone" in err
    assert "euler: not compared; --backend auto takes it from" in err
    assert "CPU " in err


def test_gpu_that_is_asked_for_and_not_there(no_gpu, dbg):
    code, out, err = dbg("bench", "--backends", "cuda,cpu", "sort")
    assert (code, out) == (70, "")
    assert err.startswith("dbg: CUDA cannot be used: no driver\n")
    assert "with --backends cpu;" in err


def test_formats(no_gpu, dbg, tmp_path):
    path, plot = tmp_path / "bench.json", tmp_path / "bench.png"
    code, out, err = dbg("bench", "sort", "-q", "--json", "--sizes", "60", "--repeats", 1, "-o", path, "--plot", plot)
    assert (code, out) == (0, "")
    assert err == ""
    found = json.loads(path.read_text())
    assert found["timings"][0]["size"] == 60
    assert found["timings"][0]["agrees"] is None
    assert found["machine"]["dbg"]
    assert found["cutovers"]["sort"]["measured"] is None
    assert plot.read_bytes().startswith(b"\x89PNG")
    code, out, _ = dbg("bench", "compact", "--tsv", "--max-size", "30", "--repeats", 1)
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert rows[1][:4] == ["compact", "30", "numbers", "cpu"]
    assert float(rows[1][4]) > 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nothing"], 2),
        (["--sizes", ","], 2),
        (["--sizes", "1k", "--max-size", "1M"], 2),
        (["--sizes", "many"], 2),
        (["--sizes", "0"], 2),
        (["--max-size", "2^60"], 2),
        (["--repeats", "0"], 2),
        (["--backends", "tpu"], 2),
        (["--plot", "bench.gif"], 2),
    ],
)
def test_options_that_make_no_sense(no_gpu, dbg, arguments, code):
    assert dbg("bench", *arguments)[0] == code


def test_results_are_compared(fake_gpu, dbg):
    code, out, err = dbg("bench", "sort", "compact", "--sizes", "100", "--repeats", 1, "--backends", "cpu,cuda")
    assert code == 0
    assert [line.split()[-1] for line in out.splitlines()[1:]] == ["-", "yes", "-", "yes"]
    fake_gpu.arrays.sort = lambda keys: np.sort(keys)[::-1]
    code, out, err = dbg("bench", "sort", "compact", "--sizes", "100", "--repeats", 1, "--backends", "cpu,cuda")
    assert code == 1
    assert [line.split()[-1] for line in out.splitlines()[1:]] == ["-", "NO", "-", "yes"]
    assert "dbg: CPU and GPU give different results: sort at 100\n" in err


def test_lack_of_memory_ends_a_backend(fake_gpu, capsys):
    def sort(keys):
        if len(keys) > 20:
            raise OutOfMemoryError("full")
        return np.sort(keys)

    fake_gpu.arrays.sort = sort
    log.configure(0)
    options = BenchOptions(operations=("sort",), sizes=(10, 20, 30, 40), repeats=1, backends=("cpu", "cuda"))
    found = run_bench(options, RunOptions())
    assert [(t.backend, t.size) for t in found.timings if t.backend == "cuda"] == [("cuda", 10), ("cuda", 20)]
    assert len(found.timings) == 6
    assert "warning: sort: not 30 numbers on cuda and beyond: memory does not suffice" in capsys.readouterr().err


def test_what_does_not_fit_is_not_tried(no_gpu):
    options = BenchOptions(operations=("sort",), sizes=(10, 10**11), repeats=1)
    assert [timing.size for timing in run_bench(options, RunOptions()).timings] == [10]


def test_sizes_grow_until_a_run_takes_long(monkeypatch, no_gpu):
    monkeypatch.setattr(series, "_LONGEST_S", 1e-4)
    monkeypatch.setattr(series, "seconds", lambda work: 1e-8 * len(work()) if work() is not None else 1e-6)
    monkeypatch.setattr(series, "_work", lambda trial, backend, arrays, size: arrays[0])
    found = run_bench(BenchOptions(operations=("sort",), repeats=1), RunOptions())
    assert [timing.size for timing in found.timings] == [100, 300, 1000, 3000, 10000]


def test_default_sizes():
    assert default_sizes(5000) == [100, 300, 1000, 3000]
    assert default_sizes(7) == [7]
    assert default_sizes(None)[-1] == 3 * 10**12
    assert parse_sizes("1k, 64,2^6") == (64, 1000)


def test_crossing():
    sizes = [10, 100, 1000]
    assert crossing(sizes, [1.0, 10.0, 100.0], [31.6227766, 31.6227766, 31.6227766]) == 316
    assert crossing(sizes, [1.0, 10.0, 100.0], [0.5, 20.0, 50.0]) == 316  # for good
    assert crossing(sizes, [1, 1, 1], [2, 2, 2]) is None
    assert crossing(sizes, [2, 2, 2], [1, 1, 1]) is None
    assert crossing(sizes, [2, 2, 2], [1, 1, 3]) is None
    assert crossing([], [], []) is None


def test_cut_over_in_use_is_in_items(fake_gpu):
    options = BenchOptions(operations=("euler", "sort"), sizes=(10,), repeats=1, backends=("cpu", "cuda"))
    cuts = run_bench(options, RunOptions()).cuts
    assert cuts["euler"].in_use == crossover.DEFAULTS["euler"] // 8
    assert cuts["sort"].in_use is None


def test_every_operation_has_a_trial_and_a_cut_over():
    assert TRIALS.keys() == crossover.DEFAULTS.keys()
    assert set(OPERATIONS) <= TRIALS.keys()


def synthetic(operations=OPERATIONS):
    timings, cuts = [], {}
    for name in operations:
        for size in default_sizes(10**6):
            timings.append(Timing(name, size, "things", "cpu", size * 1e-8, size * 1e-8, 5, None))
            timings.append(Timing(name, size, "things", "cuda", 1e-4 + size * 1e-9, 2e-4 + size * 2e-9, 5, True))
        cuts[name] = Cut(25_000, False, 300_000)
    return Bench({"CPU": "A $processor$ <of> 2 cores", "GPU": "NVIDIA H200"}, timings, cuts)


@pytest.mark.slow
@pytest.mark.parametrize(("file_format", "begin"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_plot(tmp_path, file_format, begin):
    path = tmp_path / "plot"
    with open(path, "wb") as stream:
        draw_rates(stream, file_format, synthetic(OPERATIONS[:4] if file_format == "svg" else OPERATIONS[:1]))
    assert path.read_bytes().startswith(begin)
    if file_format == "svg":
        assert path.read_text().count('id="axes_') == 4


def test_plot_of_nothing(tmp_path):
    with open(tmp_path / "plot", "wb") as stream:
        draw_rates(stream, "svg", Bench({"CPU": "x"}, [], {"sort": Cut(None, False, None)}))
    assert "x" in texts((tmp_path / "plot").read_bytes())  # the CPU


def test_cut_over_in_words():
    timings = synthetic(("sort",)).timings
    assert describe(Cut(75, False, 300), timings) == (
        "the GPU is faster from 75 on, once it is started; --backend auto takes it from 300 on"
    )
    assert describe(Cut(None, True, None), timings).startswith("the GPU is faster at all of these sizes")
    assert describe(Cut(None, False, None), timings).startswith("the GPU is not faster at the largest of these")
    assert describe(Cut(None, False, None), timings[::2]).startswith("not compared")
    assert [short(size) for size in (7, 1500, 75_500_000, 4_290_000_000)] == ["7", "1.5k", "75.5M", "4.29G"]
