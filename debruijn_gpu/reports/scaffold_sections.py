"""Collect the content of the report on scaffolds; empty where ``report.json`` holds none."""

from __future__ import annotations

from debruijn_gpu.assembly_dir.reading import AssemblyFiles, number
from debruijn_gpu.reports.finding import short_bp
from debruijn_gpu.reports.page import Cell, base_pairs, integer


def scaffold_tiles(files: AssemblyFiles) -> list[tuple[str, str]]:
    """Name the figures of scaffolds for the top of the page."""
    n, n50 = _figure(files, "n_scaffolds"), _figure(files, "n50_bp")
    if n is None:
        return []
    return [
        ("scaffold" if n == 1 else "scaffolds", f"{n:,.0f}"),
        ("scaffold N50", "–" if n50 is None else short_bp(n50)),
        ("gaps", f"{_figure(files, 'n_gaps') or 0:,.0f}"),
    ]


def scaffold_rows(files: AssemblyFiles) -> list[tuple[str, Cell]]:
    """Build the table of the statistics of scaffolds."""
    if _figure(files, "n_scaffolds") is None:
        return []
    return [
        ("scaffolds", integer(_figure(files, "n_scaffolds"))),
        ("scaffolds of several contigs", integer(_figure(files, "n_joined"))),
        ("gaps", integer(_figure(files, "n_gaps"))),
        ("N in gaps", base_pairs(_figure(files, "gap_bp"))),
        ("pairs across gaps", integer(_figure(files, "n_pairs"))),
        ("largest scaffold", base_pairs(_figure(files, "largest_bp"))),
        ("total length", base_pairs(_figure(files, "total_bp"))),
        ("N50", base_pairs(_figure(files, "n50_bp"))),
        ("N90", base_pairs(_figure(files, "n90_bp"))),
        ("L50", integer(_figure(files, "l50"))),
        ("L90", integer(_figure(files, "l90"))),
    ]


def _figure(files: AssemblyFiles, name: str) -> float | None:
    return number(files.report, "scaffolds", name)
