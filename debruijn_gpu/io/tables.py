"""Tables, histograms and JSON of results: the same input gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

SCHEMA_VERSION = 2

_SURROGATES = "backslashreplace"  # of undecodable file names: what is written is an escape of JSON, too


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
    stream: BinaryIO, multiplicity: NDArray[np.int64], counts: NDArray[np.int64], separator: bytes = b" "
) -> None:
    """``spectrum.hist`` as GenomeScope reads it: ``multiplicity count``, uncapped, no rows without k-mers."""
    rows = zip(multiplicity.tolist(), counts.tolist(), strict=True)
    stream.write(b"".join(b"%d%s%d\n" % (row[0], separator, row[1]) for row in rows if row[1]))


def aligned_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows for the eye: the first column left, numbers right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]) + "\n")
    return "".join(lines)
