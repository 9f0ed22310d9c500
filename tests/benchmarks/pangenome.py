"""Time and memory of `dbg matrix`, `dbg color` and `dbg query` on generated genomes that differ by substitutions.

    python -m tests.benchmarks.pangenome [--genomes 10] [--bases 2000000] [--divergence 0.01] [--reads 200000]
    python -m tests.benchmarks.pangenome --genomes 50 --bases 5000000 --reads 1000000

Each genome is a copy of one random sequence in which a share of the bases is replaced. Reads of 150 bases, with 0.2 %
of errors, are of all genomes in turn. Prints wall and CPU seconds, the best of ``--repeats`` by CPU time, and peak
memory; then the stages of each command. Debian and PyPI have no program that answers the same queries exactly.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.benchmarks.measure import Run, measure, stage_times
from tests.benchmarks.screening import Letters, changed, random_genome, reads_of
from tests.benchmarks.tasks import DBG

READS_AT_ONCE = 10_000
K = 31
_MATCHED = 0.6  # of the reads, at least: those without an error in any k-mer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--genomes", type=int, default=10)
    parser.add_argument("--bases", type=int, default=2_000_000)
    parser.add_argument("--divergence", type=float, default=0.01)
    parser.add_argument("--reads", type=int, default=200_000)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=("matrix", "color", "query"), nargs="+", default=["matrix", "color", "query"])
    parser.add_argument("--work", type=Path, help="where to put genomes, reads and indexes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dbg-bench-", dir=options.work) as name:
        for row in rows(options, Path(name)):
            print(row, flush=True)


def rows(options: argparse.Namespace, work: Path) -> Iterator[str]:
    """A row for each command, and one for each of its stages."""
    n_reads = write_inputs(options, work)
    yield f"{options.genomes} genomes of {options.bases:,} bases, {n_reads:,} reads; {options.backend}"
    index, samples = str(work / "index.dbgc"), str(work / "samples.tsv")
    shared = ["-v", "-v", "-t", str(options.threads), "--backend", options.backend]
    commands = {
        "matrix": ["matrix", samples, "-k", str(K), "--presence", "-o", str(work / "matrix.npz"), *shared],
        "color": ["color", samples, "-k", str(K), "-o", index, *shared],
        "query": ["query", index, str(work / "reads.fq"), "-o", str(work / "hits.tsv"), *shared],
    }
    for name, command in commands.items():
        is_measured = name in options.only
        if not is_measured and not (name == "color" and "query" in options.only):
            continue
        best = best_of([*DBG, *command], options.repeats if is_measured else 1, work / "log")
        if is_measured:
            memory = best.peak_bytes / 1e9
            yield f"{name:8} {best.wall_s:7.2f} s {best.cpu_s:7.2f} CPU s {memory:6.2f} GB"
            for stage in stage_times(best.text):
                yield f"    {stage.name}: {stage.items or '-'} in {stage.wall_s:.2f} s ({stage.parts})"
    if "query" in options.only:
        yield check_hits(work / "hits.tsv", options.genomes, n_reads)


def best_of(command: list[str], repeats: int, directory: Path) -> Run:
    """Run a command several times; return the run of the fewest CPU seconds."""
    runs = [measure(command, directory) for _ in range(repeats)]
    if any(run.exit_code for run in runs):
        sys.exit(next(run.text for run in runs if run.exit_code))
    return min(runs, key=lambda run: run.cpu_s)


def write_inputs(options: argparse.Namespace, work: Path) -> int:
    """Write the genomes, the table of samples, and reads of all genomes in turn; return the number of reads."""
    rng = np.random.default_rng(4)
    ancestor = random_genome(1, options.bases)
    genomes: list[Letters] = []
    with open(work / "samples.tsv", "w") as table:
        for i in range(options.genomes):
            genomes.append(changed(ancestor, options.divergence, rng))
            (work / f"g{i}.fa").write_bytes(b">%d\n%s\n" % (i, genomes[-1].tobytes()))
            table.write(f"g{i}\tg{i}.fa\n")
    qualities = b"F" * reads_of(ancestor, 1, rng).shape[1]
    n_written = 0
    with open(work / "reads.fq", "wb") as file:
        while n_written < options.reads:
            of_genome = n_written // READS_AT_ONCE % options.genomes
            reads = reads_of(genomes[of_genome], min(READS_AT_ONCE, options.reads - n_written), rng)
            names = (b"@%d.%d" % (n_written + i, of_genome) for i in range(len(reads)))
            file.writelines(
                b"%s\n%s\n+\n%s\n" % (name, read.tobytes(), qualities) for name, read in zip(names, reads, strict=True)
            )
            n_written += len(reads)
    return n_written


def check_hits(path: Path, n_genomes: int, n_reads: int) -> str:
    """Exit unless each read has a line, and most reads match the genome that they are of."""
    own, seen = 0, set()
    with open(path) as lines:
        next(lines)
        for line in lines:
            query, sample, *_ = line.split("\t")
            seen.add(query)
            own += sample == "g" + query.partition(".")[2]
    if len(seen) != n_reads or own < _MATCHED * n_reads:
        sys.exit(f"wrong hits: {len(seen):,} of {n_reads:,} reads, {own:,} of them in their own of {n_genomes} genomes")
    return f"{own / max(1, n_reads):.1%} of the reads match the genome that they are of"


if __name__ == "__main__":
    main()
