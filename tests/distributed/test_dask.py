"""Commands on the workers of a Dask cluster, whose scheduler and workers are processes of this machine."""

from __future__ import annotations

import gzip
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.distributed.clusters import (
    DATA,
    ENVIRONMENT,
    PATIENCE_S,
    RANGE_BYTES,
    digests,
    matches,
    run,
    run_all,
    started,
    wait_for,
)

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    """Pairs of a random genome with a repeat, in two files of several ranges."""
    rng, place = random.Random(3), tmp_path_factory.mktemp("reads")
    genome = "".join(rng.choices("ACGT", k=20_000))
    genome = genome + genome[5000:5600] + "".join(rng.choices("ACGT", k=9_000))
    files = [place / "r_1.fq", place / "r_2.fq"]
    with open(files[0], "w") as one, open(files[1], "w") as other:
        for i in range(6000):
            start = rng.randrange(len(genome) - 300)
            fragment = genome[start : start + 300]
            mates = fragment[:100], fragment[:-101:-1].translate(str.maketrans("ACGT", "TGCA"))
            for stream, mate in zip((one, other), mates, strict=True):
                read = "".join(rng.choice("ACGT") if rng.random() < 0.004 else base for base in mate)
                stream.write(f"@p{i}\n{read}\n+\n{'I' * 100}\n")
    both = zip(*(path.read_text().split("@p")[1:] for path in files), strict=True)
    (place / "r.fq").write_text("".join(f"@p{one}@p{other}" for one, other in both))
    (place / "r_1.fq.gz").write_bytes(gzip.compress(files[0].read_bytes()))
    return files


def commands(reads: list[Path]) -> dict[str, list[str]]:
    one, other = map(str, reads)
    return {
        "count": ["count", one, other, "-k", "31", "-o", "counts.tsv", "--histogram", "counts.hist"],
        "forward": ["count", one, other, "-k", "77", "--forward", "--min-count", "3", "-o", "forward.dbgk"],
        "member": ["count", f"{one}.gz", "-k", "25", "-o", "member.tsv"],
        "mates": ["count", "--12", str(reads[0].with_name("r.fq")), "-k", "21", "-o", "mates.tsv"],
        "sampled": [
            "assemble",
            "-1",
            one,
            "-2",
            other,
            "-k",
            "31",
            "--max-depth",
            "9",
            "--trim",
            "pairs",
            "-o",
            "sampled",
        ],
        "spectrum": ["spectrum", "-1", one, "-2", other, "-o", "spectrum.json"],
        "unitigs": ["unitigs", one, other, "-k", "31", "-o", "unitigs.gfa"],
        "edges": ["unitigs", one, other, "-k", "25", "--edge-centric", "--no-clean", "-o", "edges.fa"],
        "assemble": ["assemble", "-1", one, "-2", other, "-k", "31", "--trim", "off", "--no-pairs", "-o", "one"],
        "rounds": ["assemble", "-1", one, "-2", other, "-k", "25,51", "-o", "rounds"],
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory, reads):
    """Digests of what one process writes."""
    place = tmp_path_factory.mktemp("expected")
    assert run_all([[*line, "-q"] for line in commands(reads).values()], place) == (0, "")
    return digests(place)


@pytest.mark.parametrize(
    ("preload", "names"),
    [
        ("", ("count", "forward", "member", "mates", "sampled", "spectrum", "unitigs", "edges", "assemble", "rounds")),
        ("scratch", ("count", "edges")),
    ],
)
def test_commands_write_what_one_process_writes(tmp_path, cluster, reads, expected, preload, names):
    for name in ("one", "two", "three"):
        cluster.add(name, preload)
    place = tmp_path / "results"
    place.mkdir()
    address = cluster.ready()
    assert run_all([[*commands(reads)[name], "-q", "--dask", address] for name in names], place) == (0, "")
    assert matches(place, expected)


@pytest.mark.parametrize("step", ["dashboard", "shuffle", "count:", "partitions:"])
def test_a_killed_worker_changes_nothing(tmp_path, cluster, reads, expected, step):
    for name in ("one", "two", "three"):
        cluster.add(name)
    place = tmp_path / "results"
    place.mkdir()
    process = started([*commands(reads)["unitigs"], "-v", "--dask", cluster.ready()], place)
    wait_for(process, step)
    cluster.workers["two"].send_signal(signal.SIGKILL)
    _out, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert matches(place, expected)


@pytest.mark.parametrize("step", ["shuffle", "partitions:"])
def test_a_paused_worker_changes_nothing(tmp_path, cluster, reads, expected, step):
    process, place = with_a_paused_worker(tmp_path, cluster, reads, step)
    cluster.wait_for_tasks("two")  # which it does not do
    assert process.poll() is None
    cluster.workers["two"].send_signal(signal.SIGCONT)
    _out, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert matches(place, expected)


@pytest.mark.parametrize("step", ["shuffle", "partitions:"])
def test_a_worker_that_is_paused_forever_changes_nothing(tmp_path, impatient_cluster, reads, expected, step):
    process, place = with_a_paused_worker(tmp_path, impatient_cluster, reads, step)
    _out, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert "two (tcp://" in errors
    assert matches(place, expected)


