"""`dbg completion`, and what shells are offered."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from debruijn_gpu.cli import COMMANDS, COMPLETION_VARIABLE, debruijn
from debruijn_gpu.cli.completion import SHELLS
from debruijn_gpu.errors import UsageError
from tests.docs import running
from tests.docs.pages import ROOT, Example


@pytest.fixture
def offered(dbg, monkeypatch):
    """A function that returns the types and values that are offered for the last word of a command line."""

    def complete(line: str, shell: str = "zsh") -> list[tuple[str, str]]:
        words = line.split(" ")
        monkeypatch.setenv(COMPLETION_VARIABLE, f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", words[-1] if shell == "fish" else str(len(words) - 1))
        code, out, err = dbg()
        assert (code, err) == (0, "")
        if shell == "zsh":
            fields = out.split("\n")
            return list(zip(fields[::3], fields[1::3], strict=False))
        return [tuple(item.partition("\t")[0].split(",")) for item in out.splitlines()]

    return complete


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_are_completed_in_each_shell(offered, shell):
    assert [value for kind, value in offered("dbg st", shell) if kind == "plain"] == ["stats"]
    assert [value for _, value in offered("dbg ", shell) if value in COMMANDS] == list(COMMANDS)


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("dbg debruijn v", ["verify"]),
        ("dbg debruijn -n 4 --alphabet 2 l", ["locate"]),
        ("dbg cyclospec s", ["score", "sequence", "spectrum"]),
        ("dbg help debruijn ve", ["verify"]),
        ("dbg help un", ["unitigs"]),
        ("dbg warmup un", ["unitigs"]),
        ("dbg help sort x", []),
        ("dbg help none x", []),
        ("dbg sort --rev", ["--reverse"]),
        ("dbg assemble --preset a", ["amplicon"]),
        ("dbg assemble --preset single-cell --trim p", ["pairs"]),
        ("dbg sort --backend ", ["auto", "cpu", "cuda"]),
        ("dbg sort numbers.txt --backend c", ["cpu", "cuda"]),
        ("dbg generate e", ["eulerian"]),
        ("dbg completion ", list(SHELLS)),
        ("dbg cyclospec sequence --mass m", ["monoisotopic"]),
        ("dbg --he", ["--help"]),
        ("dbg sort -m ", []),
        ("dbg nothing x", []),
        ("dbg debruijn nothing x", []),
        ("dbg assemble --preset nothing --trim p", ["pairs"]),
        ("dbg sort --no-such --rev", ["--reverse"]),
    ],
)
def test_names_and_values_are_completed(offered, line, values):
    assert [value for kind, value in offered(line) if kind == "plain"] == values


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("dbg sort num", "file"),
        ("dbg sort -o ", "file"),
        ("dbg assemble -1 a -2 ", "file"),
        ("dbg assemble reads_", "file"),
        ("dbg assemble -o ", "dir"),
        ("dbg count --tmp-dir /t", "dir"),
        ("dbg count --histogram x", "file"),
        ("dbg cyclospec sequence ", "file"),
        ("dbg cyclospec NQEL pep", "file"),
        ("dbg cyclospec pep", "file"),
        ("dbg debruijn verify ", "file"),
    ],
)
def test_paths_are_left_to_the_shell(offered, line, kind):
    assert offered(line) == [(kind, line.split(" ")[-1])]


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_call_dbg(dbg, shell):
    code, out, err = dbg("completion", shell)
    assert (code, err) == (0, "")
    assert f"{COMPLETION_VARIABLE}={shell}_complete" in out
    assert "_dbg_completion" in out


def test_errors_are_not_printed_into_a_command_line(offered, monkeypatch):
    def fail(*_arguments):
        raise UsageError("no", "")

    monkeypatch.setattr(debruijn.command, "parse_args", fail)
    assert offered("dbg debruijn x ") == []


def test_other_shells_are_refused(dbg):
    code, out, err = dbg("completion", "tcsh")
    assert (code, out) == (2, "")
    assert err == "dbg: SHELL tcsh: no such shell\n     choose one of bash, zsh, fish\n"


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "values"), [("sor", "sort"), ("sort --rev", "--reverse"), ("sort --backend cu", "cuda")]
)
def test_bash_completes(tmp_path, words, values):
    running.prepare(tmp_path, f'"{sys.executable}" -m debruijn_gpu')
    script = (
        'eval "$(dbg completion bash)"; complete -p dbg; '
        f"COMP_WORDS=(dbg {words}); COMP_CWORD={len(words.split())}; _dbg_completion dbg; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = running.run(Example("sh", script, None), tmp_path, sys.executable, os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["complete -o nosort -F _dbg_completion dbg", values]


@pytest.mark.process
@pytest.mark.parametrize("line", ["dbg so", "dbg help so", "dbg assemble --preset "])
def test_completion_imports_neither_numpy_nor_commands(line):
    environment = {COMPLETION_VARIABLE: "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "debruijn_gpu"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {row.split("|")[-1].strip() for row in done.stderr.splitlines()}
    assert done.stdout.startswith("plain,")
    assert not imported & {"numpy", "numba", "rich", "debruijn_gpu.run.log", "debruijn_gpu.cli.sort"}
