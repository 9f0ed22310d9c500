"""Run commands in this process, and check what they print."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from debruijn_gpu.cli import main
from debruijn_gpu.run import signals
from tests.fuzz import seeds
from tests.fuzz.outcomes import EXIT_CODES, MOST_MESSAGE

#: Commands that read one file, with a format that they read
COMMANDS = {
    "count": ("count -k 21 {}", seeds.fastq),
    "spectrum": ("spectrum -k 21 {}", seeds.fasta),
    "kmers": ("kmers union {0} {0}", lambda: seeds.kmer_text() + seeds.dbgk() + seeds.kff()),
    "matrix": ("matrix {} -k 21", lambda: seeds.fasta() + seeds.fastq() + seeds.dbgk() + seeds.kmer_text()),
    "color": ("color grep {} --min-samples 1", seeds.dbgc),
    "query": (
        f"query {{}} {seeds.DATA / 'phix174_J02482.fa'} --min-ratio 0",
        lambda: seeds.kmer_text() + seeds.dbgk() + seeds.dbgc(),
    ),
    "unitigs": ("unitigs -k 21 {}", seeds.lines),
    "assemble": ("assemble -k 21 {}", seeds.fasta),
    "stats": ("stats {}", seeds.fasta),
    "report": ("report {}", seeds.gfa),
    "screen": ("screen {0} --against {0} -k 21 --trim", seeds.fastq),
    "simulate": ("simulate {} --depth 1", seeds.fasta),
    "graph": ("graph {}", seeds.adjacency),
    "euler": ("euler {}", seeds.adjacency),
    "draw": ("draw {} --format dot", seeds.edges),
    "sort": ("sort {}", seeds.numbers),
    "distinct": ("distinct {}", seeds.numbers),
    "histogram": ("histogram {} --bins 3", seeds.numbers),
    "score": ("cyclospec score NQEL {}", seeds.masses),
    "convolve": ("cyclospec convolve {}", seeds.mgf),
    "spectra": ("cyclospec spectrum --unique {}", seeds.peptides),
    "verify": ("debruijn verify --alphabet 2 -n 4 {}", seeds.symbols),
    "words": ("debruijn --words {}", seeds.words),
}


def arguments(name: str, path: Path) -> list[str]:
    """Words of a command that reads a file."""
    return COMMANDS[name][0].format(path).split()


@dataclass(frozen=True)
class Done:
    """A command that has run: exit code, and what it wrote to standard error."""

    code: int
    errors: str


class _Stream(io.TextIOWrapper):
    """A stream in memory."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="\n")

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode("utf-8", "replace")


def run_command(*args: object) -> Done:
    """Run ``dbg`` in this process, its standard output into a file that is removed."""
    caught = _Stream()
    with _streams(caught), _signals():
        try:
            main([str(arg) for arg in args])
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
    return Done(code, caught.text())


@contextmanager
def _streams(errors: _Stream):
    """Replace the streams, and the descriptor of standard output, which some commands write to."""
    kept, output = (sys.stdout, sys.stderr), os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    try:
        with open(os.dup(1), "w", encoding="utf-8") as sys.stdout:
            sys.stderr = errors
            yield
    finally:
        sys.stdout, sys.stderr = kept
        os.dup2(output, 1)
        os.close(output)


@contextmanager
def _signals():
    """Restore what signals do."""
    answers = {number: signal.getsignal(number) for number in signals.ENDING}
    try:
        yield
    finally:
        for number, answer in answers.items():
            signal.signal(number, answer)


def check_command(done: Done) -> None:
    """Raise AssertionError unless a command succeeded, or printed one error and ended with a documented exit code."""
    assert done.code in (0, *EXIT_CODES), f"exit code {done.code}: {done.errors[-500:]}"
    lines = done.errors.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("dbg: ")]
    assert "Traceback" not in done.errors, done.errors[-2000:]
    if done.code:
        assert len(starts) == 1, f"{len(starts)} errors: {done.errors[-500:]}"
        assert len(lines) - starts[0] <= 2, f"more than two lines: {done.errors[-500:]}"
        assert len(lines[starts[0]]) <= MOST_MESSAGE + 5, f"an error of {len(lines[starts[0]]):,} letters"
    else:
        assert not starts, f"exit code 0, but {done.errors[-500:]}"
