"""What kind of graph a text holds, told by its first lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from debruijn_gpu.backends.graph_text_interface import RowForm
from debruijn_gpu.errors import FormatError, UsageError
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.io.text_start import MOST_BYTES

#: First lines that formats are detected by: those of FASTQ, which needs most
N_LINES = 4
#: What comments begin with
COMMENTS = b"#%"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_INTEGER = re.compile(rb"[0-9]+")
_NUMBER = re.compile(rb"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE)
_SEQUENCE = re.compile(rb"[A-Za-z=.]+|\*")
_HEADERS = frozenset(
    b"source target from to tail head src dst node1 node2 node_1 node_2 vertex1 vertex2 u v start end".split()
)
_SEPARATORS = {"tab": b"\t", "comma": b",", "blank": None}

_KINDS = "graphs are 'a -> b, c' lines, edge lists of two columns, GFA, .npy, .npz, or with -k FASTA or FASTQ"


@dataclass(frozen=True)
class TextForm:
    """What a text is.

    Attributes
    ----------
    rows : RowForm or None
        None: it is GFA.
    first_line : int
        The line of the first record, counted from 1.
    n_skipped : int
        Bytes of the head before that, which may hold a header.
    """

    rows: RowForm | None
    first_line: int
    n_skipped: int


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
        raise FormatError(f"{name}: a matrix in the form of Matrix Market", "save it with scipy.sparse.save_npz")


def tell_form(path: str, head: bytes, n_before: int) -> TextForm:
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
        return TextForm(RowForm("arrow"), n_before + 1, 0)
    line, at, content = records[0]
    _refuse_reads(name, [record[2] for record in records])
    if b"->" in content:
        return TextForm(RowForm("arrow"), line, at)
    if _is_gfa(content):
        return TextForm(None, line, at)
    separator = "tab" if b"\t" in content else "comma" if b"," in content else "blank"
    rows = [record[2].split(_SEPARATORS[separator]) for record in records]
    if len(rows) > 1 and _is_header(rows[0], rows[1]):
        line, at, content = records[1]
        rows = rows[1:]
    elif len(rows) == 1 and len(rows[0]) > 1 and _are_names(rows[0]):
        if len(head) < MOST_BYTES:
            return TextForm(RowForm("arrow"), line, len(head))  # there is nothing behind it
        line, at = line + 1, head.find(b"\n", at) + 1
    n_columns = len(rows[0])
    if n_columns > 3 or (n_columns == 1 and not _INTEGER.fullmatch(rows[0][0].strip())):
        columns = "1 column" if n_columns == 1 else f"{n_columns} columns"
        raise FormatError(f"{name}: line {line:,}: {columns}, so this is no graph that is known", _KINDS)
    return TextForm(RowForm(separator, n_columns), line, at)  # type: ignore[arg-type]


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


def _are_names(words: list[bytes]) -> bool:
    """Whether the first two words are what columns of tails and heads are called."""
    return all(word.strip().lower() in _HEADERS for word in words[:2])


def _is_header(first: list[bytes], second: list[bytes]) -> bool:
    """Whether words are names of columns: known ones, or the only ones that are no numbers."""
    if len(first) < 2 or len(first) != len(second):
        return False
    names = [word.strip() for word in first]
    values = [word.strip() for word in second]
    if _are_names(names):
        return True
    if len(names) == 3 and _NUMBER.fullmatch(values[2]) and not _NUMBER.fullmatch(names[2]):
        return True
    ends = zip(names[:2], values[:2], strict=True)
    return all(_INTEGER.fullmatch(value) and not _INTEGER.fullmatch(name) for name, value in ends)
