"""Names of vertices in text: printed in blocks, checked, and the errors of lines that hold them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import RowFault, RowFaultKind, RowFormat
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.graph.names import Labels, Numbers, OrientedNames, TextNames, VertexNames
from debruijn_gpu.io.graphs.formats import MARKS
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run import progress
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import counted, shorten
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend

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


_LETTERS_AT_ONCE = 1 << 22

#: Vertices in the order in which they are printed, and what stands behind each
Words = tuple[NDArray[np.uint64], NDArray[np.uint8]]


def print_words(
    stream: BinaryIO,
    names: VertexNames,
    ranges: Sequence[tuple[int, int]],
    words: Callable[[int, int], Words],
    separators: Sequence[bytes],
    backend: HostBackend,
    threads: int,
) -> None:
    """Write the words of each range, each followed by the separator that stands behind it."""

    def printed(part: tuple[int, int]) -> NDArray[np.uint8]:
        vertices, behind = words(*part)
        match names:
            case Numbers():
                return backend.text.concatenate_numbers(vertices, behind, separators)
            case Labels():
                return backend.text.concatenate_numbers(names.labels[vertices].astype(np.uint64), behind, separators)
            case TextNames():
                return backend.text.concatenate_names(names.offsets, names.letters, vertices, behind, separators)
        offsets, letters = names.text(vertices)
        return backend.text.concatenate_names(
            offsets, letters, np.arange(len(vertices), dtype=np.uint64), behind, separators
        )

    n_words = len(ranges) * tuning().words_at_once
    for text in progress.through(ordered_map(printed, ranges, threads), n_words, "names", _words):
        stream.write(text.data)


def _words(_: object) -> int:
    """About as many as there are in a range."""
    return tuning().words_at_once


def check_names(names: VertexNames, forbidden: Sequence[bytes], not_first: bytes, file_format: str) -> None:
    """Raise an error if a name, written in some format, would not read as itself: for what it holds or begins with.

    Names that are made of digits, bases and signs always do.

    Raises
    ------
    ParameterError
        That tells the first such name.
    """
    if isinstance(names, OrientedNames):
        names = names.segments
    if not isinstance(names, TextNames):
        return
    starts, ends = names.offsets[:-1], names.offsets[1:]
    _refuse(names, np.flatnonzero(starts == ends), "is empty", file_format)
    firsts, lasts = names.letters[starts], names.letters[ends - 1]
    for letter in b" \t" + not_first:
        _refuse(names, np.flatnonzero(firsts == letter), f"begins with {chr(letter)!r}", file_format)
    for letter in b" \t":
        _refuse(names, np.flatnonzero(lasts == letter), "ends with a blank", file_format)
    for start in range(0, len(names.letters), _LETTERS_AT_ONCE):
        letters = names.letters[start : start + _LETTERS_AT_ONCE + 1]  # one more, for words of two letters
        controls = (letters < 32) & (letters != ord("\t"))
        _refuse(names, _vertices_at(names, start + np.flatnonzero(controls)), "holds a control character", file_format)
        for word in forbidden:
            found = letters == word[0]
            if len(word) == 2:
                found = found[:-1] & (letters[1:] == word[1])
            vertices = _vertices_at(names, start + np.flatnonzero(found))
            if len(word) == 2:  # across two names it does not count
                vertices = vertices[vertices == _vertices_at(names, start + np.flatnonzero(found) + 1)]
            _refuse(names, vertices, f"holds {word.decode()!r}", file_format)


def _vertices_at(names: TextNames, positions: NDArray[np.integer]) -> NDArray[np.intp]:
    """Vertices whose names stand at some positions of the text."""
    return np.searchsorted(names.offsets, positions, "right") - 1


def _refuse(names: TextNames, vertices: NDArray[np.integer], why: str, file_format: str) -> None:
    """Raise an error if there are such vertices."""
    if len(vertices):
        raise ParameterError(
            f"the name '{shorten(names.name(int(vertices[0])))}' cannot be written as {file_format}: it {why}",
            "choose npz, which holds any name",
        )
