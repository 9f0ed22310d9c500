"""Tables of contig quality in Markdown, and the comparison with the target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.benchmarks.contig_programs import BEFORE_REPEATS, NO_LOCAL, OURS, THREADS
from tests.benchmarks.table import markdown_table

ALL = "all"
SIDE_BY_SIDE = (OURS, NO_LOCAL, BEFORE_REPEATS, "MEGAHIT", "SPAdes")
COLUMNS = (
    *("data set", "program", "CPU s", "wall s", "peak MiB", "contigs", "circular", "largest", "NGA50"),
    *("genome fraction (%)", "misassemblies", "mismatches, indels per 100 kbp"),
)
CONTIGS, LARGEST, NGA50, FRACTION, MISASSEMBLIES = (
    *("# contigs", "Largest contig", "NGA50", "Genome fraction (%)", "# misassemblies"),
)
LONGEST = "Longest sequence of the reference"
SUBSTITUTIONS, INDELS = "# mismatches per 100 kbp", "# indels per 100 kbp"
NONE = "-"

Rows = list[dict[str, Any]]


def markdown(results: dict[str, Any]) -> str:
    """Format all tables: contigs by group of data sets, scaffolds, target."""
    contigs = [row for row in results["rows"] if "scaffolds" not in row["program"]]
    scaffolds = [row for row in results["rows"] if "scaffolds" in row["program"]]
    groups = list(dict.fromkeys(row["group"] for row in contigs))
    parts = [_heading(results)]
    parts += [markdown_table(group, COLUMNS, _table_rows(_of_group(contigs, group))) for group in groups]
    if scaffolds:
        parts.append(markdown_table("Scaffolds", COLUMNS, _table_rows(scaffolds)))
    parts += [_summary(contigs), _times(contigs), _targets(results["rows"])]
    return "\n".join(parts)


def _of_group(rows: Rows, group: str) -> Rows:
    return [row for row in rows if row["group"] == group]


def _heading(results: dict[str, Any]) -> str:
    machine = results["machine"]
    lines = [
        "# Quality of contigs",
        "",
        f"Machine: {machine['cpu']}, {machine['cpus']} CPUs, {machine['memory_bytes'] / (1 << 30):.0f} GiB; "
        f"{THREADS} threads for every program.",
        f"Versions: {', '.join(results['versions'])}; commit {results['commit']}.",
        f"Contigs of at least 500 bp, scored by {results['quast']}."
        if results["quast"]
        else "No quast.py on PATH (QUAST= names it): contigs of this run are not scored, and the columns are empty.",
    ]
    if results["other_machines"]:
        lines.append(f"Kept from other machines, so that times do not compare: {', '.join(results['other_machines'])}.")
    return "\n".join(lines) + "\n"


def _table_rows(rows: Rows) -> Iterator[list[str]]:
    """Format one row for each program and reference."""
    for row in rows:
        start = [_name(row), row["program"]]
        if row["state"] != "done":
            yield [*start, row["state"], *[""] * (len(COLUMNS) - len(start) - 1)]
            continue
        score = row["score"]
        circular = NONE if row["n_circular"] is None else str(row["n_circular"])
        figures = [f"{row['cpu_s']:.1f}", f"{row['wall_s']:.1f}", f"{row['peak_bytes'] / (1 << 20):.0f}"]
        errors = f"{score.get(SUBSTITUTIONS, NONE)}, {score.get(INDELS, NONE)}" if score else ""
        quality = [score.get(CONTIGS, ""), circular, *(score.get(name, NONE) for name in (LARGEST, NGA50, FRACTION))]
        yield [*start, *figures, *quality, score.get(MISASSEMBLIES, NONE), errors]


def _summary(rows: Rows) -> str:
    """Table of one row per data set: NGA50, genome fraction and misassemblies of each program."""
    lines = [
        (name, *(_in_short(same.get(program)) for program in SIDE_BY_SIDE))
        for name, same in _side_by_side(rows).items()
    ]
    return markdown_table("NGA50; genome fraction (%); misassemblies", ("data set", *SIDE_BY_SIDE), lines)


def _in_short(row: dict[str, Any] | None) -> str:
    if row is None or row["state"] != "done" or not row["score"]:
        return ""
    score = row["score"]
    nga50 = f"{int(score[NGA50]):,}" if score.get(NGA50, NONE).isdigit() else NONE
    return f"{nga50}; {number(score.get(FRACTION)):.2f}; {score.get(MISASSEMBLIES, NONE)}"


def _times(rows: Rows) -> str:
    """Table of one row per data set: CPU seconds and peak memory of each program."""
    programs = [program for program in SIDE_BY_SIDE if program != BEFORE_REPEATS]
    by_name = _side_by_side([row for row in rows if row["reference"] == ALL])
    lines = [(name, *(_effort(by_name[name].get(program)) for program in programs)) for name in by_name]
    return markdown_table("CPU seconds; peak MiB", ("data set", *programs), lines)


def _effort(row: dict[str, Any] | None) -> str:
    if row is None or row["state"] != "done":
        return ""
    return f"{row['cpu_s']:.0f}; {row['peak_bytes'] / (1 << 20):.0f}"


def _side_by_side(rows: Rows) -> dict[str, dict[str, dict[str, Any]]]:
    """Rows by name of the data set, with the reference if it is one of several, and by program."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(_name(row), {})[row["program"]] = row
    return found


