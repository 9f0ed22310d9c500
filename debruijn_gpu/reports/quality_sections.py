"""Contents and findings on quality without a reference, and on the rounds of several k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from debruijn_gpu.assembly_dir.reading import AssemblyFiles, number
from debruijn_gpu.assembly_dir.round_times import cpu_seconds_of_rounds, shares_of_rounds
from debruijn_gpu.reports.finding import FAIR, GOOD, POOR, Finding
from debruijn_gpu.reports.page import Cell, integer
from debruijn_gpu.run.record import RunRecord

#: Share of the solid k-mers in the contigs that is good, and fair
GOOD_COMPLETENESS, FAIR_COMPLETENESS = 0.98, 0.9
#: Quality value that is good, and fair: one error in 10,000 and in 1000 bases
GOOD_QV, FAIR_QV = 40.0, 30.0

_KINDS = ("tips", "bubbles", "erroneous_connections", "isolated")


def evaluation(files: AssemblyFiles) -> dict[str, float] | None:
    """Return the numbers of the evaluation; None if one is missing."""
    names = ("k", "solid_count", "n_solid", "n_solid_found", "completeness", "n_contig_kmers", "n_weak", "n_absent")
    found = {
        name: number(files.report, "evaluation", name) for name in (*names, "explained", "qv", "n_ends", "n_dead_ends")
    }
    known = {name: value for name, value in found.items() if value is not None}
    return known if len(known) == len(found) else None


def quality_findings(files: AssemblyFiles) -> list[Finding]:
    """Judge completeness and quality value; empty without an evaluation."""
    found = evaluation(files)
    return [] if found is None else [_completeness(found), _base_quality(found)]


def _completeness(found: dict[str, float]) -> Finding:
    share, figure = found["completeness"], f"{100 * found['completeness']:.2f} %"
    reason = f"{found['n_solid_found']:,.0f} of {found['n_solid']:,.0f} solid {found['k']:.0f}-mers are in the contigs."
    if share >= GOOD_COMPLETENESS:
        return Finding("Completeness", GOOD, figure, reason)
    advice = "Missing k-mers are in contigs shorter than --min-contig, or cleaning removed them: look at the graph."
    return Finding("Completeness", FAIR if share >= FAIR_COMPLETENESS else POOR, figure, reason, advice)


def _base_quality(found: dict[str, float]) -> Finding:
    n_wrong, k = found["n_weak"] + found["n_absent"], f"{found['k']:.0f}"
    if not n_wrong:
        return Finding("Base quality", GOOD, _qv(found), f"All {k}-mers of the contigs are solid.")
    rest = f"{n_wrong:,.0f} of {found['n_contig_kmers']:,.0f} {k}-mers of the contigs"
    reason = f"{rest} occur fewer than {found['solid_count']:,.0f} times in the reads: errors, or thin places."
    level = GOOD if found["qv"] >= GOOD_QV else FAIR if found["qv"] >= FAIR_QV else POOR
    advice = "" if level == GOOD else "Map the reads to the contigs to see where they differ; more reads correct most."
    return Finding("Base quality", level, _qv(found), reason, advice)


def _qv(found: dict[str, float]) -> str:
    return f"QV {'' if found['n_weak'] + found['n_absent'] else 'at least '}{found['qv']:.1f}"


def quality_rows(files: AssemblyFiles) -> list[tuple[str, Cell]]:
    """Build the table of the evaluation; empty without one."""
    found = evaluation(files)
    if found is None:
        return []
    k, least = f"{found['k']:.0f}", f"{found['solid_count']:,.0f}"
    return [
        (f"solid {k}-mers of the reads (count of at least {least})", int(found["n_solid"])),
        ("of them in the contigs (completeness)", f"{100 * found['completeness']:.2f} %"),
        (f"{k}-mer occurrences in the reads that the contigs explain", f"{100 * found['explained']:.2f} %"),
        (f"{k}-mers of the contigs", int(found["n_contig_kmers"])),
        (f"of them with a count below {least}", int(found["n_weak"] + found["n_absent"])),
        ("of them not kept (count below the minimum)", int(found["n_absent"])),
        ("quality value", _qv(found)),
        ("ends of linear unitigs", int(found["n_ends"])),
        ("of them dead (without a link)", int(found["n_dead_ends"])),
    ]


def rounds_of(files: AssemblyFiles) -> list[dict[str, Any]]:
    """Return the rounds of an assembly at several k; empty if there is one, or an older version wrote the report."""
    rounds = files.report.get("rounds")
    found = [one for one in rounds if isinstance(one, dict)] if isinstance(rounds, list) else []
    return found if len(found) > 1 and all(number(one, "k") for one in found) else []


def round_table(files: AssemblyFiles) -> dict[str, Any] | None:
    """Build the table of rounds, without empty columns; None unless there are several."""
    rounds = rounds_of(files)
    if not rounds:
        return None
    columns: list[tuple[str, Sequence[Cell]]] = [
        (head, [integer(number(one, name)) for one in rounds])
        for head, name in (
            ("k", "k"),
            ("k-mers", "n_kmers"),
            ("counted in reads", "n_counted"),
            ("for links", "n_linked"),
            ("mercy", "n_mercy"),
            ("unitigs", "n_unitigs"),
            ("N50 (bp)", "n50_bp"),
            ("total (bp)", "total_bp"),
        )
    ]
    columns.insert(3, ("share of reads", [_percent(number(one, "share_counted")) for one in rounds]))
    heads = ("tips", "bubbles", "connections", "isolated")
    columns += [
        (head, [integer(number(one, "cleaned", kind)) for one in rounds])
        for head, kind in zip(heads, _KINDS, strict=True)
    ]
    columns += [
        (head, [integer(number(one, "deferred", kind)) for one in rounds])
        for head, kind in (("bubbles deferred", "bubbles"), ("connections deferred", "erroneous_connections"))
    ]
    columns.append(("CPU time", _cpu_times(files.run, len(rounds))))
    known = [(head, cells) for head, cells in columns if any(cell is not None for cell in cells)]
    return {
        "columns": [head for head, _cells in known],
        "rows": list(zip(*(cells for _head, cells in known), strict=True)),
    }


def _cpu_times(run: RunRecord | None, n_rounds: int) -> list[Cell]:
    """Format the CPU time of each round and its share in all rounds; None where the record does not say."""
    stages = [] if run is None else [*run.earlier_stages, *run.stages]
    return [*shares_of_rounds(cpu_seconds_of_rounds(stages, n_rounds))] or [None] * n_rounds


def _percent(share: float | None) -> Cell:
    return None if share is None else f"{100 * share:.2f} %"


def round_curves(files: AssemblyFiles) -> dict[str, Any] | None:
    """Collect N50 and number of unitigs by k for charts; None unless there are several rounds."""
    rounds = rounds_of(files)
    if not rounds:
        return None
    names = {"k": "k", "n50": "n50_bp", "unitigs": "n_unitigs"}
    return {key: [integer(number(one, name)) or 0 for one in rounds] for key, name in names.items()}
