"""Statistics of an assembly in the formats of MultiQC and QUAST."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.scaffolds import ScaffoldStats
from debruijn_gpu.assembly.statistics import ContigStats
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.lines import FIRST_LINE, read_lines
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.io.tables import to_json
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate

_LAST_DEPTHS, _LAST_WITHOUT_PEAK = 4, 200  # to where spectra are drawn
_NX_STEPS = np.arange(0, 101)

_WHOLE = {"format": "{:,.0f}", "min": 0}

#: Columns of the table: (key, title, what it is, how it looks)
_COLUMNS: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    ("n_contigs", "Contigs", "Contigs that are reported", {**_WHOLE, "scale": "OrRd"}),
    ("total_kbp", "Length", "Bases of all contigs", {"suffix": " kbp", **_WHOLE, "scale": "Blues"}),
    ("n50_kbp", "N50", "Half of the bases are in contigs of this length or longer", {
        "suffix": " kbp", "min": 0, "format": "{:,.1f}", "scale": "Greens"}),
    ("n_circular", "Circles", "Contigs that are closed circles", {**_WHOLE, "scale": "Greens", "hidden": True}),
    ("gc_percent", "GC", "G and C among all bases", {
        "suffix": " %", "min": 0, "max": 100, "format": "{:,.1f}", "scale": "PuRd", "hidden": True}),
    ("depth", "K-mer depth", "How often k-mers of single-copy sequence were read", {
        "suffix": "x", "min": 0, "format": "{:,.1f}", "scale": "Purples"}),
    ("genome_kbp", "Genome", "Genome size as the k-mer spectrum tells it", {
        "suffix": " kbp", **_WHOLE, "scale": "Blues", "hidden": True}),
    ("error_percent", "Read errors", "Errors per base of the reads, as the k-mer spectrum tells them", {
        "suffix": " %", "min": 0, "format": "{:,.3f}", "scale": "Reds"}),
    ("insert_bp", "Insert", "Median insert size of the first paired input", {
        "suffix": " bp", **_WHOLE, "scale": "Oranges", "hidden": True}),
)  # fmt: skip


#: The same of scaffolds
_SCAFFOLD_COLUMNS: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    ("n_scaffolds", "Scaffolds", "Scaffolds of the contigs that are reported", {**_WHOLE, "scale": "OrRd"}),
    ("scaffold_n50_kbp", "Scaffold N50", "Half of the bases are in scaffolds of this length or longer", {
        "suffix": " kbp", "min": 0, "format": "{:,.1f}", "scale": "Greens"}),
)  # fmt: skip


def general_mqc(
    name: str,
    stats: ContigStats,
    n_circular: int,
    found: SpectrumEstimate,
    insert_bp: int | None,
    scaffolds: ScaffoldStats | None = None,
) -> bytes:
    """Build the columns of MultiQC's table of all samples, without unknown values."""
    known = found.peak is not None
    values = {
        "n_contigs": stats.n_contigs,
        "total_kbp": stats.total_bp / 1000,
        "n50_kbp": None if stats.n50_bp is None else stats.n50_bp / 1000,
        "n_circular": n_circular,
        "gc_percent": stats.gc_percent,
        "depth": found.peak,
        "genome_kbp": found.genome_bp / 1000 if known else None,
        "error_percent": 100 * found.error_rate if known else None,
        "insert_bp": insert_bp,
    }
    chosen = _COLUMNS
    if scaffolds is not None:
        n50_bp = scaffolds.n50_bp
        values |= {
            "n_scaffolds": scaffolds.n_scaffolds,
            "scaffold_n50_kbp": None if n50_bp is None else n50_bp / 1000,
        }
        chosen += _SCAFFOLD_COLUMNS
    columns = [{key: {"title": title, "description": what, **look}} for key, title, what, look in chosen]
    data = {name: {key: value for key, value in values.items() if value is not None}}
    return to_json({"id": "dbg", "plot_type": "generalstats", "pconfig": columns, "data": data})


def spectrum_mqc(name: str, spectrum: Spectrum, found: SpectrumEstimate) -> bytes:
    """The k-mer spectrum as a line, up to four times the depth."""
    last = _LAST_WITHOUT_PEAK if found.peak is None else max(20, int(_LAST_DEPTHS * found.peak))
    shown = spectrum.multiplicity <= last
    points = list(zip(spectrum.multiplicity[shown].tolist(), spectrum.frequency[shown].tolist(), strict=True))
    description = f"How many distinct {spectrum.k}-mers occur how often in the reads."
    look = {"xlab": "occurrences", "ylab": "distinct k-mers", "logswitch": True, "ymin": 0, "xmin": 0}
    return _line("spectrum", "K-mer spectrum", description, look, {name: points})


def lengths_mqc(name: str, lengths: NDArray[np.int64]) -> bytes:
    """The Nx curve; lengths in falling order."""
    sums = np.cumsum(lengths)
    total = int(sums[-1]) if len(sums) else 0
    needed = np.maximum(-(-total * _NX_STEPS // 100), 1)
    values = lengths[np.searchsorted(sums, needed)] if total else np.zeros(len(needed), np.int64)
    points = list(zip(_NX_STEPS.tolist(), values.tolist(), strict=True))
    description = "For each x the length of the contig at which the longest ones together have x % of all bases."
    look = {"xlab": "x", "ylab": "Nx (bp)", "ymin": 0, "xsuffix": " %"}
    return _line("lengths", "Contig lengths (Nx)", description, look, {name: points})


def _line(what: str, title: str, description: str, look: Mapping[str, Any], data: Mapping[str, Any]) -> bytes:
    return to_json(
        {
            "id": f"dbg_{what}",
            "parent_id": "dbg_assemblies",
            "parent_name": "dbg",
            "parent_description": "assembles genomes on de Bruijn graphs.",
            "section_name": title,
            "description": description,
            "plot_type": "linegraph",
            "pconfig": {"id": f"dbg_{what}_plot", "title": f"dbg: {title}", **look},
            "data": data,
        }
    )


_WRONG = "give the report.tsv that QUAST wrote (not transposed_report.tsv)"


@dataclass(frozen=True)
class QuastReport:
    """Figures of assemblies: for each assembly by its name the text of each row by its name, in QUAST's order."""

    columns: dict[str, dict[str, str]]


def read_quast(path: str) -> QuastReport:
    """Read a ``report.tsv``.

    Raises
    ------
    FormatError
        If it is not such a table.
    """
    source = display_name(path)
    lines = [
        line.rstrip(b"\r").decode(FIRST_LINE if not i else "utf-8", "replace")
        for i, line in enumerate(read_lines(path))
    ]
    rows = [line.split("\t") for line in lines if line.strip()]
    if not rows or rows[0][0] != "Assembly" or len(rows[0]) < 2:
        raise FormatError(f"{source}: does not begin with 'Assembly' and names, as QUAST's report.tsv does", _WRONG)
    names = rows[0][1:]
    if len(set(names)) < len(names):
        raise FormatError(f"{source}: two assemblies have one name", "run QUAST with --labels")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise FormatError(
                f"{source}: row {number} has {len(row)} columns, the first one has {len(rows[0])}", _WRONG
            )
    columns = {name: {row[0]: row[i] for row in rows[1:]} for i, name in enumerate(names, 1)}
    return QuastReport(columns)