def _name(row: dict[str, Any]) -> str:
    """Name of the data set, with the reference that contigs are scored against if it is one of several."""
    return row["set"] if row["reference"] == ALL else f"{row['set']}: {row['reference']} alone"


def _targets(rows: Rows) -> str:
    """Table of the data sets: whether dbg meets the target, or what is missed or unknown."""
    lines = [(name, verdict(same)) for name, same in _side_by_side(rows).items()]
    text = (
        "Target: NGA50 and genome fraction at or above those of MEGAHIT without local assembly and of SPAdes before "
        "repeat resolution, misassemblies at most the least of theirs.\n"
    )
    return markdown_table("Target", ("data set", "dbg"), lines) + "\n" + text


def verdict(programs: dict[str, dict[str, Any]]) -> str:
    """Compare dbg with the two peers of the target on one data set.

    Parameters
    ----------
    programs : dict of str to dict
        Rows by program, of one data set and reference.
    """
    ours = programs.get(OURS)
    if ours is None or not ours["score"]:
        return "not scored"
    scores = {name: programs[name]["score"] for name in (NO_LOCAL, BEFORE_REPEATS) if name in programs}
    peers = {name: score for name, score in scores.items() if score}
    unknown = [name for name in (NO_LOCAL, BEFORE_REPEATS) if name not in peers]
    if len(unknown) == 2:
        return "no peers to compare with"
    missed = []
    for name in (NGA50, FRACTION):
        best = max(peers, key=lambda peer: limited(peers[peer], name))
        if limited(ours["score"], name) < limited(peers[best], name):
            missed.append(f"{name} {ours['score'].get(name, NONE)} (of {best}: {peers[best][name]})")
    least = min(peers, key=lambda peer: number(peers[peer].get(MISASSEMBLIES)))
    if number(ours["score"].get(MISASSEMBLIES)) > number(peers[least].get(MISASSEMBLIES)):
        missed.append(f"{ours['score'][MISASSEMBLIES]} misassemblies (of {least}: {peers[least][MISASSEMBLIES]})")
    without = f"; not compared with {unknown[0]}" if unknown else ""
    return (f"missed: {'; '.join(missed)}" if missed else "met") + without


def limited(score: dict[str, str], name: str) -> float:
    """Value of a row; NGA50 at most that of the reference: circular contigs of peers repeat bases at their ends."""
    value = number(score.get(name))
    return min(value, number(score[LONGEST])) if name == NGA50 and LONGEST in score else value


def number(text: str | None) -> float:
    """Value of a cell of QUAST's report: 0 if it is empty, the first number of ``3 + 1 part``."""
    try:
        return float((text or "0").split()[0])
    except ValueError:
        return 0.0