def with_a_paused_worker(tmp_path, cluster, reads, step):
    """Begin a command, and pause one of its two workers at a step."""
    for name in ("one", "two"):
        cluster.add(name)
    place = tmp_path / "results"
    place.mkdir()
    process = started([*commands(reads)["unitigs"], "-v", "--dask", cluster.ready()], place)
    wait_for(process, step)
    cluster.workers["two"].send_signal(signal.SIGSTOP)
    return process, place


def test_a_slow_worker_gets_less_and_changes_nothing(tmp_path, cluster, reads, expected):
    cluster.add("one")
    cluster.add("two", "slow")
    place = tmp_path / "results"
    place.mkdir()
    assert run([*commands(reads)["unitigs"], "-q", "--dask", cluster.ready()], place) == (0, "")
    assert matches(place, expected)
    n_slow = (cluster.place / "dask_worker.log").read_text().count("slow split")
    n_ranges = sum(-(-path.stat().st_size // RANGE_BYTES) for path in reads)
    assert 0 < n_slow < n_ranges / 3


def test_a_full_disk_is_reported_with_the_worker(tmp_path, cluster, reads):
    cluster.add("one")
    cluster.add("crowded", "full disk")
    code, errors = run([*commands(reads)["count"], "-q", "--dask", cluster.ready()], tmp_path)
    assert code == 66
    assert "dbg: worker crowded (" in errors
    assert "temporary file" in errors
    assert not (tmp_path / "counts.tsv").exists()


def test_no_scheduler_is_one_line(tmp_path, reads):
    code, errors = run([*commands(reads)["count"], "--dask", "127.0.0.1:1"], tmp_path)
    assert code == 66
    assert errors.splitlines()[0] == "dbg: --dask tcp://127.0.0.1:1: no scheduler answers there"
    assert len(errors.splitlines()) == 2


def test_another_version_is_one_line(tmp_path, cluster, reads):
    cluster.add("old", "old")
    code, errors = run([*commands(reads)["count"], "-q", "--dask", cluster.ready()], tmp_path)
    assert code == 66
    assert "has debruijn_gpu 0.0.1, and this command is debruijn_gpu" in errors
    assert len(errors.splitlines()) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_workers(tmp_path, reads, number):
    line = [*commands(reads)["unitigs"], "-v", "--dask", "local:2", "--tmp-dir", "."]
    program = [sys.executable, "-m", "debruijn_gpu", *line]
    process = subprocess.Popen(program, env=ENVIRONMENT, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_for(process, "dashboard")
    workers = descendants(process.pid)
    assert len(workers) >= 2
    begun = time.monotonic()
    process.send_signal(number)
    _out, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + number
    assert errors.splitlines()[-1].startswith("dbg: interrupted")
    while [worker for worker in workers if is_running(worker)] or list(tmp_path.iterdir()):
        assert time.monotonic() - begun < PATIENCE_S
        time.sleep(0.1)


def descendants(pid: int) -> list[int]:
    """Processes that one started, and those started them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        if parent == pid:
            child = int(path.parent.name)
            found += [child, *descendants(child)]
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_faulty_reads_are_named_by_record_and_line(tmp_path, cluster, reads):
    cluster.add("one")
    text = reads[0].read_text()
    faulty = tmp_path / "faulty.fq"
    faulty.write_text(text[: len(text) // 2] + text[len(text) // 2 :].replace("+\nI", "+\nII", 1))
    lines = ["count", "faulty.fq", "-o", "counts.tsv", "-q"]
    alone = run(lines, tmp_path)
    assert alone[0] == 64
    assert run([*lines, "--dask", cluster.ready()], tmp_path) == alone


def test_mates_that_differ_are_named(tmp_path, cluster, reads):
    cluster.add("one")
    other = tmp_path / "other.fq"
    other.write_text(reads[1].read_text().replace("@p5000\n", "@p5001x\n"))
    lines = ["spectrum", "-1", str(reads[0]), "-2", str(other), "-q"]
    alone = run(lines, tmp_path)
    assert alone[0] == 64
    assert run([*lines, "--dask", cluster.ready()], tmp_path) == alone


def test_standard_input_is_read_by_the_command(tmp_path, cluster):
    cluster.add("one")
    text = gzip.decompress((DATA / "phix174_R1.fastq.gz").read_bytes())
    lines = [sys.executable, "-m", "debruijn_gpu", "count", "-k", "21", "-q"]
    found = [
        subprocess.run([*lines, *more], input=text, env=ENVIRONMENT, cwd=tmp_path, capture_output=True, check=True)
        for more in ([], ["--dask", cluster.ready(), "--tmp-dir", str(tmp_path)])
    ]
    assert found[0].stdout == found[1].stdout != b""
    assert not [path for path in tmp_path.iterdir() if path.is_file()]


def test_dask_is_imported_only_for_its_option(tmp_path, reads):
    program = (
        "import sys\nfrom debruijn_gpu.cli import main\n"
        f"try:\n    main(['count', {str(reads[0])!r}, '-o', 'counts.tsv', '-q'])\n"
        "except SystemExit as end:\n    assert end.code == 0\n"
        "found = [name for name in sys.modules if name.split('.')[0] in ('dask', 'distributed', 'tornado')]\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, cwd=tmp_path, check=True)
