"""`dbg simulate` through its entry point."""

from __future__ import annotations

import gzip
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.cli import main
from tests.helpers import first_quick

DATA = Path(__file__).parents[2] / "data"
PHIX = DATA / "phix174_J02482.fa"


def dbg(*args):
    """Run a command, return its exit code."""
    with pytest.raises(SystemExit) as caught:
        main([str(arg) for arg in args])
    return caught.value.code


def test_reads_in_data_are_made_by_the_command_in_its_readme(tmp_path, monkeypatch):
    """The content, not the compressed bytes: those are another's where zlib is another."""
    (line,) = re.findall(r"^dbg (simulate .*)$", (DATA / "README.md").read_text(), re.MULTILINE)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / PHIX.name).write_bytes(PHIX.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert dbg(*shlex.split(line)) == 0
    for name in ("phix174_R1.fastq.gz", "phix174_R2.fastq.gz"):
        made, kept = ((where / name).read_bytes() for where in (tmp_path / "data", DATA))
        assert gzip.decompress(made) == gzip.decompress(kept)


def test_standard_output_is_what_the_file_holds(tmp_path, capsysbinary):
    assert dbg("simulate", PHIX, "-q", "--depth", 2) == 0
    out, err = capsysbinary.readouterr()
    assert dbg("simulate", PHIX, "-q", "--depth", 2, "-o", tmp_path / "reads") == 0
    assert gzip.decompress((tmp_path / "reads.fastq.gz").read_bytes()) == out
    assert err == b""
    assert out.count(b"\n") == 4 * 72


def test_pairs_on_standard_output_are_interleaved(capsysbinary):
    assert dbg("simulate", PHIX, "-q", "--depth", 2, "--paired") == 0
    names = capsysbinary.readouterr().out.splitlines()[::4]
    assert names[:4] == [b"@J02482.1_1/1", b"@J02482.1_1/2", b"@J02482.1_2/1", b"@J02482.1_2/2"]


def test_nothing_is_left_where_a_parameter_cannot_work(tmp_path, capsys):
    assert dbg("simulate", PHIX, "--length", 6000, "-o", tmp_path / "reads") == 67
    assert list(tmp_path.iterdir()) == []
    err = capsys.readouterr().err
    assert err.startswith("dbg: record J02482.1: its 5386 bases are fewer than the 6000 of a read\n")


def test_faults_have_their_exit_codes(tmp_path):
    assert dbg("simulate", tmp_path / "none") == 65
    assert dbg("simulate", PHIX, "-o", tmp_path / "no" / "reads") == 66
    assert dbg("simulate", PHIX, "--paired", "--insert", 100) == 2
    assert dbg("simulate", PHIX, "--depth", "many") == 2


def shell(command):
    """Run a command line in which ``dbg`` is the command, with standard output buffered as it usually is."""
    line = command.replace("dbg", f"{shlex.quote(sys.executable)} -E -m debruijn_gpu")
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=DATA.parent, check=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("command", first_quick(["simulate --depth 1 -q", "simulate --depth 100 -q", "stats"]))
def test_full_disk_is_said_once(command):
    done = shell(f"dbg {command} data/{PHIX.name} > /dev/full")
    assert done.returncode == 66
    assert done.stderr == ("dbg: standard output: No space left on device\n     free some space, or write elsewhere\n")


def test_reader_that_has_seen_enough_is_no_fault():
    done = shell(f"{{ dbg simulate -q --depth 500 data/{PHIX.name}; echo $? >&2; }} | head -n 1")
    assert (done.stdout, done.stderr) == ("@J02482.1_1\n", "0\n")


@pytest.mark.parametrize(("reads", "n"), [("100", 100), ("1k", 1000)])
def test_number_of_reads(reads, n, capsysbinary):
    assert dbg("simulate", PHIX, "-q", "--reads", reads) == 0
    assert capsysbinary.readouterr().out.count(b"\n") == 4 * n
    assert dbg("simulate", PHIX, "-q", "--reads", reads, "--paired") == 0
    assert capsysbinary.readouterr().out.count(b"\n") == 8 * n


def test_inserts_beyond_records_are_refused_or_warned_of(tmp_path, capsys):
    assert dbg("simulate", PHIX, "--paired", "--insert", 6000, "-o", tmp_path / "reads") == 67
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().err.startswith("dbg: --insert is 6000, and the only record has 5386 bases\n")
    assert dbg("simulate", PHIX, "--insert", 6000) == 2
    assert dbg("simulate", PHIX, "--paired", "--insert", 200, "--reads", 10, "-q") == 0
    assert "their mean is about 208 instead of 200" in capsys.readouterr().err


def test_faulty_numbers_of_reads(tmp_path):
    assert dbg("simulate", PHIX, "--reads", 0) == 2
    assert dbg("simulate", PHIX, "--reads", "many") == 2
    assert dbg("simulate", PHIX, "--reads", 5, "--depth", 5) == 2


def test_truth_is_in_the_names_of_both_mates(capsysbinary):
    assert dbg("simulate", PHIX, "-q", "--reads", 3, "--paired", "--truth", "--circular") == 0
    first, second, *_ = capsysbinary.readouterr().out.decode().splitlines()[::4]
    assert re.fullmatch(r"@J02482\.1_\d+_\d+_[01]_[01]_0_0_\d+:0:\d+_\d+:0:\d+_1/1", first)
    assert second == first[:-1] + "2"


def test_lower_case_is_upper_case_and_reads_cover_no_n(tmp_path, capsysbinary):
    sequence = "".join(PHIX.read_text().splitlines()[1:])
    (tmp_path / "upper.fa").write_text(f">a\n{sequence}\n")
    (tmp_path / "lower.fa").write_text(f">a\n{sequence.lower()}\n")
    assert dbg("simulate", tmp_path / "upper.fa", "-q", "--reads", 50) == 0
    upper = capsysbinary.readouterr().out
    assert dbg("simulate", tmp_path / "lower.fa", "-q", "--reads", 50) == 0
    assert capsysbinary.readouterr().out == upper
    (tmp_path / "gaps.fa").write_text(f">a\n{sequence[:2000]}{'n' * 1000}{sequence[2000:]}\n")
    assert dbg("simulate", tmp_path / "gaps.fa", "-q", "--reads", 500) == 0
    assert not any(b"N" in line for line in capsysbinary.readouterr().out.splitlines()[1::4])
