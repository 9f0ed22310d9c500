"""The page about bins: the map that they were cut from, and tables of bins and contigs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from debruijn_gpu.assembly_dir.bin_files import bin_name, bin_rows, depth_names
from debruijn_gpu.binning.bins import UNBINNED, Binning
from debruijn_gpu.binning.features import Contigs
from debruijn_gpu.reports.finding import short_bp
from debruijn_gpu.reports.page import Cell, render_page
from debruijn_gpu.run.plain_text import counted, one_line

#: Contigs in the table of the page, the longest ones, and bins
MOST_ROWS = 200


def bins_page(contigs: Contigs, binning: Binning, samples: Sequence[str], title: str = "Bins") -> bytes:
    """Render a self-contained page about bins; the same input gives the same bytes.

    Parameters
    ----------
    contigs : Contigs
    binning : Binning
    samples : sequence of str
        What the depths come from, one name per column.
    title : str
    """
    header, *rows = bin_rows(contigs, binning, list(samples))
    n_binned = int((binning.bins != UNBINNED).sum())
    binned_bp = int(contigs.lengths[binning.bins != UNBINNED].sum())
    total_bp = int(contigs.offsets[-1])
    context = {
        "lead": f"{counted(binning.n_bins, 'bin')} of {counted(n_binned, 'contig')}, {short_bp(binned_bp)} of "
        f"{short_bp(total_bp)}",
        "samples": [(depth_names(list(samples))[i], one_line(name)) for i, name in enumerate(samples)],
        "map_text": f"{binning.heights.shape[0]} x {binning.heights.shape[1]} units, trained with "
        f"{counted(binning.n_windows, 'window')}",
        "bin_columns": header,
        "bin_rows": rows[:MOST_ROWS] if len(rows) <= MOST_ROWS else [*rows[: MOST_ROWS - 1], rows[-1]],
        "n_more_bins": max(0, len(rows) - MOST_ROWS),
        "contig_columns": ["contig", "bin", "length", *depth_names(list(samples)), "row", "column"],
        "contig_rows": _contig_rows(contigs, binning),
        "n_more_contigs": max(0, len(contigs) - MOST_ROWS),
    }
    found = binning.units[binning.units >= 0]
    data = {
        "rows": binning.heights.shape[0],
        "columns": binning.heights.shape[1],
        "heights": binning.heights.ravel(),
        "bins": binning.unit_bins.ravel(),
        "contigs": np.bincount(found, minlength=binning.heights.size),
    }
    scripts = ("tables.js", "bin_map.js")
    return render_page("bins.html", context, title=title, data=data, scripts=scripts, styles=("report.css",))


def _contig_rows(contigs: Contigs, binning: Binning) -> list[list[Cell]]:
    """Rows of the longest contigs."""
    n_columns = binning.heights.shape[1]
    rows = []
    for i in np.argsort(-contigs.lengths, kind="stable")[:MOST_ROWS].tolist():
        unit = int(binning.units[i])
        place: list[Cell] = [None, None] if unit < 0 else [*divmod(unit, n_columns)]
        depths: list[Cell] = [f"{depth:.2f}" for depth in contigs.depths[i].tolist()]
        name = one_line(contigs.names[i])
        rows.append([name, bin_name(int(binning.bins[i])), int(contigs.lengths[i]), *depths, *place])
    return rows
