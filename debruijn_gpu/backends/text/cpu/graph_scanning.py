"""Scan the text of a graph: the class of each byte in each format, and the ends of names and lines.

The class of a byte is looked up in a table of the format, so one kernel reads all formats.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.scalars import find_newline

# What a byte can be: part of a name; blank that does not count around names; end of a column; end of a line; blank
# at the end of a line and alien elsewhere; end of a column together with its like; first byte of the mark between a
# vertex and its successors, if the rest of it follows, else part of a name; begins a comment, if first in a line, and
# is part of a name elsewhere; no part of a text
_LETTER, _BLANK, _FIELD, NEWLINE, _RETURN, _RUN, _MARK, _COMMENT, _CONTROL = range(9)

# What comes after a name: the end of the line or of the text, another column, a mark (such as ->), something else
LINE, COLUMN, MARK, ODD = range(4)

_MINUS, _GREATER, _COLON = (np.uint8(ord(letter)) for letter in "->:")
_SIGN_2, _SIGN_3 = np.frombuffer("→".encode(), np.uint8)[1:]

#: Special bytes of each format; blanks run together in those of `_RUNS`
_SPECIAL = {
    "arrow": {b",": _FIELD, b"-": _MARK},
    "arrow_sign": {b",": _FIELD, b"\xe2": _MARK},
    "colon": {b",": _FIELD, b":": _MARK},
    "tab": {b"\t": _FIELD},
    "comma": {b",": _FIELD},
    "blank": {},
}
_RUNS = ("colon", "blank")


def _classes(separator: str) -> np.ndarray:
    """Class of every byte, uint8 (256,)."""
    table = np.full(256, _LETTER, np.uint8)
    table[:32] = _CONTROL
    blank = _RUN if separator in _RUNS else _BLANK
    special = {b"\n": NEWLINE, b"\r": _RETURN, b"\t": blank, b" ": blank, b"#": _COMMENT, b"%": _COMMENT}
    for letter, byte_class in (special | _SPECIAL[separator]).items():
        table[ord(letter)] = byte_class
    return table


CLASSES = {separator: _classes(separator) for separator in _SPECIAL}


@lean_kernel
def _mark_length(text, at, classes):
    """Bytes of the mark at `at`, a byte of class `_MARK`: ->, → or a colon before a blank or a line end; 0 if none."""
    first, left = text[at], text.size - at
    if first == _MINUS:
        return 2 if left > 1 and text[at + 1] == _GREATER else 0
    if first == _COLON:
        behind = classes[text[at + 1]] if left > 1 else NEWLINE
        return 1 if behind in (_RUN, NEWLINE, _RETURN) else 0
    return 3 if left > 2 and text[at + 1] == _SIGN_2 and text[at + 2] == _SIGN_3 else 0


@inlined_kernel
def _ends_line(text, at):
    return at + 1 == text.size or text[at + 1] == np.uint8(10)


@lean_kernel
def after_name(text, at, classes):
    """Go past what stands behind a name: the position of what is next, and what came (LINE, COLUMN, ...)."""
    in_run = False
    while at < text.size:
        what = classes[text[at]]
        if what == _BLANK or (what == _RETURN and _ends_line(text, at)):
            at += 1
        elif what == _RUN:
            at += 1
            in_run = True
        elif what == NEWLINE:
            return at + 1, LINE
        elif what == _FIELD:
            return at + 1, COLUMN
        elif what == _MARK and _mark_length(text, at, classes):
            return at + _mark_length(text, at, classes), MARK
        elif what in (_CONTROL, _RETURN):
            return at, ODD
        else:
            return at, COLUMN if in_run else ODD
    return at, LINE


@inlined_kernel
def skip_blanks(text, at, classes):
    """Position of the next byte that counts."""
    while at < text.size:
        what = classes[text[at]]
        if not (what in (_BLANK, _RUN) or (what == _RETURN and _ends_line(text, at))):
            break
        at += 1
    return at


@lean_kernel
def next_record(text, at, classes):
    """Position of the next line with content; the size of the text if there is none."""
    while at < text.size:
        at = skip_blanks(text, at, classes)
        if at >= text.size:
            break
        what = classes[text[at]]
        if what == NEWLINE:
            at += 1
        elif what == _COMMENT:
            at = find_newline(text, at) + 1
        else:
            break
    return min(at, text.size)


@lean_kernel
def name_end(text, at, classes):
    """Position after the name at `at`, which may be empty."""
    end = at
    while at < text.size:
        what = classes[text[at]]
        if what in (_LETTER, _COMMENT) or (what == _MARK and not _mark_length(text, at, classes)):
            at += 1
            end = at
        elif what == _BLANK:
            at += 1
        else:
            break
    return end
