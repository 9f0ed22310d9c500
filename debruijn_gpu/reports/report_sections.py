"""Collect the content of the report's sections on reads and contigs, beside the charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.assembly_dir.reading import MOST_ROWS, AssemblyFiles, ContigTable, counted_k, number
from debruijn_gpu.reports.assembly_data import short_names
from debruijn_gpu.reports.groups import Group
from debruijn_gpu.reports.page import Cell, base_pairs, integer, with_thousands
from debruijn_gpu.reports.read_findings import base_depth, inserts, is_uneven


def read_context(files: AssemblyFiles, data: Mapping[str, Any]) -> dict[str, Any]:
    """Collect the variables of the sections on reads: ``spectrum`` and ``inserts``.

    Parameters
    ----------
    files : AssemblyFiles
    data : mapping
        Of the charts: see `chart_data`.
    """
    return {"spectrum": _spectrum(files, data["spectrum"]), "inserts": _inserts(files)}


def contig_context(
    files: AssemblyFiles, stats: ContigStats, groups: Sequence[Group], quast: Mapping[str, str]
) -> dict[str, Any]:
    """Collect the variables of the sections on contigs.

    Parameters
    ----------
    files : AssemblyFiles
    stats : ContigStats
        Of the contigs that were reported.
    groups : sequence of Group
        Similar contigs.
    quast : mapping of str to str
        Rows of QUAST's report; may be empty.
    """
    ours = stats.rows()
    known = {name for name, _value in ours}
    return {
        "nx": _nx(files.contigs),
        "total_bp": stats.total_bp,
        "depth": _depth(files, groups),
        "contigs": _contigs(files),
        "statistics": [(name, with_thousands(value)) for name, value in ours],
        "quast": [(name, with_thousands(value)) for name, value in quast.items() if name not in known],
    }


def _spectrum(files: AssemblyFiles, curves: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if curves is None:
        return None
    k = counted_k(files.report)
    return {
        "kmers": f"{k}-mers" if k else "k-mers",
        "has_peak": curves["depth"] is not None,
        "is_uneven": is_uneven(files, curves["low_depth"]),
        "estimates": _estimates(files) if files.report else [],
        "parts": _parts(curves),
    }


def _estimates(files: AssemblyFiles) -> list[tuple[str, Cell]]:
    report = files.report
    peak, share = number(report, "spectrum", "peak"), number(report, "spectrum", "error_fraction")
    rate, fold = number(report, "spectrum", "error_rate"), base_depth(files)
    return [
        ("k", integer(counted_k(report))),
        ("smallest k-mer count kept", integer(number(report, "min_count"))),
        ("k-mer depth of single-copy sequence", None if peak is None else f"{peak:.1f}×"),
        ("read depth of the genome", None if fold is None else f"{fold:.1f}×"),
        ("genome size", base_pairs(number(report, "spectrum", "genome_bp")) if peak else None),
        ("k-mers with errors", None if share is None or not peak else f"{100 * share:.2f} %"),
        ("errors per base", None if rate is None or not peak else f"{100 * rate:.3f} %"),
        ("distinct k-mers", integer(number(report, "spectrum", "n_distinct"))),
        ("reads", integer(number(report, "reads", "n_reads"))),
        ("bases in reads", integer(number(report, "reads", "n_bases"))),
        ("longest read", base_pairs(number(report, "reads", "longest_bp"))),
    ]


def _parts(curves: Mapping[str, Any]) -> list[tuple[Cell, ...]]:
    """Compute the distinct k-mers of each fitted part: errors, and a peak for each copy number."""
    if not curves["peaks"]:
        return []
    x = np.asarray(curves["x"], np.float64)
    parts = [("errors", None, curves["errors"])]
    parts += [(_copies(peak["copies"]), peak["copies"] * curves["depth"], peak["y"]) for peak in curves["peaks"]]
    return [
        (name, None if at is None else f"{at:.1f}", round(float(np.trapezoid(y, x)) + y[0] / 2))
        for name, at, y in parts
    ]


def _copies(copies: float) -> str:
    if copies < 1:
        return "half the depth (alleles)"
    return "1 copy in the genome" if copies == 1 else f"{copies:.0f} copies"


def _nx(contigs: ContigTable) -> list[tuple[Cell, ...]]:
    """Compute Nx and Lx for x = 10, 20, ..., 90; empty without contigs."""
    if not len(contigs):
        return []
    lengths = contigs.lengths[contigs.order]
    sums = np.cumsum(lengths)
    rows: list[tuple[Cell, ...]] = []
    for percent in range(10, 100, 10):
        i = int(np.searchsorted(sums, -(-int(sums[-1]) * percent // 100)))
        rows.append((f"N{percent} / L{percent}", int(lengths[min(i, len(lengths) - 1)]), i + 1))
    return rows


def _depth(files: AssemblyFiles, groups: Sequence[Group]) -> dict[str, Any]:
    name = files.depth_name
    return {
        "is_known": bool(np.isfinite(files.contigs.kmer_depth).any()),
        "name": name,
        "title": name[0].upper() + name[1:],
        "groups": [
            (i, g.n_contigs, g.total_bp, f"{100 * g.share:.1f}", f"{g.kmer_depth:.1f}", f"{g.gc_percent:.1f}")
            for i, g in enumerate(groups, 1)
        ],
    }


def _inserts(files: AssemblyFiles) -> dict[str, Any]:
    measured, section = inserts(files), files.report.get("insert_sizes")
    why = section.get("why_not") if isinstance(section, dict) else None
    return {
        "rows": [_insert_row(i, one) for i, one in enumerate(measured, 1)],
        "has_sizes": any(isinstance(one.get("sizes"), dict) for one in measured),
        "why_not": why if isinstance(why, str) else "report.json holds no insert sizes",
    }


def _insert_row(i: int, one: dict[str, Any]) -> tuple[Cell, ...]:
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


def _contigs(files: AssemblyFiles) -> dict[str, Any] | None:
    """Build the table of the longest contigs, without empty columns."""
    contigs = files.contigs
    if not len(contigs):
        return None
    kept = contigs.order[:MOST_ROWS]
    names = [contigs.names[i] for i in kept.tolist()]
    columns: list[tuple[str, Sequence[Cell]]] = [
        ("contig", short_names(names)),
        ("length (bp)", contigs.lengths[kept].tolist()),
        ("GC (%)", _two_decimals(contigs.gc_percent[kept])),
        (files.depth_name, _two_decimals(contigs.kmer_depth[kept])),
        ("read depth", _two_decimals(contigs.read_depth[kept])),
        *((head, _column(files, names, column)) for head, column in _MORE_COLUMNS),
        ("circular", ["yes" if circular else "no" for circular in contigs.circular[kept].tolist()]),
    ]
    known = [(head, cells) for head, cells in columns if any(cell is not None for cell in cells)]
    return {
        "columns": [head for head, _cells in known],
        "rows": list(zip(*(cells for _head, cells in known), strict=True)),
        "n_left_out": len(contigs) - len(kept),
        "single_copy": number(files.report, "depth", "single_copy_kmer_depth"),
    }


#: Columns of ``contigs.tsv`` that headers of contigs do not state
_MORE_COLUMNS = (("copy number", "copy_number"), ("links", "links"), ("dead ends", "dead_ends"))


def _column(files: AssemblyFiles, names: Sequence[str], column: str) -> list[Cell]:
    """Return the numbers of a column of ``contigs.tsv`` by name of contig; None where it holds none."""
    texts = [files.rows.get(name, {}).get(column, "") for name in names]
    return [text if text.replace(".", "", 1).isdecimal() else None for text in texts]


def _two_decimals(values: NDArray[np.float64]) -> list[Cell]:
    """Format numbers with two decimals; None for NaN."""
    return [f"{value:.2f}" if np.isfinite(value) else None for value in values.tolist()]
