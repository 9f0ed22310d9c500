"""Several assemblies side by side: a page of one file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from debruijn_gpu.reports.compare_data import Compared, Row, compare_data, quast_rows, run_rows, stat_rows
from debruijn_gpu.reports.html import Html, chart, contents, missing, paragraph, section, table, with_thousands
from debruijn_gpu.reports.page import escape, html_page
from debruijn_gpu.reports.verdict import short_bp
from debruijn_gpu.version import __version__

SCRIPTS = ("charts.js", "compare.js")
STYLES = ("report.css",)

#: Assemblies of which one is shorter than this part of another are hardly of the same genome.
UNLIKE = 0.8

_KEY = "The best of a row is marked with a star, where one end of it is better."


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
    stats, quast = stat_rows(assemblies), quast_rows(assemblies)
    parts = [
        ("summary", "Summary", _summary(assemblies, [*stats, *quast])),
        ("statistics", "Statistics", _statistics(assemblies, stats)),
        ("reference", "Against a reference", _reference(assemblies, quast)),
        ("lengths", "Contig lengths", _lengths()),
        ("depth", "Spectra and depth", _depth(data)),
        ("runs", "Reads and runs", _runs(assemblies)),
    ]
    links = [(name, title) for name, title, _body in parts]
    body = "".join(
        [
            '<header class="top"><h1>Assemblies compared</h1>',
            f'<p class="lead">{escape(_lead(assemblies))}</p></header>\n',
            contents(links),
            "<main>\n",
            *(section(name, title, text) for name, title, text in parts),
            "</main>\n",
            f'<footer class="end"><p>Page made by dbg {__version__}. It is one file and asks no network ',
            "for anything.</p></footer>\n",
        ]
    )
    return html_page("Assemblies compared", body, data=data, scripts=SCRIPTS, styles=STYLES)


def _lead(assemblies: Sequence[Compared]) -> str:
    names = [one.name for one in assemblies]
    return f"{len(names)} assemblies: {', '.join(names[:12])}{', …' if len(names) > 12 else ''}"


def _summary(assemblies: Sequence[Compared], rows: Sequence[Row]) -> str:
    """Who leads in what decides first."""
    questions = {
        "Genome fraction (%)": "Most of the genome",
        "# misassemblies": "Fewest misassemblies",
        "# mismatches per 100 kbp": "Fewest mismatches",
        "NGA50": "Longest correct pieces (NGA50)",
        "N50": "Most contiguous (N50)",
        "# contigs": "Fewest contigs",
    }
    found = {row.name: row for row in rows}
    cards = []
    for name, question in questions.items():
        row = found.get(name)
        if row is None or not row.best:
            continue
        best = sorted(row.best)
        who = ", ".join(assemblies[i].name for i in best)
        others = [f"{assemblies[i].name} {_value(row, i)}" for i in _others(row)][:6]
        cards.append(
            f'<article class="card"><header><h3>{escape(question)}</h3></header><p class="figure">{escape(who)}</p>'
            f"<p>{escape(_value(row, best[0]))}; {escape(', '.join(others))}</p></article>"
        )
    totals = [one.stats.total_bp for one in assemblies]
    text = f"Total lengths lie between {short_bp(min(totals))} and {short_bp(max(totals))}."
    if min(totals) < UNLIKE * max(totals):
        text += " These differ so much that it says little which contigs are fewer or longer."
    if not any(one.quast for one in assemblies):
        text += " Longer contigs may be joined wrongly: only a reference tells (give QUAST's report.tsv with --quast)."
    none = paragraph("In what the contigs alone tell, these assemblies are the same.") if not cards else ""
    return f'{none}<div class="cards">{"".join(cards)}</div>{paragraph(text)}'


def _others(row: Row) -> list[int]:
    """Those that are not the best, but known."""
    return [i for i, value in enumerate(row.values) if i not in row.best and value != "-"]


def _value(row: Row, i: int) -> str:
    return with_thousands(row.values[i])


def _statistics(assemblies: Sequence[Compared], rows: Sequence[Row]) -> str:
    note = f"Names and definitions are QUAST's, for contigs of all lengths. {_KEY}"
    return paragraph(note, "what") + rows_table(assemblies, rows, "Statistics in QUAST's names")


def _reference(assemblies: Sequence[Compared], rows: Sequence[Row]) -> str:
    if not rows:
        return missing("No report of QUAST was given (--quast report.tsv).")
    without = [one.name for one in assemblies if not one.quast]
    note = paragraph(f"As QUAST reports it. {_KEY}", "what")
    if without:
        note += missing(f"QUAST's report tells nothing of {', '.join(without)}.")
    return note + rows_table(assemblies, rows, "What QUAST reports")


def rows_table(assemblies: Sequence[Compared], rows: Sequence[Row], caption: str) -> str:
    """A column for each assembly; the best of each row is marked."""
    cells: list[list[Any]] = []
    for row in rows:
        marked = [
            Html(f'<span class="best">{escape(_value(row, i))}<span class="hidden-text"> (best)</span></span>')
            if i in row.best
            else _value(row, i)
            for i in range(len(assemblies))
        ]
        cells.append([row.name, *marked])
    names = ["", *(one.name for one in assemblies)]
    shown = table(names, cells, caption=caption, numeric=range(1, len(names)), row_heads=True)
    return f'<div class="compared">{shown}</div>'


def _lengths() -> str:
    cumulative = "Bases in the longest 1, 2, 3, … contigs of each assembly; in numbers, see the statistics above."
    nx = "For each x the length of the contig at which the longest ones together hold x % of all bases."
    return f'<div class="charts">{chart("cumulative", "Cumulative length", cumulative)}{chart("nx", "Nx", nx)}</div>'


def _depth(data: dict[str, Any]) -> str:
    spectra = any(one is not None for one in data["spectra"])
    depth = any(one is not None for one in data["depth"])
    text = ""
    if spectra:
        text += chart(
            "spectra", "K-mer spectra", "Distinct k-mers by how often they occur in the reads of each assembly."
        )
    if depth:
        what = "Share of the bases by the depth of their contigs: k-mer depth for assemblies by dbg, else as stated."
        text += chart("depth", "Depth of contigs", what)
    if not text:
        return missing("None of the assemblies states the depth of its contigs or comes with a spectrum.")
    return f'<div class="charts">{text}</div>'


def _runs(assemblies: Sequence[Compared]) -> str:
    rows = run_rows(assemblies)
    note = paragraph(
        "Known of directories of dbg assemble alone. Times are of the machines that the runs were on.", "what"
    )
    return note + rows_table(assemblies, rows, "Reads and runs")
