"""The report on one assembly: a page of one file, made from the files of its directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.reading import AssemblyFiles
from debruijn_gpu.reports import report_sections
from debruijn_gpu.reports.graph_page import GRAPH_SCRIPTS, GRAPH_STYLES
from debruijn_gpu.reports.groups import Group, contig_groups
from debruijn_gpu.reports.html import contents, section
from debruijn_gpu.reports.page import escape, html_page
from debruijn_gpu.reports.report_data import chart_data
from debruijn_gpu.reports.verdict import FAIR, GOOD, NOTE, POOR, Verdict, short_bp
from debruijn_gpu.reports.verdicts import next_steps, overall, verdicts
from debruijn_gpu.version import __version__

#: How levels are called and marked: never by colour alone
LEVELS = {GOOD: ("good", "✓"), FAIR: ("fair", "!"), POOR: ("poor", "✗"), NOTE: ("note", "i")}

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
    parts = report_sections.sections(files, stats, groups, data, quast or {})
    body = "".join(
        [
            _top(files, stats),
            contents([("summary", "Summary"), *report_sections.SHORT_TITLES.items()]),
            "<main>\n",
            section("summary", "Summary", _summary(files, stats, groups, _low_depth(data))),
            *(section(name, title, text) for name, title, text in parts),
            "</main>\n",
            _end(files),
        ]
    )
    return html_page(_title(files), body, data=data, scripts=SCRIPTS, styles=STYLES)


def _title(files: AssemblyFiles) -> str:
    return f"{files.name}: assembly report" if _has_name(files) else "Assembly report"


def _has_name(files: AssemblyFiles) -> bool:
    return files.name not in ("", "contigs")


def _top(files: AssemblyFiles, stats: ContigStats) -> str:
    name = f'<span class="name">{escape(files.name)}</span>' if _has_name(files) else ""
    lead = f"{stats.n_contigs:,} {'contig' if stats.n_contigs == 1 else 'contigs'}, {short_bp(stats.total_bp)}"
    return f'<header class="top"><h1>Assembly report {name}</h1><p class="lead">{escape(lead)}</p></header>\n'


def _low_depth(data: Mapping[str, Any]) -> float | None:
    return None if data["spectrum"] is None else data["spectrum"]["low_depth"]


def _summary(files: AssemblyFiles, stats: ContigStats, groups: Sequence[Group], low_depth: float | None) -> str:
    found = verdicts(files, stats, groups, low_depth)
    level, words = overall(found, files)
    steps = "".join(f"<li>{escape(step)}</li>" for step in next_steps(found, files))
    return "\n".join(
        [
            f'<p class="overall {level}">{mark(level)} {escape(words)}</p>',
            _tiles(files, stats),
            f'<div class="cards">{"".join(map(_card, found))}</div>',
            f'<div class="next"><h3>What to do next</h3><ul>{steps}</ul></div>',
            _notes(files),
        ]
    )


def mark(level: str) -> str:
    """A level as a sign in its colour, with its name for those who cannot see either."""
    word, sign = LEVELS[level]
    return f'<span class="mark {level}" aria-hidden="true">{sign}</span><span class="hidden-text">{word}: </span>'


def _card(verdict: Verdict) -> str:
    word, _sign = LEVELS[verdict.level]
    return (
        f'<article class="card {verdict.level}"><header>{mark(verdict.level)}<h3>{escape(verdict.question)}</h3>'
        f'<span class="level" aria-hidden="true">{word}</span></header>'
        f'<p class="figure">{escape(verdict.figure)}</p><p>{escape(verdict.reason)}</p></article>'
    )


def _tiles(files: AssemblyFiles, stats: ContigStats) -> str:
    tiles = [
        ("contig" if stats.n_contigs == 1 else "contigs", f"{stats.n_contigs:,}"),
        ("total length", short_bp(stats.total_bp)),
        ("largest contig", short_bp(stats.largest_bp)),
        ("N50", "–" if stats.n50_bp is None else short_bp(stats.n50_bp)),
        ("GC", "–" if stats.gc_percent is None else f"{stats.gc_percent:.2f} %"),
        ("circular", f"{int(files.contigs.circular.sum()):,}"),
    ]
    shown = "".join(f"<div><dd>{escape(value)}</dd><dt>{name}</dt></div>" for name, value in tiles)
    return f'<dl class="tiles">{shown}</dl>'


def _notes(files: AssemblyFiles) -> str:
    notes = [f"{name} is not there, so what it tells is missing below." for name in files.missing]
    if not files.files:
        notes.append(
            "Made from contigs alone: a directory of dbg assemble -o would tell of reads, spectrum and time too."
        )
    notes += [] if files.run is None else [f"Warning in the log: {warning}" for warning in files.run.warnings]
    return "".join(f'<p class="missing">{escape(note)}</p>' for note in notes)


def _end(files: AssemblyFiles) -> str:
    by = files.params.get("version")
    made = f"Assembled by dbg {by}; " if isinstance(by, str) else ""
    text = f"{made}page made by dbg {__version__}. It is one file and asks no network for anything."
    return f'<footer class="end"><p>{escape(text[0].upper() + text[1:])}</p></footer>\n'
