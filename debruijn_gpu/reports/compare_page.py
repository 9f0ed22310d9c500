"""Several assemblies side by side: a page of one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from debruijn_gpu.reports.compare_data import Compared, Row, compare_data, quast_rows, run_rows, stat_rows
from debruijn_gpu.reports.finding import short_bp
from debruijn_gpu.reports.html import with_thousands
from debruijn_gpu.reports.page import render_page

SCRIPTS = ("charts.js", "compare.js")
STYLES = ("report.css",)

#: Assemblies are hardly of the same genome if the shortest has less than this share of the longest.
UNLIKE = 0.8

#: Figures that decide first, and what being the best of them is called
LEADS = {
    "Genome fraction (%)": "Most of the genome",
    "# misassemblies": "Fewest misassemblies",
    "# mismatches per 100 kbp": "Fewest mismatches",
    "NGA50": "Longest aligned blocks (NGA50)",
    "N50": "Most contiguous (N50)",
    "# contigs": "Fewest contigs",
}
_MOST_OTHERS = 6


def compare_page(assemblies: Sequence[Compared]) -> bytes:
    """A self-contained page that compares assemblies.

    Parameters
    ----------
    assemblies : sequence of Compared
        In the order of the columns.

    Returns
    -------
    bytes
        HTML in UTF-8; the same for the same assemblies.
    """
    data = compare_data(assemblies)
    statistics, quast = stat_rows(assemblies), quast_rows(assemblies)
    totals = [one.stats.total_bp for one in assemblies]
    context = {
        "names": [one.name for one in assemblies],
        "leaders": _leaders(assemblies, [*statistics, *quast]),
        "shortest": short_bp(min(totals)),
        "longest": short_bp(max(totals)),
        "is_unlike": min(totals) < UNLIKE * max(totals),
        "has_quast": any(one.quast for one in assemblies),
        "without_quast": [one.name for one in assemblies if not one.quast],
        "statistics": statistics,
        "quast": quast,
        "has_spectra": any(one is not None for one in data["spectra"]),
        "has_depth": any(one is not None for one in data["depth"]),
        "runs": run_rows(assemblies),
    }
    return render_page("compare.html", context, title="Assemblies compared", data=data, scripts=SCRIPTS, styles=STYLES)


def _leaders(assemblies: Sequence[Compared], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Find the best assemblies by each figure of `LEADS`, with their value and those of some others."""
    found = {row.name: row for row in rows}
    leaders = []
    for name, question in LEADS.items():
        row = found.get(name)
        if row is None or not row.best:
            continue
        best = sorted(row.best)
        others = [i for i, value in enumerate(row.values) if i not in row.best and value != "-"]
        leaders.append(
            {
                "question": question,
                "names": [assemblies[i].name for i in best],
                "value": with_thousands(row.values[best[0]]),
                "others": [f"{assemblies[i].name} {with_thousands(row.values[i])}" for i in others[:_MOST_OTHERS]],
            }
        )
    return leaders
