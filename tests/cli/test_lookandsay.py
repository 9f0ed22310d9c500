"""`dbg lookandsay` through its entry point."""

from __future__ import annotations

import subprocess
import sys

import pytest

DBG = [sys.executable, "-m", "debruijn_gpu", "lookandsay"]


def test_terms(dbg):
    terms = [dbg("lookandsay", 1, "-n", n) for n in range(6)]
    assert terms == [(0, f"{term}\n", "") for term in ("1", "11", "21", "1211", "111221", "312211")]


@pytest.mark.parametrize(("n", "length"), [(0, 1), (1, 2), (40, 82350), (50, 1166642)])
def test_lengths(dbg, n, length):
    assert dbg("lookandsay", 1, "-n", n, "--length") == (0, f"{length}\n", "")
    code, out, _ = dbg("lookandsay", 1, "-n", n)
    assert (code, len(out)) == (0, length + 1)


def test_other_seeds(dbg):
    assert dbg("lookandsay", "007", "-n", 1)[1] == "2017\n"
    assert dbg("lookandsay", "9" * 12, "-n", 2)[1] == "111219\n"
    assert dbg("lookandsay", 22, "-n", 10**12)[1] == "22\n"


def test_file_is_standard_output(dbg, tmp_path):
    assert dbg("lookandsay", 3, "-n", 30, "-o", tmp_path / "term") == (0, "", "")
    assert (tmp_path / "term").read_text() == dbg("lookandsay", 3, "-n", 30, "-t", 1)[1]


@pytest.mark.process
def test_standard_input():
    def run(text, *options):
        done = subprocess.run([*DBG, "-", *options], input=text, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr.splitlines()[:1]

    assert run(" 1211\n", "-n", "1") == (0, "111221\n", [])
    assert run("8" * 1000, "-n", "1") == (0, "10008\n", [])
    assert run("", "-n", "1") == (64, "", ["dbg: standard input: the file is empty"])
    assert run("\n", "-n", "1") == (64, "", ["dbg: standard input: there are no digits"])
    assert run("12\n34\n", "-n", "1") == (64, "", [r"dbg: standard input: '\n' at place 3 is not a digit"])


def test_time_of_each_step(dbg):
    code, out, err = dbg("lookandsay", 1, "-n", 4, "-v")
    assert (code, out) == (0, "111221\n")
    assert [line.split(" in ")[0] for line in err.splitlines()][1:] == [
        "[dbg] step 1: 2 digits",
        "[dbg] step 2: 2 digits",
        "[dbg] step 3: 4 digits",
        "[dbg] step 4: 6 digits",
    ]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((1,), 2, "Missing option"),
        ((1, "-n", "many"), 2, "many"),
        ((1, "-n", -1), 2, "-n is -1"),
        (("1x", "-n", 3), 67, "SEED: 'x' at place 2 is not a digit"),
        (("1.5", "-n", 3), 67, "SEED: '.' at place 2 is not a digit"),
        (("", "-n", 3), 67, "SEED: there are no digits"),
        (("१", "-n", 3), 67, "at place 1 is not a digit"),
        ((1, "-n", 5, "-o", "/nowhere/term"), 66, "/nowhere/term"),
        ((1, "-n", 5, "--backend", "tpu"), 2, "--backend tpu"),
        ((1, "-n", 10**9, "-m", "400M"), 137, "Out of memory: "),
    ],
)
def test_errors(dbg, options, code, message):
    found, out, err = dbg("lookandsay", *options)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err
