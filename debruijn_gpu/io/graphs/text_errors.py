"""Errors of lines of graphs in text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import RowFault, RowFaultKind, RowFormat
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.graphs.formats import MARKS
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run.plain_text import counted, shorten

_LONGEST_WORD = 1 << 10  # bytes that are looked at

_ROW_FIXES = {
    "arrow": "write a vertex, ->, and its successors separated by commas: a -> b, c",
    "arrow_sign": "write a vertex, →, and its successors separated by commas: a → b, c",
    "colon": "write a vertex, :, and its successors separated by blanks or commas: a: b c",
}
_ONE_FORMAT = "give all lines in one format; for edges whose names look so, add the line 'source target' before them"
COLUMNS_FIX = "give one edge per line: tail, head and, on every line or on none, a weight"


def row_error(path: str, fault: RowFault, text: NDArray[np.uint8], n_lines: int, row_format: RowFormat) -> FormatError:
    """Word the error of a line.

    Parameters
    ----------
    path : str
    fault : RowFault
        Kind and position in the text.
    text : ndarray, dtype=uint8
        Whole lines.
    n_lines : int
        Lines of the file before the text.
    row_format : RowFormat
        Format of the first line.
    """
    content = text[: fault.position].tobytes()
    where = f"{display_name(path)}: line {n_lines + content.count(10) + 1:,}"
    line = text[content.rfind(b"\n") + 1 :].tobytes().split(b"\n", 1)[0].rstrip(b"\r")
    fix = COLUMNS_FIX if row_format.n_columns else _ROW_FIXES[row_format.separator]
    mark = MARKS.get(row_format.separator)
    shown = shorten(line.strip())
    match fault.kind:
        case RowFaultKind.NO_NAME:
            return FormatError(f"{where}: a name is missing", fix)
        case RowFaultKind.ALIEN_BYTE:
            byte = int(text[fault.position]) if fault.position < len(text) else 0
            return FormatError(f"{where}: byte 0x{byte:02x} in a name", "give plain text")
        case RowFaultKind.NO_MARK:
            return FormatError(f"{where}: expected {mark} after the first name, got '{shown}'", fix)
        case RowFaultKind.SECOND_MARK:
            return FormatError(f"{where}: expected one {mark}, got a second one", f"{fix}; one vertex per line")
        case RowFaultKind.OTHER_FORMAT:
            wanted = (
                f"{row_format.n_columns} columns" if row_format.n_columns else f"a vertex, {mark} and its successors"
            )
            return FormatError(f"{where}: expected {wanted} as in the first line, got '{shown}'", _ONE_FORMAT)
        case RowFaultKind.NO_WEIGHT:
            return FormatError(f"{where}: '{_word(text, fault.position)}' is not a weight", COLUMNS_FIX)
        case RowFaultKind.WEIGHT_ROUNDED:
            what = f"{where}: weights are floats, and none equals the integer {_word(text, fault.position)}"
            return FormatError(what, "write it as a float (9007199254740993.0) if it need not be exact")
        case RowFaultKind.WEIGHT_TOO_LARGE:
            what = f"{where}: weight {_word(text, fault.position)} is beyond the range of floats"
            return FormatError(what, "give weights up to 1.8e308, or inf")
    separator = {"tab": b"\t", "comma": b","}.get(row_format.separator)
    n_columns = len(line.strip(b" ").split(separator))
    return FormatError(f"{where}: {counted(n_columns, 'column')}, but {row_format.n_columns} in the first line", fix)


def _word(text: NDArray[np.uint8], start: int) -> str:
    """The word at a position."""
    words = text[start : start + _LONGEST_WORD].tobytes().split(b"\n", 1)[0].split()
    return shorten(words[0] if words else b"")
