"""`dbg assemble` keeps within its memory budget, says so where it cannot, and estimates what it needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import random_sequence

ROOT = Path(__file__).parents[2]
READS = ROOT / "data" / "phix174_R1.fastq.gz", ROOT / "data" / "phix174_R2.fastq.gz"
TIMED = ("dbg.log", "run.json", "report.html")
BUDGET = 300  # MiB
GENOME_BP, DEPTH = 1_000_000, 120


@pytest.fixture(scope="module")
def pairs(tmp_path_factory) -> tuple[Path, Path]:
    """Pairs of a random genome, whose assembly takes more than the budget where that is not given."""
    place = tmp_path_factory.mktemp("pairs")
    (place / "genome.fa").write_text(">one\n" + random_sequence(np.random.default_rng(1), GENOME_BP) + "\n")
    simulate = ["simulate", place / "genome.fa", "--paired", "--depth", DEPTH, "-o", place / "reads.fq.gz", "-q"]
    assert run(*simulate).returncode == 0
    return place / "reads_R1.fq.gz", place / "reads_R2.fq.gz"


def run(*args) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "debruijn_gpu", *map(str, args)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=600)


def run_measured(*args) -> tuple[int, bytes, int]:
    """Exit code, standard error and largest resident size in bytes, of the process and of those that it starts."""
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.exit(done.returncode)\n"
    )
    command = [sys.executable, "-c", code, sys.executable, "-m", "debruijn_gpu", *map(str, args)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=600)
    unit = 1 if sys.platform == "darwin" else 1024
    return done.returncode, done.stderr, int(done.stdout) * unit


@pytest.mark.process
@pytest.mark.slow
def test_assembly_keeps_within_its_budget_and_gives_the_same_bytes(pairs, tmp_path):
    inputs = ["assemble", "-1", pairs[0], "-2", pairs[1], "-t", 2]
    wide = run_measured(*inputs, "-o", tmp_path / "wide")  # compiles what is missing
    assert wide[0] == 0, wide[1]
    code, err, peak = run_measured(*inputs, "-o", tmp_path / "tight", "-m", f"{BUDGET}M", "-v")
    assert code == 0, err
    assert peak <= BUDGET << 20 < wide[2]
    assert b"temporary file" in err
    names = sorted(path.name for path in (tmp_path / "wide").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "tight").iterdir())
    for name in names:
        if name not in TIMED:
            assert (tmp_path / "wide" / name).read_bytes() == (tmp_path / "tight" / name).read_bytes(), name


@pytest.mark.process
@pytest.mark.slow
def test_what_cannot_fit_ends_with_need_and_budget(pairs, tmp_path):
    genome = tmp_path / "large.fa"
    genome.write_text(">one\n" + random_sequence(np.random.default_rng(2), 12_000_000) + "\n")
    done = run("assemble", genome, "-k", "31,127", "--min-count", 1, "-m", "256M", "-q", "-o", tmp_path / "out")
    assert done.returncode == 137
    what, fix = done.stderr.decode().splitlines()
    assert what.startswith("dbg: Out of memory: ")
    assert "MiB, and " in what
    assert "-m" in fix
    left = {path.name for path in (tmp_path / "out").iterdir()} - {".dbg"}  # checkpoints, where this took 20 s
    assert left == {"dbg.failed.log"}


def test_an_estimate_is_a_table(dbg, tmp_path):
    before = set(tmp_path.iterdir())
    code, out, err = dbg("assemble", "-1", READS[0], "-2", READS[1], "--estimate", "-o", tmp_path / "none")
    assert (code, err) == (0, "")
    rows = dict(line.split("  ", 1) for line in out.splitlines())
    assert set(tmp_path.iterdir()) == before
    assert 4_500 < int(rows["genome size (bp)"].replace(",", "")) < 6_500
    assert "smallest -m" in rows
    assert "CPU time" in rows


@pytest.mark.parametrize("options", [(), ("-k", 31), ("--no-pairs",), ("--max-depth", 10), ("--trim", "off", "-k", 41)])
def test_an_estimate_in_json(dbg, options):
    code, out, err = dbg(
        "assemble", "-1", READS[0], "-2", READS[1], "--estimate", "--format", "json", "-t", 1, "-m", "1G", *options
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["n_reads"] == 2154
    assert found["n_bases"] == 215_400
    assert found["fits"]
    assert found["is_whole"]
    assert found["budget_bytes"] == 1 << 30
    assert found["threads"] == 1
    assert (40 << 20) < found["memory_bytes"] < (90 << 20)
    if "-k" in options:
        assert found["ks"] == [options[options.index("-k") + 1]]


@pytest.mark.process
@pytest.mark.slow
def test_an_estimate_is_near_what_is_used(pairs, tmp_path):
    """Loosely: a machine that does other work too has other times."""
    inputs = ["assemble", "-1", pairs[0], "-2", pairs[1], "-t", 1]
    found = json.loads(run(*inputs, "--estimate", "--format", "json", "-q").stdout)
    assert found["n_bases"] == pytest.approx(GENOME_BP * DEPTH, rel=0.1)
    assert found["genome_bp"] == pytest.approx(GENOME_BP, rel=0.1)
    code, err, peak = run_measured(*inputs, "-o", tmp_path / "out", "-q")
    assert code == 0, err
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    written = sum(path.stat().st_size for path in (tmp_path / "out").iterdir())
    assert peak / 2 < found["memory_bytes"] < 2 * peak
    assert written / 3 < found["output_bytes"] < 3 * written
    assert record["cpu_s"] / 8 < found["cpu_s"] < 8 * record["cpu_s"]
    assert tuple(found["ks"]) == tuple(json.loads((tmp_path / "out" / "params.json").read_text())["used"]["ks"])


@pytest.mark.slow
def test_too_little_memory_is_estimated(dbg, pairs, monkeypatch):
    from debruijn_gpu.assembly import needs

    monkeypatch.setattr(needs, "_least_budget", lambda work: 900 << 20)
    code, out, err = dbg("assemble", "-1", READS[0], "--estimate", "-m", "512M", "-2", READS[1])
    assert code == 0
    assert "900M" in out
    assert err == "[dbg] warning: -m 512M does not suffice: give -m 900M or more\n"


def test_a_pipe_cannot_be_estimated(dbg):
    code, _out, err = dbg("assemble", "--estimate", "-")
    assert code == 2
    assert "pipe" in err or "standard input" in err


def test_formats_are_those_of_estimates(dbg):
    assert dbg("assemble", READS[0], "--format", "json")[0] == 2
    assert dbg("assemble", READS[0], "--estimate", "--format", "tsv")[0] == 2


@pytest.mark.process
def test_an_allocation_that_fails_is_lack_of_memory(tmp_path):
    """A MemoryError anywhere, as of NumPy, in any stage of an assembly."""
    code = (
        "import sys; from debruijn_gpu import pipeline; from debruijn_gpu.assembly import round_graphs\n"
        "from debruijn_gpu.cli import main\n"
        "def fail(*given, **options): raise MemoryError('Unable to allocate 7. TiB')\n"
        "setattr(pipeline if hasattr(pipeline, sys.argv[1]) else round_graphs, sys.argv[1], fail)\n"
        "main(sys.argv[2:])\n"
    )
    for stage in ("count_kmers", "kmer_graph", "summarise", "walked_contigs", "evaluate"):
        command = [sys.executable, "-c", code, stage, "assemble", str(READS[0]), "-k", "31", "-q"]
        done = subprocess.run(
            [*command, "-o", tmp_path / "out"], cwd=ROOT, capture_output=True, check=False, timeout=60
        )
        assert done.returncode == 137, stage
        assert done.stderr.splitlines()[0] == b"dbg: Out of memory: Unable to allocate 7. TiB"


def test_a_cluster_is_estimated(dbg):
    code, out, err = dbg("assemble", READS[0], "--estimate", "--workers", 10)
    assert (code, err) == (0, "")
    assert "10 x 1 thread" in out
    assert [line.split()[0] for line in out.splitlines()[-6:]] == [
        "start",
        "read",
        "shuffle",
        "count",
        "compact",
        "glue",
    ]


def test_a_cluster_is_estimated_in_json(dbg, tmp_path):
    from debruijn_gpu.assembly.stage_rates import DEFAULT_RATES

    rates = {**DEFAULT_RATES.as_json(), "machine": "mine", "read_s_per_base": 1.0}
    (tmp_path / "rates.json").write_text(json.dumps(rates))
    options = ["--worker-threads", 2, "--worker-memory", "4G", "--network", "1M", "--storage", "2G"]
    json_of = ["assemble", READS[0], "--estimate", "--format", "json", "--workers", 3]
    code, out, _err = dbg(*json_of, *options, "--rates", tmp_path / "rates.json")
    assert code == 0
    found = json.loads(out)["cluster"]
    assert (found["workers"], found["worker_threads"], found["worker_memory_bytes"]) == (3, 2, 4 << 30)
    assert (found["rates"], found["limit"]) == (rates, {"stage": "read", "by": "CPU"})
    assert found["wall_s"] >= found["least_wall_s"] > 0
    assert found["stages"][1]["cpu_s"] == pytest.approx(json.loads(out)["n_bases"])


def test_too_little_memory_for_gluing_is_reported(dbg):
    code, _out, err = dbg("assemble", READS[0], "--estimate", "--workers", 2, "--worker-memory", "100M")
    assert code == 0
    assert "gluing takes about 192" in err


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"machine": "x"}'])
def test_rates_that_are_none_are_refused(dbg, tmp_path, content):
    (tmp_path / "rates.json").write_text(content)
    code, _out, err = dbg("assemble", READS[0], "--estimate", "--workers", 2, "--rates", tmp_path / "rates.json")
    assert code == 64
    assert "rates.json: expected" in err


def test_workers_are_estimated_only(dbg):
    assert dbg("assemble", READS[0], "--workers", 2)[0] == 2
    assert dbg("assemble", READS[0], "--estimate", "--network", "1G")[0] == 2


@pytest.mark.process
@pytest.mark.slow
def test_queries_of_several_sets_keep_within_their_budget_and_give_the_same_bytes(tmp_path):
    n_bp = 4_000_000  # of each sample: 13 bytes for each of 8 million k-mers in the index, 56 where all are held joined
    rng, sets = np.random.default_rng(4), [tmp_path / "a.dbgk", tmp_path / "b.dbgk"]
    with (tmp_path / "query.fa").open("w") as query:
        for path in sets:
            genome = random_sequence(rng, n_bp)
            (tmp_path / "genome.fa").write_text(f">g\n{genome}\n")
            assert run("count", "-k", 31, tmp_path / "genome.fa", "-o", path, "-q").returncode == 0
            query.write(f">{path.name}\n{genome[:5000]}\n")
    inputs = ["query", ",".join(map(str, sets)), tmp_path / "query.fa", "-t", 2]
    found = []
    for i, budget in enumerate((f"{BUDGET}M", "4G")):
        code, err, peak = run_measured(*inputs, "-m", budget, "-o", tmp_path / f"{i}.tsv")
        assert code == 0, err
        found.append(((tmp_path / f"{i}.tsv").read_bytes(), peak))
    assert found[0][0] == found[1][0]
    assert found[0][0].count(b"\t4970\t4970\t") == 2
    assert found[0][1] <= BUDGET << 20
