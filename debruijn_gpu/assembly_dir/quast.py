"""QUAST's ``report.tsv``: a row for each figure, a column for each assembly."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.lines import FIRST_LINE, read_lines
from debruijn_gpu.io.opening import display_name

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
