"""Reads that are hard for assemblers: time grows with their number alone, and no seed of hash tables changes a byte."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from debruijn_gpu.run.hash_seed import use_hash_seed
from tests.benchmarks.adversarial_reads import INPUTS, write_reads

COMMANDS = {
    "count": "count -k 31 -t 1 -q {reads} -o {out}",
    "unitigs": "unitigs -k 31 --min-count 1 -t 1 -q {reads} -o {out}",
    "assemble": "assemble -k 21,41 --min-count 1 -t 1 -q {reads} -o {out} --force",
    "euler": "euler -k 21 --trails -t 1 -q {reads} -o {out}",
}
#: Results, or an input that makes none
GOOD = (0, 69)
BASES, TIMES = 100_000, 8
#: What quadratic time exceeds: eight times the input takes 64 times as long
MOST_GROWTH, START_S = 3 * TIMES, 1.0
TIMED = {"dbg.log", "dbg.failed.log", "report.html", "run.json"}


def written(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    files = sorted(path.iterdir()) if path.exists() else []
    return {file.name: file.read_bytes() for file in files if file.name not in TIMED}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", INPUTS)
def test_time_is_linear_and_the_seed_changes_no_byte(dbg, tmp_path, name, command):
    def seconds(n_bases: int, place: Path) -> float:
        reads = tmp_path / f"{n_bases}.fa"
        write_reads(reads, name, n_bases)
        start = time.process_time()
        code, _, err = dbg(*COMMANDS[command].format(reads=reads, out=place).split())
        assert code in GOOD, err
        return time.process_time() - start

    with use_hash_seed(12345):
        seconds(BASES, tmp_path / "first")  # kernels are compiled or loaded
    fewer = seconds(BASES, tmp_path / "second")
    assert written(tmp_path / "first") == written(tmp_path / "second")
    more = seconds(TIMES * BASES, tmp_path / "more")
    assert more < MOST_GROWTH * fewer + START_S, f"{more:.1f} s, and {fewer:.1f} s of {TIMES} times fewer bases"
