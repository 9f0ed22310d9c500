"""The report on one assembly: a page of one file, made from the files of its directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.reading import AssemblyFiles
from debruijn_gpu.reports.assembly_findings import assembly_findings, next_steps, overall
from debruijn_gpu.reports.finding import FAIR, GOOD, NOTE, POOR, Finding, short_bp
from debruijn_gpu.reports.graph_page import GRAPH_SCRIPTS, GRAPH_STYLES
from debruijn_gpu.reports.groups import contig_groups
from debruijn_gpu.reports.page import render_page
from debruijn_gpu.reports.report_data import chart_data
from debruijn_gpu.reports.report_sections import contig_context, read_context
from debruijn_gpu.reports.run_sections import run_context
from debruijn_gpu.run.plain_text import counted

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
        ],
    }
