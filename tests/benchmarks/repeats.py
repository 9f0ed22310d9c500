"""Benchmark of repeat resolution on genomes whose repeats are known; contigs are judged without alignment programs.

    python -m tests.benchmarks.repeats --genomes 3 --length 300000 --depth 40 --insert 300 500
    python -m tests.benchmarks.repeats judge TRUTH.fa REPEATS.tsv CONTIGS.fa...

The first command generates genomes, simulates read pairs with ``dbg simulate``, runs dbg and the programs of
``--programs``, and writes repeats.md and repeats.json. ``--dbg NAME=OPTIONS`` is a column of dbg with options of its
own, as in ``--dbg dbg= --dbg 'k41=-k 41'``. ``--artefacts 1 0.15`` makes 15 % of the reads of a strand wrong behind
each GGC. ``--contigs NAME=FASTA`` is a column of existing contigs, where ``{genome}``, ``{depth}``, ``{read_length}``
and ``{insert}`` are replaced by those of the row. The second command judges files of contigs or scaffolds.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks import artefact_reads, repeat_table
from tests.benchmarks.contig_programs import OURS, PROGRAMS, THREADS, Program
from tests.benchmarks.machine import ROOT, commit, machine
from tests.benchmarks.measure import measure
from tests.benchmarks.repeat_genome import (
    Recipe,
    Record,
    generate,
    read_copies,
    read_fasta,
    write_copies,
    write_fasta,
)
from tests.benchmarks.repeat_scaffolds import judge_scaffolds, parts_as_contigs
from tests.benchmarks.repeat_table import Row
from tests.benchmarks.repeat_truth import MIN_CONTIG, Truth, judge
from tests.benchmarks.tasks import DBG

GC_RANGE = (0.25, 0.7)
PEERS = {program.name: program for program in PROGRAMS if not program.is_ours}


@dataclass(frozen=True)
class Case:
    """One row: a genome, and how its reads are simulated."""

    recipe: Recipe
    depth: float
    read_length: int
    insert: int
    insert_sd: int

    @property
    def name(self) -> str:
        genome = f"seed {self.recipe.seed}, GC {100 * self.recipe.gc:.0f} %"
        return f"{genome}, {self.depth:g}x, 2x{self.read_length}, insert {self.insert}"

    def filled(self, template: str) -> Path:
        """Path of contigs of this case."""
        values = {"depth": f"{self.depth:g}", "read_length": self.read_length, "insert": self.insert}
        return Path(template.format(genome=self.recipe.name, **values))

    def simulation(self, genome: Path, prefix: Path) -> list[str]:
        """Command that simulates the reads."""
        sizes = ["--insert", str(self.insert), "--insert-sd", str(self.insert_sd), "--length", str(self.read_length)]
        command = [*DBG, "simulate", str(genome), "--paired", "--depth", f"{self.depth:g}", *sizes]
        return [*command, "--seed", str(self.recipe.seed), *["--circular"] * self.recipe.circular, "-o", str(prefix)]


def main(arguments: Sequence[str] | None = None) -> None:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["judge"]:
        print(judge_files(words[1:]))
        return
    options = parse(words)
    options.output.mkdir(parents=True, exist_ok=True)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        results = run(options, options.keep)
    else:
        with tempfile.TemporaryDirectory(prefix="dbg-repeats-") as directory:
            results = run(options, Path(directory))
    print(repeat_table.markdown(results))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    path = {"type": lambda text: Path(text).resolve(), "metavar": "DIRECTORY"}
    named = {"action": "append", "default": [], "type": _named}
    parser.add_argument("--genomes", type=int, default=3, metavar="N", help="number of genomes (%(default)s)")
    parser.add_argument("--length", type=int, default=300_000, metavar="BP", help="of a genome (%(default)s)")
    parser.add_argument("--gc", type=float, nargs="+", metavar="%", help="of each genome in turn (25 to 70)")
    parser.add_argument("--linear", action="store_true", help="genomes are linear")
    parser.add_argument("--seed", type=int, default=1, help="of the first genome (%(default)s)")
    parser.add_argument("--depth", type=float, nargs="+", default=[40], metavar="X", help="read depths (40)")
    parser.add_argument("--insert", type=int, nargs="+", default=[400], metavar="BP", help="insert sizes (400)")
    parser.add_argument("--insert-sd", type=int, metavar="BP", help="standard deviation (a tenth of the insert size)")
    parser.add_argument("--read-length", type=int, nargs="+", default=[150], metavar="BP", help="read lengths (150)")
    shares = {"type": float, "nargs": 2, "metavar": ("SITES", "READS")}
    parser.add_argument("--artefacts", help="shares of sites behind GGC and of their reads that are wrong", **shares)
    parser.add_argument(
        "--dbg", metavar="NAME=OPTIONS", help="column of dbg assemble with options; repeatable", **named
    )
    parser.add_argument("--programs", nargs="+", default=[], choices=PEERS, help="to run beside dbg")
    parser.add_argument("--contigs", metavar="NAME=FASTA", help="column of existing contigs; repeatable", **named)
    parser.add_argument("--min-contig", type=int, default=MIN_CONTIG, metavar="BP", help="judged (%(default)s)")
    parser.add_argument("--keep", help="where to keep genomes, reads and assemblies", **path)
    parser.add_argument("--output", default=ROOT / "bench", help="where to put repeats.md and repeats.json", **path)
    return parser.parse_args(arguments)


def _named(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not (name and separator):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text}")
    return name, value


def judge_files(arguments: Sequence[str]) -> str:
    """Judge files of contigs; return the tables."""
    parser = argparse.ArgumentParser(prog="repeats judge", description="Judge contigs against a known genome.")
    parser.add_argument("truth", type=Path, metavar="TRUTH.fa", help="genome; circular=true in headers")
    parser.add_argument("repeats", type=Path, metavar="REPEATS.tsv", help="planted copies")
    parser.add_argument("contigs", type=Path, nargs="+", metavar="CONTIGS.fa", help="contigs, or scaffolds with N")
    parser.add_argument("--insert", type=int, default=400, metavar="BP", help="classes of repeats (%(default)s)")
    parser.add_argument("--min-contig", type=int, default=MIN_CONTIG, metavar="BP", help="judged (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write all figures")
    options = parser.parse_args(arguments)
    truth = Truth.of(read_fasta(options.truth), read_copies(options.repeats))
    rows = []
    for path in options.contigs:
        about = {"set": options.truth.name, "program": str(path), "span_bp": repeat_table.span(options.insert)}
        rows.append({**about, **judged(truth, path, path, options.min_contig), "cpu_s": None})
    if options.json:
        options.json.write_text(_json({"rows": rows}))
    parts = [repeat_table.figures_table(rows), repeat_table.classes_table(rows), repeat_table.scaffolds_table(rows)]
    return "\n".join(part for part in (*parts, repeat_table.joins_table(rows, sys.maxsize)) if part)


def judged(truth: Truth, contigs: Path, scaffolds: Path | None, min_contig: int) -> dict[str, Any]:
    """Judge a file of contigs and, where it has N, or another file has, the joins of scaffolds."""
    records = read_fasta(contigs)
    joined = _with_gaps(records if scaffolds == contigs else read_fasta(scaffolds) if scaffolds else [])
    figures = judge(truth, parts_as_contigs(records), min_contig)
    return {
        "state": "done",
        "loci": truth.loci,
        "judgement": figures,
        "scaffolds": judge_scaffolds(truth, joined) if joined else None,
    }


def _with_gaps(records: list[Record]) -> list[Record]:
    """Return all records if one of them has a gap."""
    return records if any((record.bases > 3).any() for record in records) else []


def run(options: argparse.Namespace, directory: Path) -> dict[str, Any]:
    """Run all programs on all cases; write the tables after each case."""
    results: dict[str, Any] = {"machine": machine(), "commit": commit(), "min_contig": options.min_contig, "rows": []}
    for recipe in recipes(options):
        genome, table = directory / f"{recipe.name}.fa", directory / f"{recipe.name}.tsv"
        record, copies = generate(recipe)
        write_fasta(genome, [record])
        write_copies(table, copies)
        truth = Truth.of([record], copies)
        for depth, read_length, insert in itertools.product(options.depth, options.read_length, options.insert):
            case = Case(recipe, depth, read_length, insert, options.insert_sd or insert // 10)
            results["rows"] += case_rows(options, case, truth, genome, directory)
            (options.output / "repeats.json").write_text(_json(results))
            (options.output / "repeats.md").write_text(repeat_table.markdown(results))
    return results


def recipes(options: argparse.Namespace) -> list[Recipe]:
    """Return the genomes to generate; their shares of G and C are evenly spaced from 25 to 70 %."""
    spaced = np.linspace(*GC_RANGE, options.genomes).tolist() if options.genomes > 1 else [0.5]
    shares = [share / 100 for share in options.gc] if options.gc else spaced
    return [
        Recipe(options.length, options.seed + number, round(shares[number % len(shares)], 4), not options.linear)
        for number in range(options.genomes)
    ]


def case_rows(options: argparse.Namespace, case: Case, truth: Truth, genome: Path, directory: Path) -> list[Row]:
    """Simulate the reads of a case, and judge each program on it."""
    work = directory / f"{genome.stem}_{case.depth:g}x_{case.read_length}_{case.insert}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    subprocess.run(case.simulation(genome, work / "reads"), check=True, stdout=subprocess.DEVNULL)
    reads = [work / f"reads_R{mate}.fastq.gz" for mate in (1, 2)]
    for seed, path in enumerate(reads if options.artefacts else ()):
        artefact_reads.rewrite(path, *options.artefacts, seed)
    rows: list[Row] = []
    about = {"set": case.name, "span_bp": repeat_table.span(case.insert)}
    for name, program in columns(options).items():
        rows.append({**about, "program": name, **_run(program, reads, work / name, truth, options.min_contig)})
    for name, template in options.contigs:
        found = judged(truth, case.filled(template), None, options.min_contig)
        rows.append({**about, "program": name, **found, "cpu_s": None})
    for row in rows:
        say(f"{row['set']}, {row['program']}: {row['state']}")
    return rows


def columns(options: argparse.Namespace) -> dict[str, Program]:
    """Return the programs to run by the names of their columns."""
    ours = next(program for program in PROGRAMS if program.is_ours)
    start = ours.options[:-2]
    found = {
        name: replace(ours, options=(*start, *shlex.split(words), *ours.options[-2:]))
        for name, words in options.dbg or [(OURS, "")]
    }
    return found | {name: PEERS[name] for name in options.programs}


def _run(program: Program, reads: Sequence[Path], work: Path, truth: Truth, min_contig: int) -> dict[str, Any]:
    """Run a program in a directory of its own, again if kernels were compiled, and judge what it wrote."""
    outcome = measure(program.command(reads), work)
    if program.is_ours and "compiling (" in outcome.text:
        shutil.rmtree(work)
        outcome = measure(program.command(reads), work)
    if outcome.exit_code:
        say(outcome.text[-2000:])
        return {"state": f"failed with exit code {outcome.exit_code}", "cpu_s": outcome.cpu_s}
    files = [work / name for name in program.outputs.values()]
    contigs = next(path for path in files if path.name in ("contigs.fasta", "final.contigs.fa"))
    scaffolds = next((path for path in files if path.name == "scaffolds.fasta" and path.exists()), None)
    return {**judged(truth, contigs, scaffolds, min_contig), "cpu_s": round(outcome.cpu_s, 2)}


def _json(results: dict[str, Any]) -> str:
    """Format results; loci and judgements become objects."""
    return json.dumps({"threads": THREADS, **results}, indent=1, default=asdict) + "\n"


def say(text: str) -> None:
    print(f"[repeats] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
