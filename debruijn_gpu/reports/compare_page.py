"""Several assemblies side by side: their data, and a page of one file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.quality_reports import QuastReport
from debruijn_gpu.assembly_dir.reading import AssemblyFiles, ContigTable, number
from debruijn_gpu.errors import UsageError
from debruijn_gpu.reports.assembly_data import MOST_POINTS, cumulative_curve, nx_curve, significant, spectrum_curves
from debruijn_gpu.reports.finding import short_bp
from debruijn_gpu.reports.page import render_page, with_thousands
from debruijn_gpu.reports.read_findings import base_depth, inserts
from debruijn_gpu.run.resources import format_bytes

MOST_POINTS_IN_ALL, LEAST_POINTS = 40_000, 60  # of all curves of one kind together, and of one of them
BINS_PER_DOUBLING = 8  # of depth
_HIGHER_IS_BETTER = {
    "N50", "N75", "N90", "NG50", "NG75", "NG90", "NA50", "NA75", "NA90", "NGA50", "NGA75", "NGA90", "auN", "auNG",
    "auNA", "auNGA", "Largest contig", "Largest alignment", "Total aligned length", "Genome fraction (%)",
    "K-mer-based compl. (%)", "# genomic features", "Complete BUSCO (%)", "Reads mapped (%)", "Properly paired (%)",
}  # fmt: skip
_LOWER_IS_BETTER = {
    "# contigs", "L50", "L75", "L90", "LG50", "LG75", "LG90", "LA50", "LA75", "LA90", "LGA50", "LGA75", "LGA90",
    "# N's per 100 kbp", "# misassemblies", "# misassembled contigs", "Misassembled contigs length",
    "# local misassemblies", "# scaffold gap ext. mis.", "# scaffold gap loc. mis.", "# structural variations",
    "# unaligned mis. contigs", "Unaligned length", "# mismatches per 100 kbp", "# indels per 100 kbp",
    "# mismatches", "# indels", "Indels length",
}  # fmt: skip
_NEAREST_TO_ONE = {"Duplication ratio"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Compared:
    """One of several assemblies.

    Attributes
    ----------
    name : str
        Different from those of the others.
    files : AssemblyFiles
    stats : ContigStats
    aliases : tuple of str
        What QUAST may call it.
    quast : mapping of str to str
        Rows of QUAST's report, where one was given.
    """

    name: str
    files: AssemblyFiles
    stats: ContigStats
    aliases: tuple[str, ...] = ()
    quast: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A figure of all assemblies: texts, and which of them are the best (none, if all are the same)."""

    name: str
    values: list[str]
    best: frozenset[int]


def match_quast(assemblies: Sequence[Compared], reports: Sequence[tuple[str, QuastReport]]) -> list[dict[str, str]]:
    """Rows that belong to each assembly, matched by name; of several reports the later adds to the earlier.

    Raises
    ------
    UsageError
        If no column of a report is called as one of the assemblies.
    """
    found: list[dict[str, str]] = [{} for _ in assemblies]
    for path, report in reports:
        names = [_matching(one, report, len(assemblies)) for one in assemblies]
        if not any(names):
            raise UsageError(
                f"--quast {path}: none of its columns ({', '.join(report.columns)}) is called as one of the assemblies "
                f"({', '.join(one.name for one in assemblies)})",
                f"run QUAST with --labels {','.join(one.name for one in assemblies)}, or rename the columns",
            )
        for rows, name in zip(found, names, strict=True):
            rows.update(report.columns[name] if name else {})
    return found


def _matching(one: Compared, report: QuastReport, n_assemblies: int) -> str | None:
    """The column of an assembly: of its name first, then of one that QUAST makes from its path."""
    by_name = {_simple(name): name for name in report.columns}
    for alias in (one.name, *one.aliases):
        name = by_name.get(_simple(alias))
        # "contigs" is what QUAST calls contigs.fasta of any directory: it does not distinguish several.
        if name is not None and not (_simple(alias) == "contigs" and n_assemblies > 1 and alias != one.name):
            return name
    return None


def _simple(name: str) -> str:
    """A name without what QUAST changes in it."""
    return re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_")


def stat_rows(assemblies: Sequence[Compared]) -> list[Row]:
    """QUAST's rows as we compute them, for contigs of all lengths."""
    columns = [one.stats.rows() for one in assemblies]
    return [
        _row(rows[0][0], [value for _name, value in rows])
        for rows in zip(*columns, strict=True)
    ]  # fmt: skip


def quast_rows(assemblies: Sequence[Compared]) -> list[Row]:
    """The rows that only QUAST knows, in its order; empty if no report was given."""
    ours = {name for name, _value in assemblies[0].stats.rows()} if assemblies else set()
    names = dict.fromkeys(name for one in assemblies for name in one.quast if name not in ours)
    return [_row(name, [one.quast.get(name, "-") for one in assemblies]) for name in names]


def _row(name: str, values: list[str]) -> Row:
    return Row(name, values, best_of(name, values))


