"""The report on one assembly: its content, collected from the assembly directory, and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.reading import AssemblyFiles, number
from debruijn_gpu.reports.assembly_data import contig_points, cumulative_curve, nx_curve, short_names, spectrum_curves
from debruijn_gpu.reports.assembly_findings import assembly_findings, next_steps, overall
from debruijn_gpu.reports.finding import FAIR, GOOD, NOTE, POOR, Finding, short_bp
from debruijn_gpu.reports.graph_page import GRAPH_SCRIPTS, GRAPH_STYLES, unitig_data
from debruijn_gpu.reports.groups import Group, contig_groups
from debruijn_gpu.reports.page import render_page
from debruijn_gpu.reports.quality_sections import round_curves
from debruijn_gpu.reports.read_findings import inserts
from debruijn_gpu.reports.report_sections import contig_context, read_context
from debruijn_gpu.reports.run_sections import run_context
from debruijn_gpu.reports.scaffold_sections import scaffold_rows, scaffold_tiles
from debruijn_gpu.run.plain_text import counted

#: Unitigs of the graph that are shown, so that the page stays below 3 MB
MOST_UNITIGS = 5000
#: Links beyond these are no use to anybody who looks at the page, and take room: fewer unitigs are shown.
MOST_LINKS = 40_000


def chart_data(files: AssemblyFiles, stats: ContigStats, groups: list[Group]) -> dict[str, Any]:
    """Collect the input of `report.js`: a member for each chart, null for empty ones."""
    return {
        "spectrum": _spectrum(files),
        "lengths": _lengths(files, stats) if len(files.contigs) else None,
        "depth_name": files.depth_name,
        "contigs": contig_points(files.contigs),
        "groups": [asdict(group) for group in groups],
        "inserts": [one for one in inserts(files) if isinstance(one.get("sizes"), dict)],
        "rounds": round_curves(files),
        "stages": [] if files.run is None else [asdict(stage) for stage in files.run.stages],
        "graph": _graph(files),
    }


def _lengths(files: AssemblyFiles, stats: ContigStats) -> dict[str, Any]:
    has_peak = number(files.report, "spectrum", "peak")
    return {
        "cumulative": cumulative_curve(files.contigs),
        "nx": nx_curve(files.contigs),
        "n50": stats.n50_bp,
        "l50": stats.l50,
        "total": stats.total_bp,
        "genome": number(files.report, "spectrum", "genome_bp") if has_peak else None,
    }


def _spectrum(files: AssemblyFiles) -> dict[str, Any] | None:
    curves = None if files.spectrum is None else spectrum_curves(files.spectrum)
    return None if curves is None else {**curves, "cutoff": number(files.report, "min_count")}


def _graph(files: AssemblyFiles) -> dict[str, Any] | None:
    if files.graph is None or not len(files.graph.contigs):
        return None
    most = MOST_UNITIGS
    data = unitig_data(files.graph.contigs, files.graph.names, most)
    while len(data["links"]) > MOST_LINKS and most > 1:
        most //= 2
        data = unitig_data(files.graph.contigs, files.graph.names, most)
    return {**data, "names": short_names(data["names"])}


#: Signs of the levels, which are never marked by colour alone
SIGNS = {GOOD: "✓", FAIR: "!", POOR: "✗", NOTE: "i"}

SCRIPTS = ("charts.js", "chart_kinds.js", "tables.js", *GRAPH_SCRIPTS, "report.js")
STYLES = ("report.css", *GRAPH_STYLES)


def report_page(files: AssemblyFiles, quast: Mapping[str, str] | None = None) -> bytes:
    """A self-contained page about an assembly.

    Parameters
    ----------
    files : AssemblyFiles
        What is known of it; the page says what is missing.
    quast : mapping of str to str, optional
        Rows of QUAST's report on it.

    Returns
    -------
    bytes
        HTML in UTF-8, below 3 MB; the same for the same files.
    """
    stats, groups = files.contigs.stats(), contig_groups(files.contigs)
    data = chart_data(files, stats, groups)
    low_depth = None if data["spectrum"] is None else data["spectrum"]["low_depth"]
    name = "" if files.name == "contigs" else files.name
    context = {
        "name": name,
        "lead": f"{counted(stats.n_contigs, 'contig')}, {short_bp(stats.total_bp)}",
        "assembled_by": files.params.get("version"),
        **_summary(files, stats, assembly_findings(files, stats, groups, low_depth)),
        **contig_context(files, stats, groups, quast or {}),
        "scaffolds": scaffold_rows(files),
        **read_context(files, data),
        **run_context(files, data),
    }
    title = f"{name}: assembly report" if name else "Assembly report"
    return render_page("report.html", context, title=title, data=data, scripts=SCRIPTS, styles=STYLES)


def _summary(files: AssemblyFiles, stats: ContigStats, found: Sequence[Finding]) -> dict[str, Any]:
    """Collect what the top of the page shows: overall judgement, figures, judgements, next steps and notes."""
    level, words = overall(found, files)
    return {
        "signs": SIGNS,
        "level": level,
        "overall": words,
        "findings": found,
        "steps": next_steps(found, files),
        "missing": files.missing,
        "messages": [] if files.run is None else files.run.messages,
        "tiles": [
            ("contig" if stats.n_contigs == 1 else "contigs", f"{stats.n_contigs:,}"),
            ("total length", short_bp(stats.total_bp)),
            ("largest contig", short_bp(stats.largest_bp)),
            ("N50", "–" if stats.n50_bp is None else short_bp(stats.n50_bp)),
            ("GC", "–" if stats.gc_percent is None else f"{stats.gc_percent:.2f} %"),
            ("circular", f"{int(files.contigs.circular.sum()):,}"),
            *scaffold_tiles(files),
        ],
    }
