"""Samples are counted and joined on workers, with the bytes of one process."""

from __future__ import annotations

import gzip
import random
import signal
from pathlib import Path

import pytest

from debruijn_gpu.distributed.samples import _groups
from debruijn_gpu.samples.sheet import Sample
from tests.distributed.clusters import PATIENCE_S, digests, matches, run, run_all, started, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """A sheet of strains: reads, genomes, and sets of k-mers, one of them without any k-mer."""
    rng, place = random.Random(7), tmp_path_factory.mktemp("samples")
    base = rng.choices("ACGT", k=20_000)
    lines = []
    for i in range(8):
        strain = list(base)
        for _ in range(200):
            strain[rng.randrange(len(strain))] = rng.choice("ACGT")
        lines.append(one_sample(place, i, "".join(strain), rng))
    (place / "short.fa").write_text(">short\nACGT\n")
    sheet = place / "samples.tsv"
    sheet.write_text("".join(lines[:5]) + "short\tshort.fa\n" + "".join(lines[5:]))
    return sheet


def one_sample(place: Path, i: int, genome: str, rng: random.Random) -> str:
    """Write the files of a sample; returns its line of the sheet."""
    name = f"s{i}"
    if i % 4 == 1:
        starts = [rng.randrange(len(genome) - 100) for _ in range(2000)]
        text = "".join(f"@{at}\n{genome[at : at + 100]}\n+\n{'I' * 100}\n" for at in starts)
        (place / f"{name}.fq").write_text(text)
        return f"{name}\t{name}.fq\t{3 if i == 5 else 2}\n"
    with gzip.open(place / f"{name}.fa.gz", "wt") as stream:
        stream.write(f">{name}\n{genome}\n")
    if i % 4 != 2:
        return f"{name}\t{name}.fa.gz\n"
    ending = "dbgk" if i == 2 else "tsv"
    assert run(["count", "-k", "31", f"{name}.fa.gz", "-o", f"{name}.{ending}", "-q"], place) == (0, "")
    return f"{name}\t{name}.{ending},s2.dbgk\n" if i == 6 else f"{name}\t{name}.{ending}\n"


def commands(sheet: Path) -> dict[str, list[str]]:
    filters = ["--soft-min", "2", "--recurrence-min", "2", "--share-min", "1"]
    return {
        "matrix": ["matrix", str(sheet), "-o", "matrix.tsv", "--prevalence", "prevalence.tsv"],
        "filtered": ["matrix", str(sheet), "-o", "filtered.npz", *filters],
        "prevalence": ["matrix", str(sheet), "--prevalence", "alone.tsv"],
        "graph": ["color", str(sheet), "-o", "graph.gfa"],
        "index": ["color", str(sheet), "-o", "index.dbgc", "--min-count", "2"],
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory, samples):
    """Digests of what one process writes."""
    place = tmp_path_factory.mktemp("expected")
    lines = [[*line, "-q"] for line in commands(samples).values()]
    assert run_all(lines, place) == (0, WARNING * len(lines))
    return digests(place)


WARNING = "[dbg] warning: sample short has no 31-mer\n"


@pytest.mark.parametrize(
    ("preload", "names"),
    [("", ("matrix", "filtered", "prevalence", "graph", "index")), ("scratch", ("matrix", "index"))],
)
def test_samples_on_workers_give_the_bytes_of_one_process(tmp_path, cluster, samples, expected, preload, names):
    for name in ("one", "two", "three"):
        cluster.add(name, preload)
    place = tmp_path / "results"
    place.mkdir()
    address = cluster.ready()
    lines = [[*commands(samples)[name], "-q", "--dask", address] for name in names]
    assert run_all(lines, place) == (0, WARNING * len(lines))
    assert matches(place, expected)


@pytest.mark.parametrize("step", ["dashboard", "count samples"])
def test_a_killed_worker_changes_nothing(tmp_path, cluster, samples, expected, step):
    for name in ("one", "two", "three"):
        cluster.add(name)
    place = tmp_path / "results"
    place.mkdir()
    process = started([*commands(samples)["matrix"], "-v", "--dask", cluster.ready()], place)
    wait_for(process, step)
    cluster.workers["two"].send_signal(signal.SIGKILL)
    _out, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert matches(place, expected)


def test_a_full_disk_is_reported_with_the_worker(tmp_path, cluster, samples):
    cluster.add("crowded", "full disk")
    code, errors = run([*commands(samples)["matrix"], "-q", "--dask", cluster.ready()], tmp_path)
    assert code == 66
    assert "dbg: worker crowded (" in errors
    assert "temporary file" in errors
    assert not (tmp_path / "matrix.tsv").exists()


def test_errors_of_samples_are_those_of_one_process(tmp_path, cluster, samples):
    cluster.add("one")
    place = samples.parent
    assert run(["count", "-k", "21", str(place / "s0.fa.gz"), "-o", "other.dbgk", "-q"], tmp_path) == (0, "")
    (tmp_path / "faulty.fq").write_text("@a\nACGT\n+\nIII\n")
    for line in (
        ["matrix", str(place / "s2.dbgk"), "other.dbgk"],
        ["matrix", str(place / "s2.dbgk"), "-k", "21"],
        ["color", "faulty.fq"],
        ["color", str(place / "s2.dbgk"), str(place / "s0.fa.gz"), "-k", "25"],
    ):
        alone = run([*line, "-q", "-o", "out.tsv"], tmp_path)
        assert alone[0] in (64, 67)
        assert run([*line, "-q", "-o", "out.tsv", "--dask", cluster.ready()], tmp_path) == alone


def test_an_index_that_is_read_needs_no_cluster(tmp_path, samples):
    assert run([*commands(samples)["index"], "-q"], tmp_path) == (0, WARNING)
    code, errors = run(["color", "index.dbgc", "-o", "again.gfa", "--dask", "local:1"], tmp_path)
    assert code == 2
    assert "a saved index is read alone" in errors


def test_groups_keep_the_order_and_the_kind_of_samples(samples):
    place = samples.parent
    names = [*(f"s{i}.fa.gz" for i in (0, 3, 4)), "s2.dbgk", "s6.tsv", "s1.fq", "s5.fq"]
    given = [Sample(name, (str(place / name),)) for name in names]
    for n_wanted in (1, 2, 10_000):
        groups = _groups(given, n_wanted)
        assert [one for some, _are_sets in groups for one in some] == given
        assert all(are_sets == one.name.endswith(("k", "v")) for some, are_sets in groups for one in some)
    assert len(_groups(given, 1)) == 3
    assert len(_groups(given, 10_000)) == 7
