"""Reports as tables and JSON. Nothing here holds a time, a path or a host name: same input, same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import __version__
from debruijn_gpu.assembly.statistics import THRESHOLDS_BP, ContigStats
from debruijn_gpu.run.options import ReadInputs, RunOptions
from debruijn_gpu.run.plain_text import one_line

SCHEMA_VERSION = 1

_SURROGATES = "backslashreplace"  # of undecodable file names: what is written is an escape of JSON, too


def report_tsv(stats: Mapping[str, ContigStats]) -> bytes:
    """``report.tsv`` as QUAST writes it, a row for each figure and a column for each assembly."""
    return b"".join("\t".join(row).encode() + b"\n" for row in report_rows(stats))


def report_rows(stats: Mapping[str, ContigStats]) -> list[list[str]]:
    """Rows of the report, the names of the assemblies first."""
    header = ["Assembly", *map(one_line, stats)]
    columns = [one.rows() for one in stats.values()]
    return [header, *([rows[0][0], *(value for _name, value in rows)] for rows in zip(*columns, strict=True))]


def stats_dict(stats: ContigStats) -> dict[str, Any]:
    """Statistics for JSON: numbers not rounded, null where there is none, thresholds as keys."""
    values = asdict(stats)
    for name in ("n_contigs_from", "total_bp_from"):
        values[name] = {str(t): n for t, n in zip(THRESHOLDS_BP, values[name], strict=True)}
    return values


def report_json(stats: ContigStats, sections: Mapping[str, Any]) -> bytes:
    """``report.json``: the schema's version, the statistics, and what else there is to tell of a run.

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


def to_json(value: Any) -> bytes:
    """Indented JSON with a newline at the end; keys stay in their order. Paths are refused."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=_plain)
    return text.encode(errors=_SURROGATES) + b"\n"


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in a report")


def write_histogram(
    stream: BinaryIO, multiplicities: NDArray[np.int64], counts: NDArray[np.int64], separator: bytes = b" "
) -> None:
    """``spectrum.hist`` as GenomeScope reads it: ``multiplicity count``, uncapped, no rows without k-mers."""
    rows = zip(multiplicities.tolist(), counts.tolist(), strict=True)
    stream.write(b"".join(b"%d%s%d\n" % (row[0], separator, row[1]) for row in rows if row[1]))


def aligned_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows for the eye: the first column left, numbers right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]) + "\n")
    return "".join(lines)
