"""Collect the content of the report of an assembly, as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.reading import AssemblyFiles, number
from debruijn_gpu.reports.curves import contig_points, cumulative_curve, nx_curve, short_names, spectrum_curves
from debruijn_gpu.reports.graph_data import unitig_data
from debruijn_gpu.reports.groups import Group
from debruijn_gpu.reports.read_findings import inserts

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
