"""Files of one sequence or k-mer per line: every command that takes sequences reads them as FASTA of the same."""

from __future__ import annotations

import random

import pytest

SEQUENCES = ["".join(random.Random(i).choices("ACGT", k=300)) for i in range(5)]
COMMANDS = [
    ["assemble", "-k", 21, "--min-count", 1, "--no-clean"],
    ["unitigs", "-k", 21, "--min-count", 1, "--no-clean"],
    ["count", "-k", 21],
    ["spectrum", "-k", 21],
    ["graph", "-k", 21],
    ["stats"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_lines_are_read_as_fasta(dbg, tmp_path, command):
    results = []
    for directory, header in (("fasta", ">{}\n"), ("lines", "")):
        (tmp_path / directory).mkdir()
        path = tmp_path / directory / "reads"
        path.write_text("".join(header.format(i) + f"{sequence}\n" for i, sequence in enumerate(SEQUENCES)))
        code, out, _err = dbg(*command, path)
        assert code == 0
        results.append(out)
    assert results[0] == results[1] != ""


def test_genome_of_lines(dbg, tmp_path):
    fasta, lines = tmp_path / "genome.fa", tmp_path / "genome.txt"
    fasta.write_text("".join(f">sequence_{i}\n{sequence}\n" for i, sequence in enumerate(SEQUENCES, 1)))
    lines.write_text("\n".join(SEQUENCES))
    options = ["simulate", "--length", 50, "--depth", 2]
    assert dbg(*options, lines)[:2] == dbg(*options, fasta)[:2]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_what_dbg_count_writes_is_named(dbg, tmp_path, command):
    path = tmp_path / "counts.txt"
    path.write_text("ACGTA\t3\nACGTC\t1\n")
    code, out, err = dbg(*command, path)
    assert (code, out) == (64, "")
    assert f"{path}: these are k-mers with their counts, as dbg count writes them, not sequences" in err
    assert "cut -f 1" in err


def test_a_genome_beyond_the_memory_allowed(dbg, tmp_path, monkeypatch):
    path = tmp_path / "genome.fa"
    path.write_text(">a\n" + "ACGT" * 10_000 + "\n")
    monkeypatch.setattr("debruijn_gpu.cli.simulate.memory_left", lambda _: 100_000)
    code, _out, err = dbg("simulate", path, "-m", "500M")
    assert code == 137
    assert "record a: 39.1 KiB of 39.1 KiB so far" in err
