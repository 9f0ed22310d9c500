"""Standard input and output as the defaults of commands that read or write one stream."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import pytest

from debruijn_gpu.cli import COMMANDS, group
from tests.cli.small_inputs import write_small_inputs

#: Command without its input: that input
READING = {
    "assemble -k 21 --min-contig 0": "reads.fa",
    "unitigs -k 21": "reads.fa",
    "count -k 5": "reads.fa",
    "spectrum -k 5": "reads.fa",
    "map genome.fa": "reads.fa",
    "matrix -k 5": "reads.fa",
    "query counted.tsv": "reads.fa",
    "screen --against genome.fa -k 5 --keep all": "reads.fa",
    "stats": "reads.fa",
    "simulate --depth 1 --length 20": "genome.fa",
    "sort": "numbers.txt",
    "distinct": "numbers.txt",
    "compact --where nonzero": "numbers.txt",
    "histogram": "numbers.txt",
    "join numbers.txt": "numbers.txt",
    "som --map 2x2": "numbers.txt",
    "graph": "edges.txt",
    "graph --paths": "edges.txt",
    "graph --overlap 2": "reads.fa",
    "graph --check": "edges.gfa",
    "graph --spell-paths": "edges.gfa",
    "euler": "edges.txt",
    "draw --format dot": "edges.txt",
    "debruijn verify": "ring.txt",
    "debruijn locate": "windows.txt",
    "debruijn at -n 4": "numbers.txt",
    "lookandsay -n 3": "seed.txt",
    "cyclospec": "peptides.txt",
    "cyclospec spectrum": "peptides.txt",
    "cyclospec sequence": "masses.txt",
    "cyclospec score NQ": "masses.txt",
    "cyclospec trim NQ --top 1": "masses.txt",
    "cyclospec convolve": "masses.txt",
    **{
        f"kmers {name}": "counted.tsv"
        for name in (
            *("union", "intersect", "subtract", "difference", "symmetric"),
            *("info", "dump", "histogram", "compare"),
        )
    },
}
#: These read no stream by default, but named files, directories or nothing
OTHERS = {
    "bin",
    "color",
    "color build",
    "color grep",
    "color sets",
    "color samples",
    "kmers",
    "kmers expr",
    "report",
    "generate",
    "debruijn",
    "debruijn count",
    "cyclospec count",
    "bench",
    "warmup",
    "doctor",
    "help",
    "completion",
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_small_inputs()


def test_every_command_is_tried():
    every = set(COMMANDS)
    for name in COMMANDS:
        every |= {f"{name} {sub}" for sub in getattr(group.get_command(None, name), "commands", {})}
    tried = {
        " ".join(line.split()[: 1 + (line.split()[0] in ("debruijn", "cyclospec", "kmers", "color"))])
        for line in READING
    }
    assert tried | OTHERS == every


@pytest.mark.parametrize(("line", "source"), READING.items())
def test_standard_input_is_read_by_default(dbg, line, source):
    def ran(*more: str) -> tuple[int, str, str]:
        before = os.dup(0)
        try:
            with open(source) as stream:
                os.dup2(stream.fileno(), 0)
            return dbg(*line.split(), "-q", *more)
        finally:
            os.dup2(before, 0)
            os.close(before)

    code, out, err = ran()
    assert (code, err) == (0, "")
    assert out
    assert ran(*(["-s"] if line.startswith("map") else []), "-") == (0, out, "")


@pytest.mark.parametrize("line", READING)
def test_a_terminal_is_not_waited_for(dbg, monkeypatch, line):
    class Terminal:
        def isatty(self) -> bool:
            return True

        def fileno(self) -> int:
            return 0

    monkeypatch.setattr(sys, "stdin", Terminal())
    code, out, err = dbg(*line.split())
    assert (code, out) == (2, "")
    said, remedy = err.splitlines()
    assert said == "dbg: no input: standard input is a terminal"
    assert f"... | dbg {line.split()[0]}" in remedy


def test_what_reads_no_input_runs_at_a_terminal(dbg, monkeypatch):
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert dbg("draw", "--debruijn", "2,2", "--format", "dot")[0] == 0
    assert dbg("debruijn", "-n", 3)[0] == 0


#: Lines with an input, and with a result
WRITING = [
    *(f"{line} {file}" for line, file in READING.items() if not line.startswith(("map", "lookandsay", "debruijn"))),
    *("map reads.fa genome.fa", "generate random -n 9", "report reads.fa", "lookandsay 1 -n 3", "cyclospec count 200"),
    *("debruijn verify ring.txt", "debruijn locate 01", "debruijn at 1 -n 3", "debruijn -n 3", "debruijn count -n 3"),
]


@pytest.mark.parametrize("line", WRITING)
def test_output_goes_to_a_file_or_to_standard_output(dbg, line):
    """``-o FILE`` and ``-o -`` have the same bytes."""
    code, out, err = dbg(*line.split(), "-q")
    assert (code, err) == (0, "")
    assert dbg(*line.split(), "-q", "-o", "-") == (0, out, "")
    if line.startswith("assemble"):
        return  # to a directory
    assert dbg(*line.split(), "-q", "-o", "result") == (0, "", "")
    (written,) = Path().glob("result*")
    if not line.startswith("simulate"):
        assert written.read_text() == out


def test_every_command_with_a_result_has_an_output_option():
    for name in set(COMMANDS) - {"warmup", "help", "completion"}:
        command = group.get_command(None, name)
        for one in getattr(command, "commands", {"": command}).values():
            assert any("-o" in parameter.opts for parameter in one.params if isinstance(parameter, click.Option)), one