def best_of(name: str, values: Sequence[str]) -> frozenset[int]:
    """Mark the best values of a row; none if values are equal or have no order of quality."""
    if name in _HIGHER_IS_BETTER:
        rank: Callable[[float], float] = lambda value: -value  # noqa: E731
    elif name in _LOWER_IS_BETTER:
        rank = lambda value: value  # noqa: E731
    elif name in _NEAREST_TO_ONE:
        rank = lambda value: abs(value - 1)  # noqa: E731
    else:
        return frozenset()
    ranks = [rank(value) if (value := _value(text)) is not None else math.inf for text in values]
    known = [one for one in ranks if one != math.inf]
    if len(known) < 2 or min(known) == max(known):
        return frozenset()
    return frozenset(i for i, one in enumerate(ranks) if one == min(known))


def _value(text: str) -> float | None:
    """The number at the beginning of a cell: QUAST writes ``4 + 2 part`` of genes."""
    found = _NUMBER.match(text)
    return float(found[0]) if found else None


def run_rows(assemblies: Sequence[Compared]) -> list[Row]:
    """Reads, k, and what each took, where it is known."""
    rows = [
        ("k", [_formatted(number(one.files.report, "k", "k"), ",.0f") for one in assemblies]),
        (
            "smallest k-mer count kept",
            [_formatted(number(one.files.report, "min_count"), ",.0f") for one in assemblies],
        ),
        ("reads", [_formatted(number(one.files.report, "reads", "n_reads"), ",.0f") for one in assemblies]),
        ("read depth", [_formatted(base_depth(one.files), ",.1f", "×") for one in assemblies]),
        ("k-mer depth", [_formatted(number(one.files.report, "spectrum", "peak"), ",.1f", "×") for one in assemblies]),
        ("estimated genome size", [_formatted(_genome(one.files), ",.0f", " bp") for one in assemblies]),
        ("errors per base of the reads", [_formatted(_errors(one.files), ".3f", " %") for one in assemblies]),
        ("median insert size", [_formatted(_insert(one.files), ",.0f", " bp") for one in assemblies]),
        ("circular contigs", [f"{int(one.files.contigs.circular.sum()):,}" for one in assemblies]),
        ("time", [_formatted(one.files.run and one.files.run.wall_s, ",.1f", " s") for one in assemblies]),
        ("CPU time", [_formatted(one.files.run and one.files.run.cpu_s, ",.1f", " s") for one in assemblies]),
        ("peak memory", [_memory(one.files) for one in assemblies]),
    ]
    return [Row(name, values, frozenset()) for name, values in rows if any(value != "-" for value in values)]


def _formatted(value: Any, spec: str, unit: str = "") -> str:
    return f"{value:{spec}}{unit}" if isinstance(value, (int, float)) else "-"


def _genome(files: AssemblyFiles) -> float | None:
    return number(files.report, "spectrum", "genome_bp") if number(files.report, "spectrum", "peak") else None


def _errors(files: AssemblyFiles) -> float | None:
    rate = number(files.report, "spectrum", "error_rate")
    return None if rate is None or not number(files.report, "spectrum", "peak") else 100 * rate


def _insert(files: AssemblyFiles) -> float | None:
    return next((median for one in inserts(files) if (median := number(one, "sizes", "median_bp")) is not None), None)


def _memory(files: AssemblyFiles) -> str:
    peak = None if files.run is None else files.run.peak_memory_bytes
    return "-" if peak is None else format_bytes(peak)


def compare_data(assemblies: Sequence[Compared]) -> dict[str, Any]:
    """Collect the input of `compare.js`: curves of each assembly, null for missing ones."""
    most = max(LEAST_POINTS, min(MOST_POINTS, MOST_POINTS_IN_ALL // max(1, len(assemblies))))
    return {
        "names": [one.name for one in assemblies],
        "cumulative": [cumulative_curve(one.files.contigs, most) for one in assemblies],
        "nx": [nx_curve(one.files.contigs, most) for one in assemblies],
        "n50": [one.stats.n50_bp for one in assemblies],
        "spectra": [_spectrum(one.files, most) for one in assemblies],
        "depth": [depth_curve(one.files.contigs) for one in assemblies],
    }


def _spectrum(files: AssemblyFiles, most: int) -> dict[str, Any] | None:
    curves = None if files.spectrum is None else spectrum_curves(files.spectrum, most)
    return None if curves is None else {name: curves[name] for name in ("x", "counted", "depth")}


def depth_curve(contigs: ContigTable) -> dict[str, Any] | None:
    """Compute the share of the bases by the depth of their contigs, in steps of an eighth of a doubling."""
    known = contigs.kmer_depth > 0
    if not known.any():
        return None
    places = np.round(BINS_PER_DOUBLING * np.log2(contigs.kmer_depth[known])).astype(np.int64)
    first = int(places.min()) - 1
    shares = np.bincount(places - first, contigs.lengths[known], int(places.max()) - first + 2)
    x = 2.0 ** ((first + np.arange(len(shares))) / BINS_PER_DOUBLING)
    return {"x": significant(x), "y": significant(100 * shares / max(1.0, float(shares.sum())))}


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
