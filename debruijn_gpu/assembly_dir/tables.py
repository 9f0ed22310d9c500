"""Reports as tables and JSON. Nothing here holds a time, a path or a host name: same input, same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from debruijn_gpu.assembly.statistics import THRESHOLDS_BP, ContigStats
from debruijn_gpu.io.tables import SCHEMA_VERSION, to_json
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.version import __version__


def report_tsv(stats: Mapping[str, ContigStats]) -> bytes:
    """``report.tsv`` as QUAST writes it, a row for each figure and a column for each assembly."""
    return b"".join("\t".join(row).encode() + b"\n" for row in report_rows(stats))


def report_rows(stats: Mapping[str, ContigStats]) -> list[list[str]]:
    """Rows of the report, the names of the assemblies first."""
    header = ["Assembly", *map(one_line, stats)]
    columns = [one.rows() for one in stats.values()]
    return [header, *([rows[0][0], *(value for _name, value in rows)] for rows in zip(*columns, strict=True))]


def stats_dict(stats: ContigStats) -> dict[str, Any]:
    """Format statistics as JSON: unrounded numbers, null for missing ones, thresholds as keys."""
    values = asdict(stats)
    for name in ("n_contigs_from", "total_bp_from"):
        values[name] = {str(t): n for t, n in zip(THRESHOLDS_BP, values[name], strict=True)}
    return values


def report_json(stats: ContigStats, sections: Mapping[str, Any]) -> bytes:
    """Format ``report.json``: the schema's version, the statistics, and further results of a run.

    Parameters
    ----------
    stats : ContigStats
        Of the contigs.
    sections : mapping of str to anything JSON knows, dataclasses and NumPy numbers and arrays
        Further sections (spectrum, cleaning, choice of k), in this order.
    """
    return to_json({"schema_version": SCHEMA_VERSION, "contigs": stats_dict(stats), **sections})


def stats_json(stats: Mapping[str, ContigStats]) -> bytes:
    """Statistics of several assemblies."""
    assemblies = [{"name": name, **stats_dict(one)} for name, one in stats.items()]
    return to_json({"schema_version": SCHEMA_VERSION, "assemblies": assemblies})


def params_json(options: Mapping[str, Any]) -> bytes:
    """Format ``params.json``: version, options as given, and the values used where they were chosen.

    Parameters
    ----------
    options : mapping of str to dataclass or mapping
        Such as ``{"assemble": AssembleOptions(), "used": {"k": 31, "min_count": 3}}``. How and where to run
        (`RunOptions`, `ReadInputs`) is refused: it changes no result.
    """
    for value in options.values():
        if isinstance(value, (RunOptions, ReadInputs)):
            raise TypeError(f"{type(value).__name__} does not belong into params.json")
    return to_json({"schema_version": SCHEMA_VERSION, "program": "dbg", "version": __version__, **options})
