"""Runs that continue leave whole results of their identity, make missing ones again, and name differences."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from debruijn_gpu.cli import main
from tests.cli.killed_runs import digests

MATES = [Path(__file__).parents[2] / "data" / f"phix174_R{mate}.fastq.gz" for mate in (1, 2)]


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """Reads, and the results of their assembly in ``out``."""
    place = tmp_path_factory.mktemp("finished")
    for mate in MATES:
        shutil.copy2(mate, place)
    with pytest.raises(SystemExit) as caught:
        main(arguments(place, "-qq"))
    assert caught.value.code == 0
    return place


def arguments(place: Path, *options: str) -> list[str]:
    reads = [str(place / mate.name) for mate in MATES]
    return ["assemble", "-1", reads[0], "-2", reads[1], "-k", "31", "--backend", "cpu", "-o", f"{place}/out", *options]


@pytest.fixture
def place(finished, tmp_path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "place"))


@pytest.fixture
def run(dbg, place):
    """A function that continues the run: exit code and standard error."""

    def again(*options):
        code, _out, err = dbg(*arguments(place, "--continue", *options))
        return code, err

    return again


def test_whole_results_are_left_as_they_are(run, place):
    before = (place / "out" / "run.json").read_bytes()
    (place / "out" / "dbg.log").unlink()  # no result
    code, err = run()
    assert (code, f"{place}/out holds the results of this run already: nothing to continue" in err) == (0, True)
    assert (place / "out" / "run.json").read_bytes() == before


def test_record_has_the_sizes_of_all_other_results(place):
    sizes = json.loads((place / "out" / "run.json").read_text())["results"]
    found = {path.name: path.stat().st_size for path in (place / "out").iterdir()}
    assert sizes == {name: size for name, size in found.items() if name not in ("dbg.log", "run.json")}


@pytest.mark.parametrize("name", ["contigs.fasta", "report.html", "params.json"])
@pytest.mark.parametrize("is_missing", [False, True])
def test_missing_and_empty_results_are_made_again(run, place, finished, name, is_missing):
    if is_missing:
        (place / "out" / name).unlink()
    else:
        (place / "out" / name).write_bytes(b"")
    code, err = run()
    assert (code, f"warning: {place}/out: {name} missing or empty: the run is made again" in err) == (0, True)
    assert digests(place / "out") == digests(finished / "out")
    assert "nothing to continue" in run()[1]


def test_page_may_be_written_again(run, place, dbg):
    """`dbg report` does, by default."""
    assert dbg("report", place / "out")[0] == 0
    with (place / "out" / "report.html").open("a") as page:
        page.write(" ")
    code, err = run()
    assert (code, "nothing to continue" in err) == (0, True), err
    (place / "out" / "report.html").write_text("")
    code, err = run()
    assert (code, "report.html missing or empty" in err) == (0, True), err


def test_changed_result_is_not_replaced_without_force(run, place, finished):
    path = place / "out" / "contigs.fasta"
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-1])
    (place / "out" / "contigs.tsv").unlink()
    code, err = run()
    assert code == 66
    assert f"{path}: changed since the run wrote it: expected {size:,} bytes, got {size - 1:,}\n" in err
    assert path.stat().st_size == size - 1
    assert run("--force")[0] == 0
    assert digests(place / "out") == digests(finished / "out")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--name", "x"), "--name contigs there, x here"),
        (("--pair-slack", "30"), "--pair-slack 20 there, 30 here"),
        (("--min-contig", "300"), "--min-contig 200 there, 300 here"),
    ],
)
def test_other_options_are_named(run, place, options, words):
    code, err = run(*options)
    assert code == 67
    assert f"dbg: {place}/out: its results are of other options: {words}\n" in err
    assert err.splitlines()[-1].strip() == "give the same options, or add --force to replace them"


def test_other_input_is_named(run, place):
    os.utime(place / MATES[1].name, ns=(1, 1))
    code, err = run()
    assert code == 67
    assert f"not the file that the results in {place}/out are of: it was modified or copied since\n" in err


@pytest.mark.parametrize("change", [{"identity_of": {}}, {"results": {"contigs.fasta": "x"}}, {"identity": "0"}])
def test_results_without_a_sound_record_are_not_replaced(run, place, change):
    path = place / "out" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    code, err = run()
    assert (code, "holds results already" in err, "--force" in err) == (66, True, True)
    path.write_text("[")
    assert run()[0] == 66
