"""Tables of contig quality: `dbg` beside MEGAHIT and SPAdes.

    python -m tests.benchmarks.contigs --reference genome.fasta --sets sets.tsv

Data sets are reads of phiX174, reads simulated from the reference at several depths and lengths, and the rows of
``--sets``: a table with a header and the columns name, group, reads_1, reads_2, reference, circular, genomes, depth,
length, insert, seed and simulator. A row needs a name, and either reads, or a depth for each genome to simulate reads
of (default: for each reference); references, genomes and depths are separated by commas.

Every program runs in a process and a directory of its own with 2 threads. Results are kept after each program: those of
peers in ``peers.json`` beside this file, by digest of reads and references, version and command; those of dbg in the
output directory, with a digest of its sources as version. Writes contigs.md and contigs.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks import quality
from tests.benchmarks.contig_genome import eukaryote_set
from tests.benchmarks.contig_programs import PROGRAMS, THREADS, Program, count_circular
from tests.benchmarks.contig_sets import SIMULATORS, DataSet, Reads, phage_set, prepare, read_sets, reference_sets
from tests.benchmarks.contig_store import Entry, Store
from tests.benchmarks.contig_table import ALL, CONTIGS, FRACTION, LARGEST, LONGEST, MISASSEMBLIES, NGA50, markdown
from tests.benchmarks.machine import ROOT, commit, machine
from tests.benchmarks.measure import measure

MIN_CONTIG = 500
NO_CONTIGS = {CONTIGS: "0", LARGEST: "0", NGA50: "-", FRACTION: "0", MISASSEMBLIES: "0"}


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    sets = chosen_sets(options)
    results = Tables(options).run(sets)
    say(f"results are in {options.output / 'contigs.md'} and contigs.json ({len(results['rows'])} rows)")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    named = {name: os.environ.get(name) or None for name in ("REFERENCE", "QUAST")}
    path = {"type": lambda text: Path(text).resolve(), "metavar": "FILE"}
    names = [program.name for program in PROGRAMS]
    parser.add_argument(
        "--reference", default=named["REFERENCE"], help="genome to simulate reads of (REFERENCE)", **path
    )
    parser.add_argument("--linear", action="store_true", help="the reference is not circular")
    parser.add_argument("--sets", default=None, help="table of more data sets", **path)
    parser.add_argument("--eukaryote", type=int, default=0, metavar="BP", help="a diploid genome of this size too")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of data sets, run in this order (all)")
    parser.add_argument("--programs", nargs="*", choices=names, default=names, help="to run where no result is kept")
    parser.add_argument("--again", action="store_true", help="run dbg again even if its sources have not changed")
    parser.add_argument("--simulator", choices=SIMULATORS, default="dbg", help="of reads (%(default)s)")
    parser.add_argument("--quast", default=named["QUAST"], help="quast.py, if not on PATH (QUAST)", metavar="FILE")
    parser.add_argument("--peers", default=Path(__file__).with_name("peers.json"), help="kept results of peers", **path)
    parser.add_argument("--work", help="where to put simulated reads and temporary files (OUTPUT/contigs)", **path)
    parser.add_argument("--output", default=ROOT / "bench", help="where to put the results (bench)", **path)
    options = parser.parse_args(arguments)
    options.work = options.work or options.output / "contigs"
    if options.simulator == "art" and shutil.which("art_illumina") is None:
        parser.error("--simulator art: art_illumina is not on PATH")
    return options


def chosen_sets(options: argparse.Namespace) -> list[DataSet]:
    """Return the data sets in the order of the table, or those of ``--only`` in its order."""
    sets = reference_sets(options.reference, not options.linear) if options.reference else []
    sets.append(phage_set())
    sets += read_sets(options.sets) if options.sets else []
    if options.eukaryote:
        sets.append(eukaryote_set(options.work, options.eukaryote))
    by_name = {data.name: data for data in sets}
    unknown = [name for name in options.only or () if name not in by_name]
    if unknown:
        sys.exit(f"--only {unknown[0]}: expected one of {', '.join(by_name)}")
    return [by_name[name] for name in options.only] if options.only else sets


class Tables:
    """Runs what is not kept, and writes the tables after each program.

    Parameters
    ----------
    options : argparse.Namespace
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.quast = quality.find_quast(options.quast)
        self.versions = {program.name: program.version() for program in PROGRAMS}
        self.stores = {True: Store(options.output / "contigs-dbg.json"), False: Store(options.peers)}
        self.machine = machine()
        self.results: dict[tuple[str, str], Entry | str] = {}

    def run(self, sets: Sequence[DataSet]) -> dict[str, Any]:
        """Run all programs on all data sets."""
        written: dict[str, Any] = {}
        if self.quast is None:
            say("no quast.py on PATH (QUAST= names it): contigs are not scored")
        (self.options.work / "reads").mkdir(parents=True, exist_ok=True)
        for data in sets:
            reads = prepare(data, self.options.simulator, self.options.work / "reads")
            for program in PROGRAMS:
                self.results[data.name, program.name] = self._result(data, reads, program)
                written = self._write(sets)
        return written

    def _result(self, data: DataSet, reads: Reads, program: Program) -> Entry | str:
        """Return what a program gives: kept, or run now; or why there is no result."""
        version, store = self.versions[program.name], self.stores[program.is_ours]
        described = program.described(len(reads.files))
        again = program.is_ours and self.options.again
        kept = None if again else store.find(reads.digest, described, version)
        if kept and (kept["quast"] or kept["exit_code"] or not self.quast or version is None):
            return kept
        if version is None:
            return "not installed, and no result is kept"
        if program.name not in self.options.programs:
            return kept or "not run"
        entry = self._run(data, reads, program)
        entry |= {"reads": reads.digest, "command": described, "version": version, "origin": reads.origin}
        if entry["exit_code"] >= 0:  # not if a signal ended it
            store.keep(entry)
        return entry

    def _run(self, data: DataSet, reads: Reads, program: Program) -> Entry:
        with tempfile.TemporaryDirectory(prefix="dbg-contigs-", dir=self.options.work) as work:
            directory = Path(work) / "run"
            run = measure(program.command(reads.files), directory)
            if "compiling (" in run.text and program.is_ours:
                shutil.rmtree(directory)
                run = measure(program.command(reads.files), directory)
            if run.exit_code:
                say(f"{data.name}, {program.name} failed with exit code {run.exit_code}:\n{run.text[-2000:]}")
            files = {label: directory / name for label, name in program.outputs.items()}
            outputs = {
                label: self._scored(data, path, Path(work) / "quast")
                for label, path in files.items()
                if path.exists() and not run.exit_code
            }
        cpus = f"{self.machine['cpu']}, {self.machine['cpus']} CPUs"
        figures = {name: round(value, 2) for name, value in run.figures().items()}
        about = {"set": data.name, "program": program.name, "machine": cpus, "quast": self._quast_version()}
        return {**about, **figures, "outputs": outputs}

    def _scored(self, data: DataSet, contigs: Path, directory: Path) -> dict[str, Any]:
        """Score contigs against all references and, if there are several, against each."""
        n_contigs, n_circular = count_circular(contigs)
        scores: dict[str, Any] = {}
        if self.quast and data.references:
            directory.mkdir(exist_ok=True)
            whole = directory / "all.fa"
            whole.write_bytes(b"".join(quality.plain_fasta(path) for path in data.references))
            references = {ALL: whole}
            if len(data.references) > 1:
                references |= {path.name.partition(".")[0]: path for path in data.references}
            for name, reference in references.items():
                scores[name] = self._score(contigs, reference, directory / "report")
                scores[name][LONGEST] = str(quality.longest_sequence(reference))
        return {"n_contigs": n_contigs, "n_circular": n_circular, "scores": scores}

    def _score(self, contigs: Path, reference: Path, directory: Path) -> dict[str, str]:
        if quality.longest_sequence(contigs) < MIN_CONTIG:
            return dict(NO_CONTIGS)
        shutil.rmtree(directory, ignore_errors=True)
        return quality.score(str(self.quast), {"contigs": contigs}, reference, THREADS, directory).get("contigs", {})

    def _quast_version(self) -> str | None:
        if self.quast is None:
            return None
        done = subprocess.run([self.quast, "--version"], capture_output=True, text=True, check=False)
        return next((line for line in done.stdout.splitlines() if "QUAST" in line), "QUAST")

    def _write(self, sets: Sequence[DataSet]) -> dict[str, Any]:
        """Write the tables of what is known."""
        rows = [row for data in sets for program in PROGRAMS for row in self._rows(data, program)]
        here = f"{self.machine['cpu']}, {self.machine['cpus']} CPUs"
        entries = [entry for entry in self.results.values() if not isinstance(entry, str)]
        versions = dict.fromkeys(entry["version"] for entry in entries)
        results = {
            "machine": self.machine,
            "commit": commit(),
            "versions": [f"dbg {name}" if "sources" in name else name for name in versions],
            "quast": next((entry["quast"] for entry in entries if entry["quast"]), None),
            "other_machines": sorted({entry["machine"] for entry in entries} - {here}),
            "rows": rows,
        }
        (self.options.output / "contigs.json").write_text(json.dumps(results, indent=1) + "\n")
        (self.options.output / "contigs.md").write_text(markdown(results))
        return results

    def _rows(self, data: DataSet, program: Program) -> list[dict[str, Any]]:
        entry = self.results.get((data.name, program.name), "not run yet")
        about = {"set": data.name, "group": data.group, "reference": ALL, "score": {}}
        if isinstance(entry, str) or entry["exit_code"]:
            state = entry if isinstance(entry, str) else f"failed with exit code {entry['exit_code']}"
            labels = [label for label in program.outputs if "scaffolds" not in label]
            return [{**about, "program": label, "state": state} for label in labels]
        figures = {name: entry[name] for name in ("cpu_s", "wall_s", "peak_bytes", "version", "origin")}
        rows = []
        for label in program.outputs:
            output = entry["outputs"].get(label)
            if output is None:
                continue
            done = {**about, **figures, "program": label, "state": "done", "n_circular": output["n_circular"]}
            scores = output["scores"] or {ALL: {}}
            rows += [{**done, "reference": reference, "score": score} for reference, score in scores.items()]
        return rows


def say(text: str) -> None:
    print(f"[contigs] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
