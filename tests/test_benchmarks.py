"""The benchmark's reading of processes and logs; the benchmark itself is no test."""

from __future__ import annotations

import sys

from debruijn_gpu.run import log
from tests.benchmarks.measure import measure, stage_times
from tests.benchmarks.quality import compare_unitigs


def test_stages_are_read_from_the_log(capsys):
    log.configure(1)
    with log.stage("read", 200_000, "bases"), log.cpu_time("parse"):
        sum(range(10**5))
    with log.stage("write: all") as stage:
        stage.compile_s = 0.5
    read, write = stage_times(capsys.readouterr().err)
    assert (read.name, read.items, read.parts.split()[0]) == ("read", "200,000 bases", "parse")
    assert (write.name, write.items, write.parts) == ("write: all", "", "")


def test_a_process_is_measured(tmp_path):
    code = "import sys; x = bytearray(50_000_000); sys.stderr.write('done'); sys.exit(3)"
    run = measure([sys.executable, "-c", code], tmp_path / "new")
    assert (run.exit_code, run.text) == (3, "done")
    assert run.peak_bytes > 50_000_000
    assert 0 < run.cpu_s < 10
    assert run.wall_s > 0


def test_unitigs_are_compared_without_strand(tmp_path):
    (tmp_path / "a").write_text(">0\nAACCG\n>1\nGGGTT\n>2\nACGTTACG\n")
    (tmp_path / "b").write_text(">0\nCGGTT\n>1\nAAAAA\n>2\nCGTTACGT\n")
    (found,) = compare_unitigs({"a": tmp_path / "a", "b": tmp_path / "b"}, 4)
    assert found["n_unitigs"] == [3, 3]
    assert found["n_same"] == 2
