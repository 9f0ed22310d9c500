"""The parts of the report on one assembly, each as HTML: charts for scripts to fill, and the same in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.reading import AssemblyFiles, ContigTable, number
from debruijn_gpu.reports.curves import short_names
from debruijn_gpu.reports.groups import Group
from debruijn_gpu.reports.html import (
    Cell,
    base_pairs,
    chart,
    details,
    integer,
    missing,
    paragraph,
    table,
    with_thousands,
)
from debruijn_gpu.reports.read_verdicts import base_depth, inserts, is_uneven
from debruijn_gpu.reports.run_sections import cleaning_section, graph_section, made_section, time_section

#: Contigs in the table
MOST_ROWS = 200


#: Short titles for the contents
SHORT_TITLES = {
    "spectrum": "Spectrum",
    "lengths": "Lengths",
    "depths": "Depth",
    "inserts": "Inserts",
    "cleaning": "Cleaning",
    "time": "Time",
    "graph": "Graph",
    "contigs": "Contigs",
    "statistics": "Statistics",
    "made": "Parameters",
}


def sections(
    files: AssemblyFiles,
    stats: ContigStats,
    groups: Sequence[Group],
    data: Mapping[str, Any],
    quast: Mapping[str, str],
) -> list[tuple[str, str, str]]:
    """Name, title and HTML of each part, in order.

    Parameters
    ----------
    files : AssemblyFiles
    stats : ContigStats
        Of the contigs that were reported.
    groups : sequence of Group
        Contigs that are alike.
    data : mapping
        Of the charts: see `chart_data`.
    quast : mapping of str to str
        What QUAST says, by its names; may be empty.
    """
    return [
        ("spectrum", "K-mer spectrum", _spectrum(files, data)),
        ("lengths", "Contig lengths", _lengths(files.contigs, stats)),
        ("depths", "Depth and composition", _depth(files, groups)),
        ("inserts", "Insert sizes", _inserts(files)),
        ("cleaning", "Choice of k and cleaning", cleaning_section(files)),
        ("time", "Time and memory", time_section(files)),
        ("graph", "Assembly graph", graph_section(data)),
        ("contigs", "Contigs", _contigs(files)),
        ("statistics", "Statistics", _statistics(stats, quast)),
        ("made", "Parameters and files", made_section(files)),
    ]


def _spectrum(files: AssemblyFiles, data: Mapping[str, Any]) -> str:
    curves = data["spectrum"]
    if curves is None:
        return missing("There is no spectrum.hist, so the k-mer spectrum cannot be shown.")
    k = number(files.report, "k", "k")
    what = f"How many distinct {f'{k}-mers' if k else 'k-mers'} occur how often in the reads. "
    if curves["depth"] is None:
        what += "It has no peak, so that errors and genome cannot be told apart."
    else:
        what += (
            "The pile at the left are k-mers with errors, the peak at the depth is sequence that the genome holds "
            "once; those at its multiples are repeats. Drag across it to look closer."
        )
        if is_uneven(files, curves["low_depth"]):
            what += " Depth is uneven, so the fitted parts are rough, and what looks like repeats may be none."
    return "\n".join(
        [chart("spectrum", "Distinct k-mers by how often they occur", what), _estimates(files), _peaks(curves)]
    )


def _estimates(files: AssemblyFiles) -> str:
    report = files.report
    peak, share = number(report, "spectrum", "peak"), number(report, "spectrum", "error_fraction")
    rate, fold = number(report, "spectrum", "error_rate"), base_depth(files)
    rows: list[tuple[str, Cell]] = [
        ("k", integer(number(report, "k", "k"))),
        ("smallest count that was kept", integer(number(report, "min_count"))),
        ("k-mer depth of sequence that is there once", None if peak is None else f"{peak:.1f}×"),
        ("read depth of the genome", None if fold is None else f"{fold:.1f}×"),
        ("genome size", base_pairs(number(report, "spectrum", "genome_bp")) if peak else None),
        ("k-mers with errors", None if share is None or not peak else f"{100 * share:.2f} %"),
        ("errors per base", None if rate is None or not peak else f"{100 * rate:.3f} %"),
        ("distinct k-mers", integer(number(report, "spectrum", "n_distinct"))),
        ("reads", integer(number(report, "reads", "n_reads"))),
        ("bases in reads", integer(number(report, "reads", "n_bases"))),
        ("longest read", base_pairs(number(report, "reads", "longest_bp"))),
    ]
    if not report:
        return missing("There is no report.json, so what was estimated is not known.")
    return table((), rows, caption="What the spectrum tells", numeric=[1], row_heads=True)


def _peaks(curves: Mapping[str, Any]) -> str:
    if not curves["peaks"]:
        return ""
    x = np.asarray(curves["x"], np.float64)
    parts = [("errors", None, curves["errors"])]
    parts += [(_copies(peak["copies"]), peak["copies"] * curves["depth"], peak["y"]) for peak in curves["peaks"]]
    rows = [
        (name, None if at is None else f"{at:.1f}", round(float(np.trapezoid(y, x)) + y[0] / 2))
        for name, at, y in parts
    ]
    text = table(("part", "occurrences", "distinct k-mers"), rows, caption="Parts of the spectrum", numeric=[1, 2])
    return details("The fitted parts in numbers", text)


def _copies(copies: float) -> str:
    if copies < 1:
        return "at half the depth (alleles)"
    return "once in the genome" if copies == 1 else f"{copies:.0f} times"


def _lengths(contigs: ContigTable, stats: ContigStats) -> str:
    if not len(contigs):
        return missing("There are no contigs.")
    lengths = contigs.lengths[contigs.order]
    sums = np.cumsum(lengths)
    rows = []
    for percent in range(10, 100, 10):
        i = int(np.searchsorted(sums, -(-int(sums[-1]) * percent // 100)))
        rows.append((f"N{percent} / L{percent}", int(lengths[min(i, len(lengths) - 1)]), i + 1))
    numbers = table(("", "length (bp)", "contigs"), rows, caption="Nx and Lx", numeric=[1, 2], row_heads=True)
    cumulative = (
        f"Bases in the longest 1, 2, 3, … contigs, up to {stats.total_bp:,} bp. The steeper, the fewer contigs hold it."
    )
    nx = "For each x the length of the contig at which the longest ones together hold x % of all bases. N50 is marked."
    return (
        f'<div class="charts">{chart("cumulative", "Cumulative length", cumulative)}{chart("nx", "Nx", nx)}</div>'
        + details("In numbers", numbers)
    )


def _depth(files: AssemblyFiles, groups: Sequence[Group]) -> str:
    if not np.isfinite(files.contigs.kmer_depth).any():
        return missing("The contigs do not state their depth.")
    gc = (
        "Each circle is a contig, its area its length. One cloud is one organism; another at the side may be "
        "contamination, a plasmid, or repeats."
    )
    length = "Repeats that came out once lie above the others; what lies far below may be contamination or errors."
    rows = [
        (i, g.n_contigs, g.total_bp, f"{100 * g.share:.1f}", f"{g.kmer_depth:.1f}", f"{g.gc_percent:.1f}")
        for i, g in enumerate(groups, 1)
    ]
    name = files.depth_name
    title = name[0].upper() + name[1:]
    heads = ("group", "contigs", "bp", "% of bases", name, "GC (%)")
    numbers = table(heads, rows, caption="Groups of contigs that are alike", numeric=range(1, 6))
    return (
        f'<div class="charts">{chart("gc", f"{title} and GC", gc)}'
        f"{chart('depth', f'{title} and length', length)}</div>"
        + details(f"Groups of contigs of similar {name} and GC", numbers)
    )


def _inserts(files: AssemblyFiles) -> str:
    measured = inserts(files)
    if not measured:
        why = files.report.get("insert_sizes")
        why = why.get("why_not") if isinstance(why, dict) else None
        known = f"Not measured: {why}." if isinstance(why, str) else "Not measured: report.json tells nothing of pairs."
        return missing(known)
    rows = [_insert_row(i, one) for i, one in enumerate(measured, 1)]
    heads = ("input", "pairs", "placed", "FR", "RF", "FF", "median", "spread", "middle half")
    what = (
        "Distance of the first bases of mates that lie on one contig each, in a sample of the first pairs: of mates "
        "that face each other, the length of the fragment."
    )
    numbers = table(heads, rows, caption="Insert sizes", numeric=range(1, 9))
    note = (
        "FR: mates face each other; RF: away from each other; FF: on the same strand. The spread is what the standard "
        "deviation is without outliers."
    )
    if len(measured) > 1:
        note += " Inputs are numbered as they were given: first all of -1 and -2, then all of --12."
    shown = any(isinstance(one.get("sizes"), dict) for one in measured)
    return (chart("inserts", "Distance of mates", what) if shown else "") + numbers + paragraph(note, "what")


def _insert_row(i: int, one: Mapping[str, Any]) -> tuple[Cell, ...]:
    one = dict(one)
    placed = number(one, "n_placed") or 0
    shares = [
        f"{100 * (number(one, name) or 0) / placed:.1f} %" if placed else None
        for name in ("n_inward", "n_outward", "n_same")
    ]
    median, spread = number(one, "sizes", "median_bp"), number(one, "sizes", "spread_bp")
    lower, upper = number(one, "sizes", "lower_bp"), number(one, "sizes", "upper_bp")
    return (
        i,
        integer(number(one, "n_pairs")),
        integer(placed),
        *shares,
        base_pairs(median),
        None if spread is None else f"{spread:.1f} bp",
        None if lower is None or upper is None else f"{lower:,.0f}–{upper:,.0f} bp",
    )


def _contigs(files: AssemblyFiles) -> str:
    contigs = files.contigs
    if not len(contigs):
        return missing("There are no contigs.")
    kept = contigs.order[:MOST_ROWS]
    columns: list[tuple[str, Sequence[Cell]]] = [
        ("contig", short_names([contigs.names[i] for i in kept.tolist()])),
        ("length (bp)", contigs.lengths[kept].tolist()),
        ("GC (%)", _two_decimals(contigs.gc_percent[kept])),
        (files.depth_name, _two_decimals(contigs.kmer_depth[kept])),
        ("read depth", _two_decimals(contigs.read_depth[kept])),
        ("circular", ["yes" if circular else "no" for circular in contigs.circular[kept].tolist()]),
    ]
    known = [(head, cells) for head, cells in columns if any(cell is not None for cell in cells)]
    note = f"The longest {len(kept):,} of {len(contigs):,}. " if len(contigs) > len(kept) else ""
    return paragraph(f"{note}Headings sort.", "what screen-only") + table(
        [head for head, _cells in known],
        list(zip(*(cells for _head, cells in known), strict=True)),
        caption="Contigs",
        numeric=range(1, len(known) - 1),
        sortable=True,
    )


def _two_decimals(values: NDArray[np.float64]) -> list[Cell]:
    """Format numbers with two decimals; None for NaN."""
    return [f"{value:.2f}" if np.isfinite(value) else None for value in values.tolist()]


def _statistics(stats: ContigStats, quast: Mapping[str, str]) -> str:
    ours = stats.rows()
    rows = [(name, with_thousands(value)) for name, value in ours]
    told = paragraph("Names and definitions are QUAST's; contigs of all lengths that were reported count.", "what")
    told += table(("", "value"), rows, caption="Statistics in QUAST's names", numeric=[1], row_heads=True)
    known = {name for name, _value in ours}
    more = [(name, with_thousands(value)) for name, value in quast.items() if name not in known]
    if more:
        told += "<h3>As QUAST reports</h3>" + table(
            ("", "value"), more, caption="What QUAST reports", numeric=[1], row_heads=True
        )
    return told
