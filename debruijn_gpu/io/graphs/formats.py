"""Detect the format of a graph in text from its first lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import RowFormat
from debruijn_gpu.errors import FormatError, UsageError
from debruijn_gpu.io.gfa.unitig_headers import is_unitig_header
from debruijn_gpu.io.graphs.headers import INTEGER, Header, find_evidence
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run.plain_text import counted

#: First lines that formats are detected by: those of FASTQ, which needs most
N_LINES = 4
#: What comments begin with
COMMENTS = b"#%"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_SEQUENCE = re.compile(rb"[A-Za-z=.]+|\*")
_SEPARATORS = {"tab": b"\t", "comma": b",", "blank": None}

#: Marks between a vertex and its successors, by `RowFormat.separator`
MARKS = {"arrow": "->", "arrow_sign": "→", "colon": ":"}
# The first word ends with a colon, or a colon follows it, and no other word of the line ends with one: names may
# hold colons (chr1:100)
_COLON_LINE = re.compile(rb"^[ \t]*(?![#%])[^\s,]+?[ \t]*:(?=[ \t\r]|$)(?!.*:(?:[ \t\r,]|$))", re.MULTILINE)
_COLON_ENDS = (b": ", b":\t", b":\n", b":\r")
_ARROW_LINE = re.compile(rb"^[ \t]*(?![#%\s]).*(?:->|\xe2\x86\x92)", re.MULTILINE)
_ARROWS = tuple(MARKS[name].encode() for name in ("arrow", "arrow_sign"))

_KINDS = "give 'a -> b, c' or 'a: b c' lines, edges in two columns, GFA, .npy, .npz, or with -k FASTA or FASTQ"


@dataclass(frozen=True)
class TextFormat:
    """The format of a text.

    Attributes
    ----------
    rows : RowFormat or None
        None: it is GFA, or unitigs.
    first_line : int
        The line of the first record, counted from 1.
    n_skipped : int
        Bytes of the head before that, with the header.
    header : Header or None
        A line before the first record that names the columns, unless later lines show that it is an edge.
    are_unitigs : bool
        Whether it is FASTA of unitigs with links in their headers.
    """

    rows: RowFormat | None
    first_line: int
    n_skipped: int
    header: Header | None = None
    are_unitigs: bool = False


def records_of(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Lines before, position and content of the first lines that hold any."""
    at, line, n_found = 0, 0, 0
    while at < len(text) and n_found < N_LINES:
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        content = text[at:end].strip(b" \t\r")
        if content and content[0] not in COMMENTS:
            yield line, at, text[at:end].strip(b" \r")
            n_found += 1
        at, line = end + 1, line + 1


def check_text(path: str, head: bytes) -> None:
    """Raise an error if the first bytes of a file are those of a text that is not read.

    Raises
    ------
    FormatError
    """
    name = display_name(path)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(f"{name}: text in UTF-16", "save it as UTF-8")
    if head.removeprefix(BYTE_ORDER_MARK).startswith(b"%%MatrixMarket matrix"):
        raise FormatError(f"{name}: a matrix in Matrix Market format", "save it with scipy.sparse.save_npz")


def detect_format(path: str, head: bytes, n_before: int) -> TextFormat:
    """Detect the format of a text by its first lines.

    Parameters
    ----------
    path : str
        For messages.
    head : bytes
        Up to 64 KiB from the first line with content on; empty if there is none.
    n_before : int
        Lines before it.

    Raises
    ------
    FormatError, UsageError
        If that is no graph, or one that needs an option.
    """
    name = display_name(path)
    records = [(n_before + line + 1, at, content) for line, at, content in records_of(head)]
    if not records:
        return TextFormat(RowFormat("arrow"), n_before + 1, 0)
    line, at, content = records[0]
    if is_unitig_header(content):
        return TextFormat(None, line, at, are_unitigs=True)
    _refuse_reads(name, [record[2] for record in records])
    if _ARROWS[0] in content:
        return TextFormat(RowFormat("arrow"), line, at)
    if _is_gfa(content):
        return TextFormat(None, line, at)
    if _ARROWS[1] in content:
        return TextFormat(RowFormat("arrow_sign"), line, at)
    if _COLON_LINE.match(content):
        return TextFormat(RowFormat("colon"), line, at)
    separator = "tab" if b"\t" in content else "comma" if b"," in content else "blank"
    rows = [record[2].split(_SEPARATORS[separator]) for record in records]
    evidence = find_evidence(rows[0], rows[1] if len(rows) > 1 else None)
    header = Header(line, content, evidence) if evidence else None
    if header and len(rows) > 1:
        (line, at, _), rows = records[1], rows[1:]
    elif header:
        line, at = line + 1, head.find(b"\n", at) + 1 or len(head)
    n_columns = len(rows[0])
    _check_columns(f"{name}: line {line:,}", rows[0])
    return TextFormat(RowFormat(separator, n_columns), line, at, header)  # type: ignore[arg-type]


def _check_columns(where: str, row: list[bytes]) -> None:
    """Raise an error unless a row is an edge, with or without a weight, or an integer."""
    if not 1 <= len(row) <= 3 or (len(row) == 1 and not INTEGER.fullmatch(row[0].strip())):
        raise FormatError(f"{where}: {counted(len(row), 'column')}, so this is no graph that is known", _KINDS)


def find_other_format(text: NDArray[np.uint8], file_format: RowFormat) -> int | None:
    """Find the first line of a vertex and its successors whose format differs from that of the first lines.

    Lines after ``->`` or ``→`` are not looked at, as each of them needs that mark.

    Parameters
    ----------
    text : ndarray, dtype=uint8
        Whole lines.
    row_format : RowFormat
        Format of the first lines.

    Returns
    -------
    int or None
        Where the line begins.
    """
    if file_format.separator in ("arrow", "arrow_sign"):
        return None
    content = text.tobytes()
    found = []
    if any(arrow in content for arrow in _ARROWS):
        found.append(_ARROW_LINE.search(content))
    if file_format.separator != "colon" and (content.endswith(b":") or any(end in content for end in _COLON_ENDS)):
        found.append(_COLON_LINE.search(content))
    return min((match.start() for match in found if match), default=None)


def needs_header(letters: NDArray[np.uint8]) -> bool:
    """Whether an edge with these letters in its names may be taken for a line of another format.

    Parameters
    ----------
    letters : ndarray, dtype=uint8
        Names of vertices, each followed by a newline.
    """
    content = letters.tobytes()
    return any(word in content for word in (*_ARROWS, *_COLON_ENDS))


def _refuse_reads(name: str, lines: list[bytes]) -> None:
    """Raise an error if the first lines are those of FASTA or FASTQ."""
    if b"->" in lines[0]:
        return
    if lines[0].startswith(b">") or (lines[0].startswith(b"@") and len(lines) > 2 and lines[2].startswith(b"+")):
        raise UsageError(
            f"{name}: these are sequences; a graph has their k-mers as edges", "say how long these are (-k 31)"
        )


def _is_gfa(line: bytes) -> bool:
    fields = line.split(b"\t")
    if fields[0] == b"H":
        return len(fields) == 1 or b":" in fields[1]
    if fields[0] == b"S":
        return len(fields) >= 3 and _SEQUENCE.fullmatch(fields[2]) is not None
    return fields[0] == b"L" and len(fields) >= 5 and fields[2] in (b"+", b"-") and fields[4] in (b"+", b"-")
