"""Sensitivity, specificity and speed of the screening of reads, on generated genomes.

    python -m tests.benchmarks.screening [--bases 5000000] [--reads 20000] [--backend cpu] [--speed 400000000]

A random genome is the reference. Reads of 150 bases, with 0.2 % of sequencing errors, come from genomes that differ
from it by a share of substitutions, and from another random genome. The table has the share of reads that match, in
percent. ``--speed BYTES`` measures commands on FASTQ of that size instead; half of its reads match.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.screening.options import parse_min_hits
from debruijn_gpu.screening.screener import Screener
from debruijn_gpu.screening.sequences import ReferencePart, concatenate_parts
from tests.benchmarks.measure import measure, stage_times
from tests.benchmarks.tasks import DBG

READ_BP, ERROR_RATE = 150, 0.002
DIVERGENCES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05)
KS = (15, 21, 25, 31, 41, 55)
MIN_HITS = ("0.5", "0.2", "0.05", "1")
_COMPLEMENT = np.zeros(256, np.uint8)
_COMPLEMENT[list(b"ACGT")] = list(b"TGCA")
_LETTERS = np.frombuffer(b"ACGT", np.uint8)
_READS_AT_ONCE = 100_000
Letters = NDArray[np.uint8]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bases", type=int, default=5_000_000)
    parser.add_argument("--reads", type=int, default=20_000)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--speed", type=int, metavar="BYTES", default=0)
    parser.add_argument("--work", type=Path, help="where to put reads")
    options = parser.parse_args()
    rows = speeds(options) if options.speed else shares(options)
    for row in rows:
        print(row, flush=True)


def random_genome(seed: int, n_bases: int) -> Letters:
    """Uniformly random letters."""
    return _LETTERS[np.random.default_rng(seed).integers(0, 4, n_bases)]


def changed(letters: Letters, rate: float, rng: np.random.Generator) -> Letters:
    """Replace a share of letters by other ones."""
    codes = np.searchsorted(_LETTERS, letters)
    is_changed = rng.random(letters.shape) < rate
    codes[is_changed] = (codes[is_changed] + rng.integers(1, 4, int(is_changed.sum()))) % 4
    return _LETTERS[codes]


def reads_of(genome: Letters, n_reads: int, rng: np.random.Generator) -> Letters:
    """Reads of both strands with errors, a row each."""
    starts = rng.integers(0, len(genome) - READ_BP, n_reads)
    reads = genome[starts[:, None] + np.arange(READ_BP)]
    is_reverse = rng.random(n_reads) < 0.5
    reads[is_reverse] = _COMPLEMENT[reads[is_reverse][:, ::-1]]
    return changed(reads, ERROR_RATE, rng)


def batch_of(rows: Letters) -> ReadBatch:
    """A batch of reads of one length."""
    lines = np.full((len(rows), rows.shape[1] + 3), ord("\n"), np.uint8)
    lines[:, 0] = ord(">")
    lines[:, 2:-1] = rows
    parsed = backends.host().reads.parse_reads(lines.ravel(), False, True)
    return ReadBatch(parsed.bases, parsed.offsets, parsed.ambiguous_positions)


def shares(options: argparse.Namespace) -> Iterator[str]:
    """The table: one row for each k and each rule."""
    rng = np.random.default_rng(7)
    genome, other = (random_genome(seed, options.bases) for seed in (1, 2))
    samples = [batch_of(reads_of(changed(genome, rate, rng), options.reads, rng)) for rate in DIVERGENCES]
    samples.append(batch_of(reads_of(other, options.reads, rng)))
    run = RunOptions(backend=options.backend, threads=options.threads)
    backend = backends.load_arrays(run, "reads", 0)
    yield "| k | `--min-hits` | " + " | ".join(f"{100 * rate:g} %" for rate in DIVERGENCES) + " | unrelated |"
    yield "|--:|--:|" + "--:|" * len(samples)
    for k in KS:
        part = ReferencePart(batch_of(genome[None]), np.zeros(1, np.int64))
        sequences = concatenate_parts(["genome"], [part], k)
        screeners = {text: Screener(sequences, parse_min_hits(text), run, backend) for text in MIN_HITS}
        for text, screener in screeners.items():
            cells = []
            for batch in samples:
                is_matched = screener.judge(screener.find(batch.moved(backend.to_device))).is_matched
                cells.append(f"{100 * np.count_nonzero(is_matched) / len(is_matched):.2f}")
            yield f"| {k} | {text} | " + " | ".join(cells) + " |"


def speeds(options: argparse.Namespace) -> Iterator[str]:
    """Time of whole commands on FASTQ, the best of several runs by CPU time."""
    with tempfile.TemporaryDirectory(prefix="dbg-bench-", dir=options.work) as name:
        work = Path(name)
        genome = random_genome(1, options.bases)
        (work / "genome.fa").write_bytes(b">genome\n" + genome.tobytes() + b"\n")
        n_bytes = write_reads(work / "reads.fq", genome, options.speed)
        yield f"{n_bytes:,} bytes of FASTQ; half of the reads match a genome of {options.bases:,} bases"
        for more in ("", "--mask", "--trim", "--report r.json"):
            command = [*DBG, "screen", str(work / "reads.fq"), "--against", str(work / "genome.fa"), "-v", "-v"]
            command += ["--backend", options.backend, "-t", str(options.threads), "-o", "/dev/null", *more.split()]
            runs = [measure(command, work / "out") for _ in range(options.repeats)]
            if any(run.exit_code for run in runs):
                sys.exit(runs[0].text)
            best = min(runs, key=lambda run: run.cpu_s)
            stages = [stage for stage in stage_times(best.text) if stage.name == "screen reads"]
            rate = n_bytes / best.cpu_s / 1e6
            parts = "; ".join(f"{stage.name} {stage.wall_s:.2f} s ({stage.parts})" for stage in stages)
            times = f"{best.wall_s:6.2f} s, {best.cpu_s:6.2f} CPU s ({rate:.0f} MB per CPU s)"
            yield f"{more or 'filter':16} {times}; {parts}"


def write_reads(path: Path, genome: Letters, n_bytes: int) -> int:
    """Write FASTQ of at least so many bytes; every second read is of another genome. Returns its size."""
    rng = np.random.default_rng(3)
    other = random_genome(2, len(genome))
    qualities = b"F" * READ_BP
    n_written, n_reads = 0, 0
    with open(path, "wb") as file:
        while n_written < n_bytes:
            reads = reads_of(genome, _READS_AT_ONCE, rng)
            reads[::2] = reads_of(other, len(reads[::2]), rng)
            records = (
                b"@SRR00000000.%d %d/1\n%s\n+\n%s\n" % (n_reads + i, i, read.tobytes(), qualities)
                for i, read in enumerate(reads)
            )
            n_written += file.write(b"".join(records))
            n_reads += len(reads)
    return n_written


if __name__ == "__main__":
    main()
