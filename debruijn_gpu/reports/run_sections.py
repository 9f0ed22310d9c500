"""Contents of the report's sections on the run: choice of k, cleaning, graph, time, options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from debruijn_gpu.assembly_dir.reading import FILES, AssemblyFiles, number
from debruijn_gpu.reports.page import Cell, integer
from debruijn_gpu.reports.quality_sections import quality_rows, round_table
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.record import BackendRecord, RunRecord
from debruijn_gpu.run.resources import format_bytes

#: Letters of the command that are shown: a long list of files need not be complete.
LONGEST_COMMAND = 4000

_KINDS = ("tips", "bubbles", "erroneous_connections")


def run_context(files: AssemblyFiles, data: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the variables of the sections on the run.

    Parameters
    ----------
    files : AssemblyFiles
    data : mapping
        Of the charts: see `chart_data`.
    """
    run = files.run
    rows = list(_flat(_member(files.params, "assemble")))
    rows += [(f"{name}, as used", value) for name, value in _flat(_member(files.params, "used"))]
    return {
        "quality": {"rows": quality_rows(files), "was_left_out": "evaluation" in files.report},
        "cleaning": _cleaning(files),
        "graph": _graph(data["graph"]),
        "run": None if run is None else {"sums": _sums(run), "stages": _stages(run)},
        "options": rows,
        "command": "" if run is None else _command(run),
        "versions": [] if run is None else [*run.versions.items(), *_flat(run.host)],
        "files": [(name, _description(name, files)) for name in files.files],
    }


def _description(name: str, files: AssemblyFiles) -> str:
    """Return what a file is for."""
    if name == "assembly_graph.gfa" and number(files.report, "scaffolds", "n_gaps"):
        return "the whole cleaned graph (GFA 1.2), with a path for each contig and scaffold, and gaps as jumps"
    return FILES[name]


def _cleaning(files: AssemblyFiles) -> dict[str, Any]:
    report, min_count = files.report, integer(number(files.report, "min_count"))
    why = _member(report, "k").get("why")
    n_unitigs, n_links = number(report, "graph", "n_segments"), number(report, "graph", "n_links") or 0
    return {
        "is_known": bool(report),
        "why": why if isinstance(why, str) else "",
        "min_count": min_count,
        "rounds": round_table(files),
        "rows": _removed(report.get("cleaning")),
        "variants": _variants(report),
        "left": "" if n_unitigs is None else _unitigs_and_links(n_unitigs, n_links),
    }


def _variants(report: dict[str, Any]) -> str:
    """Describe the variants that were reported; empty without them."""
    names = "variant", "substitution", "insertion", "deletion", "bubble"
    found = [number(report, "variants", f"n_{name}s") for name in names]
    known = [counted(int(n), name) for n, name in zip(found, names, strict=True) if n is not None]
    if len(known) < len(names):
        return ""
    total, *kinds, bubbles = known
    return f"{total} of contigs ({', '.join(kinds)}) from {bubbles} too deep for errors: variants.tsv"


def _removed(cleaning: Any) -> list[tuple[Cell, ...]]:
    """Build the rows on the unitigs that were removed, one per round and their sums; empty without cleaning."""
    if not isinstance(cleaning, dict):
        return []
    rounds = cleaning.get("by_round")
    rows: list[tuple[Cell, ...]] = [
        (i, *(integer(number(one, kind)) for kind in _KINDS), None)
        for i, one in enumerate(rounds if isinstance(rounds, list) else [], 1)
        if isinstance(one, dict)
    ]
    return [*rows, ("all", *(integer(number(cleaning, kind)) for kind in (*_KINDS, "isolated")))]


def _graph(graph: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if graph is None:
        return None
    n_links = len(graph["links"]) + sum(graph["circular"])  # a circular unitig is linked to itself
    return {"size": _unitigs_and_links(len(graph["names"]), n_links), "n_left_out": graph.get("n_left_out", 0)}


def _unitigs_and_links(n_unitigs: float, n_links: float) -> str:
    return f"{counted(int(n_unitigs), 'unitig')} with {counted(int(n_links), 'link')}"


def _sums(run: RunRecord) -> list[str]:
    """List the totals of a run, as far as recorded."""
    sums = [] if run.wall_s is None else [f"{run.wall_s:,.1f} s in total"]
    sums += [] if run.cpu_s is None else [f"{run.cpu_s:,.1f} CPU seconds"]
    sums += [] if run.peak_memory_bytes is None else [f"peak memory {format_bytes(run.peak_memory_bytes)}"]
    sums += [] if run.threads is None else [counted(run.threads, "thread")]
    sums += [f"continued after: {', '.join(run.resumed)}"] if run.resumed else []
    return sums + [f"backend: {_backend(used)}" for used in run.backends]


def _backend(used: BackendRecord) -> str:
    return used.name + (f" on {used.device}" if used.device else "") + (f" ({used.reason})" if used.reason else "")


def _stages(run: RunRecord) -> list[tuple[Cell, ...]]:
    return [
        (
            stage.name,
            f"{stage.items:,} {stage.unit}" if stage.items else None,
            f"{stage.wall_s:.2f}",
            None if stage.cpu_s is None else f"{stage.cpu_s:.2f}",
            f"{stage.compile_s:.2f}" if stage.compile_s else None,
            None if stage.peak_memory_bytes is None else format_bytes(stage.peak_memory_bytes),
        )
        for stage in run.stages
    ]


def _command(run: RunRecord) -> str:
    """Return the command, cut to `LONGEST_COMMAND`."""
    if len(run.command) <= LONGEST_COMMAND:
        return run.command
    return f"{run.command[:LONGEST_COMMAND]}… (complete in run.json)"


def _member(params: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a member that is an object; an empty one if it is missing or of another type."""
    value = params.get(name)
    return value if isinstance(value, dict) else {}


def _flat(options: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """Flatten nested options into rows of name and value."""
    rows: list[tuple[str, str]] = []
    for name, value in options.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{before}{name}.")
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            rows.append((f"{before}{name}", "auto" if shown in ("", None) else str(shown)))
    return rows
