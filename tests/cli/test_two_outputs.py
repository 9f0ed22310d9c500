"""Commands with several outputs: all of them are replaced, or none."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from debruijn_gpu.run.signals import Interrupted

ROOT = Path(__file__).parents[2]
GENOME = ROOT / "data" / "phix174_J02482.fa"

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@needs_full
@pytest.mark.parametrize(
    "line",
    [
        "spectrum reads.fa -k 5 -o result.hist --plot /dev/full",
        "stats reads.fa -o result.tsv --plot /dev/full",
        "matrix reads.fa -k 5 -o result.tsv --prevalence /dev/full",
        "matrix reads.fa -k 5 -o result.zarr --prevalence /dev/full",
        "count reads.fa -k 5 -o result.tsv --histogram /dev/full",
        "screen reads.fa --against reads.fa -k 5 -o result.fa --report /dev/full",
        "screen reads.fa --against reads.fa -k 5 --keep matched -o /dev/full --save-index result.npz",
        "som table.txt --map 2x2 -o result.tsv --weights /dev/full",
    ],
)
def test_failure_of_the_second_output_leaves_the_first_as_it_was(dbg, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    Path("reads.fa").write_text(">a\nACGTTGCATGCC\n")
    Path("table.txt").write_text("1 2\n3 4\n5 7\n")
    (result,) = (word for word in line.split() if word.startswith("result"))
    if result.endswith(".zarr"):
        Path(result).mkdir()
    else:
        Path(result).write_text("before\n")
    before = sorted(os.listdir())
    code, out, err = dbg(*line.split(), "-q")
    assert (code, out) == (66, "")
    assert "/dev/full: No space left" in err
    assert sorted(os.listdir()) == before
    assert os.listdir(result) == [] if Path(result).is_dir() else Path(result).read_text() == "before\n"


def test_directory_that_cannot_be_replaced_leaves_the_other_output_as_it_was(dbg, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("reads.fa").write_text(">a\nACGTTGCATGCC\n")
    Path("result.tsv").write_text("before\n")
    Path("own.zarr").mkdir()
    Path("own.zarr", "notes").write_text("mine")
    code, _out, _err = dbg("matrix", "reads.fa", "-k", "5", "-o", "own.zarr", "--prevalence", "result.tsv", "-q")
    assert code == 66
    assert Path("result.tsv").read_text() == "before\n"
    assert os.listdir("own.zarr") == ["notes"]


def contents(directory):
    return {path.name: path.read_bytes() for path in Path(directory).iterdir()}


@pytest.mark.parametrize("is_new", [False, True])
def test_interrupt_leaves_a_directory_of_a_colour_index_as_it_was(dbg, tmp_path, monkeypatch, is_new):
    monkeypatch.chdir(tmp_path)
    Path("one.fa").write_text(">a\nACGTTGCATGCC\n")
    if not is_new:
        assert dbg("color", "one.fa", "-k", "5", "-o", "out/")[0] == 0
        assert len(contents("out")) == 6
    before = {} if is_new else contents("out")

    def interrupt(*args):
        raise Interrupted(signal.SIGTERM)

    with monkeypatch.context() as patched:
        patched.setattr("debruijn_gpu.cli.color.outputs.write_samples", interrupt)  # the last one
        assert dbg("color", GENOME, "-k", "5", "-o", "out/")[0] == 143
    if is_new:
        assert os.listdir() == ["one.fa"]
        return
    assert contents("out") == before
    assert dbg("color", GENOME, "-k", "5", "-o", "out/")[0] == 0
    after = contents("out")
    assert after.keys() == before.keys()
    assert all(after[name] != before[name] for name in before)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("graph bad.gfa --check -o answer", "bad.gfa: "),
        ("debruijn verify symbols.txt -n 2 -o answer", "repeated\t00\t2\t"),
    ],
)
def test_list_of_defects_is_written_although_the_command_fails(dbg, tmp_path, monkeypatch, line, answer):
    monkeypatch.chdir(tmp_path)
    Path("bad.gfa").write_text("S\ta\tACGT\nL\ta\t+\tb\t+\t0M\n")
    Path("symbols.txt").write_text("00110\n")
    assert dbg(*line.split())[0] == 64
    assert Path("answer").read_text().startswith(answer)


def test_results_that_are_complete_stay_if_the_reader_leaves(dbg, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("reads.fa").write_text(">a\nACGTTGCATGCC\n")

    def closed(*args):
        raise BrokenPipeError

    monkeypatch.setattr("debruijn_gpu.cli.screen.screen_reads", closed)
    assert dbg("screen", "reads.fa", "--against", "reads.fa", "-k", "5", "--save-index", "x.npz")[0] == 0
    assert Path("x.npz").stat().st_size
