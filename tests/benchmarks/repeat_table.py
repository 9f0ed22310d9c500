"""Tables of repeat resolution in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tests.benchmarks.repeat_scaffolds import ScaffoldJudgement
from tests.benchmarks.repeat_truth import FLANK, Judgement, Locus
from tests.benchmarks.table import markdown_table

CLASSES = ("to half", "to span", "to double", "longer")
JOINS_LISTED = 20

#: A judged row: set, program, span_bp, loci, judgement, scaffolds, cpu_s
Row = dict[str, Any]


def span(insert: int) -> int:
    """Longest repeat that a pair of reads of this insert size spans with 41 bp of flank on both sides."""
    return insert - 2 * FLANK


def length_class(n_bases: int, span_bp: int) -> str:
    """Class of a repeat by its length relative to the span of a read pair."""
    limits = (span_bp / 2, span_bp, 2 * span_bp)
    return CLASSES[sum(n_bases >= limit for limit in limits)]


def within_span(row: Row) -> tuple[int, int]:
    """Number of repeats shorter than the span of a pair that are resolved, and of all of them."""
    return _resolved(row, lambda locus: locus.end - locus.start < row["span_bp"])


def markdown(results: dict[str, Any]) -> str:
    """Format all tables: heading, summary, contigs, classes of repeats, scaffolds, wrong joins."""
    rows: list[Row] = results["rows"]
    programs = list(dict.fromkeys(row["program"] for row in rows))
    parts = [heading(results), summary(rows, programs), figures_table(rows), classes_table(rows)]
    parts += [scaffolds_table(rows), joins_table(rows)]
    return "\n".join(part for part in parts if part)


def heading(results: dict[str, Any]) -> str:
    """Format machine, commit, and what the columns mean."""
    machine = results["machine"]
    lines = [
        "# Repeat resolution",
        "",
        f"Machine: {machine['cpu']}, {machine['cpus']} CPUs, {machine['memory_bytes'] / (1 << 30):.0f} GiB; "
        f"commit {results['commit']}.",
        f"Contigs of at least {results['min_contig']} bp. Resolved: repeats shorter than insert - {2 * FLANK} bp that "
        f"one contig spells without error with {FLANK} bp of flank on both sides, of all such repeats.",
    ]
    return "\n".join(lines) + "\n"


def _in_short(row: Row) -> str:
    if row["state"] != "done":
        return str(row["state"])
    judged: Judgement = row["judgement"]
    resolved = "{}/{}".format(*within_span(row))
    joins = len(judged.wrong_joins)
    effort = "-" if row["cpu_s"] is None else f"{row['cpu_s']:.1f}"
    return f"{judged.nga50:,}; {judged.covered:.2f}; {joins}; {resolved}; {effort}"


def _summed(rows: Sequence[Row]) -> str:
    """Format means and sums over all sets."""
    if not rows:
        return ""
    judged: list[Judgement] = [row["judgement"] for row in rows]
    nga50, covered = np.mean([(one.nga50, one.covered) for one in judged], axis=0).tolist()
    n_resolved, n_all = np.array([within_span(row) for row in rows]).sum(axis=0).tolist()
    joins, effort = sum(len(one.wrong_joins) for one in judged), sum(row["cpu_s"] or 0 for row in rows)
    return f"{nga50:,.0f}; {covered:.2f}; {joins}; {n_resolved}/{n_all}; {effort:.1f}"


def summary(rows: Sequence[Row], programs: Sequence[str]) -> str:
    """Format one row for each set, one column for each program, and means and sums over all sets."""
    found = {(row["set"], row["program"]): _in_short(row) for row in rows}
    names = dict.fromkeys(row["set"] for row in rows)
    lines = [(name, *(found.get((name, program), "") for program in programs)) for name in names]
    if len(names) > 1:
        same = {program: [row for row in _done(rows) if row["program"] == program] for program in programs}
        lines.append(("mean; mean; sum; sum; sum", *(_summed(same[program]) for program in programs)))
    return markdown_table("NGA50; genome (%); wrong joins; resolved; CPU s", ("data set", *programs), lines)


def figures_table(rows: Iterable[Row]) -> str:
    """Format all figures of contigs, one row for each set and program."""
    columns = (
        *("data set", "program", "contigs", "NGA50", "genome (%)", "wrong joins", "mismatches", "indels"),
        *("unaligned bp", "resolved", "resolved, all lengths", "with errors"),
    )
    lines = []
    for row in _done(rows):
        judged: Judgement = row["judgement"]
        figures = (judged.n_contigs, f"{judged.nga50:,}", f"{judged.covered:.2f}", len(judged.wrong_joins))
        errors = (judged.mismatches, judged.indels, judged.unaligned)
        repeats = ("{}/{}".format(*within_span(row)), "{}/{}".format(*_resolved(row, lambda _: True)))
        inexact = sum(judged.spanned) - sum(judged.resolved)
        lines.append((row["set"], row["program"], *map(str, (*figures, *errors)), *repeats, str(inexact)))
    return markdown_table("Contigs", columns, lines)


def classes_table(rows: Iterable[Row]) -> str:
    """Format resolved and all repeats by length relative to the span, and by identity, summed over all sets."""
    by_program: dict[str, list[Row]] = {}
    for row in _done(rows):
        by_program.setdefault(row["program"], []).append(row)
    identities = sorted(
        {locus.identity for same in by_program.values() for row in same for locus in row["loci"]}, reverse=True
    )
    lines = []
    for program, same in by_program.items():
        for name in CLASSES:
            cells = [_class_cell(same, name, (identity,)) for identity in identities]
            lines.append((program, name, *cells, _class_cell(same, name, identities)))
    title = f"Resolved repeats by length, relative to insert - {2 * FLANK}, and identity"
    return markdown_table(title, ("program", "length", *(f"{100 * i:g} %" for i in identities), "all"), lines)


def _class_cell(rows: Iterable[Row], name: str, identities: Sequence[float]) -> str:
    counts = [
        _resolved(
            row,
            lambda locus, row=row: (  # type: ignore[misc]
                locus.identity in identities and length_class(locus.end - locus.start, row["span_bp"]) == name
            ),
        )
        for row in rows
    ]
    n_resolved, n_all = np.array(counts).sum(axis=0).tolist()
    return f"{n_resolved}/{n_all}" if n_all else "-"


def _resolved(row: Row, is_counted: Callable[[Locus], bool]) -> tuple[int, int]:
    pairs = zip(row["loci"], row["judgement"].resolved, strict=True)
    counted = [is_resolved for locus, is_resolved in pairs if is_counted(locus)]
    return sum(counted), len(counted)


def scaffolds_table(rows: Iterable[Row]) -> str:
    """Format joins of scaffolds and errors of gaps; empty if no program writes scaffolds."""
    lines = []
    for row in _done(rows):
        judged: ScaffoldJudgement | None = row["scaffolds"]
        if judged is None:
            continue
        counts = (judged.n_scaffolds, judged.n_joins, len(judged.wrong), judged.unplaced)
        errors = np.abs(judged.gap_errors)
        figures = (f"{np.median(errors):g}", str(errors.max())) if len(errors) else ("-", "-")
        lines.append((row["set"], row["program"], *map(str, counts), *figures))
    columns = ("data set", "program", "scaffolds", "joins", "wrong", "unplaced", "median gap error (bp)", "largest")
    return markdown_table("Scaffolds", columns, lines) if lines else ""


def joins_table(rows: Iterable[Row], n_listed: int = JOINS_LISTED) -> str:
    """List the first wrong joins of each set and program; empty if there is none."""
    lines = list(_join_lines(rows, n_listed))
    columns = ("data set", "program", "contig", "position", "from", "to", "families")
    return markdown_table("Wrong joins", columns, lines) if lines else ""


def _join_lines(rows: Iterable[Row], n_listed: int) -> Iterator[tuple[str, ...]]:
    for row in _done(rows):
        joins = row["judgement"].wrong_joins
        for join in joins[:n_listed]:
            families = ", ".join(map(str, join.families)) or "-"
            yield row["set"], row["program"], join.contig, str(join.position), join.before, join.after, families
        if len(joins) > n_listed:
            yield row["set"], row["program"], f"{len(joins) - n_listed} more", "", "", "", ""


def _done(rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if row["state"] == "done")
