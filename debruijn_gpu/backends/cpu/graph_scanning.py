"""Going through the text of a graph: what bytes are in each of its forms, and where names and lines end.

What a byte is in a form is looked up in a table, so one kernel reads all forms.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.cpu.jit import inlined_kernel, lean_kernel
from debruijn_gpu.backends.cpu.swar import find_newline

# What a byte can be: part of a name; blank that does not count around names; end of a column; end of a line; blank
# at the end of a line and alien elsewhere; end of a column together with its like; the - of an arrow, if > follows;
# begins a comment, if first in a line, and is part of a name elsewhere; no part of a text
_LETTER, _BLANK, _FIELD, NEWLINE, _RETURN, _RUN, _MINUS, _COMMENT, _CONTROL = range(9)

# What comes after a name: the end of the line or of the text, another column, an arrow, something else
LINE, COLUMN, ARROW, ODD = range(4)

_GREATER = np.uint8(ord(">"))


def _classes(separator: str) -> np.ndarray:
    """Class of every byte, uint8 (256,)."""
    table = np.full(256, _LETTER, np.uint8)
    table[:32] = _CONTROL
    blank = _RUN if separator == "blank" else _BLANK
    special = {"\n": NEWLINE, "\r": _RETURN, "\t": blank, " ": blank, "#": _COMMENT, "%": _COMMENT}
    special |= {"arrow": {",": _FIELD, "-": _MINUS}, "tab": {"\t": _FIELD}, "comma": {",": _FIELD}, "blank": {}}[
        separator
    ]
    for letter, byte_class in special.items():
        table[ord(letter)] = byte_class
    return table


CLASSES = {separator: _classes(separator) for separator in ("arrow", "tab", "comma", "blank")}


@inlined_kernel
def _begins_arrow(text, at):
    return at + 1 < text.size and text[at + 1] == _GREATER


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
        elif what == _MINUS and _begins_arrow(text, at):
            return at + 2, ARROW
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
        if what in (_LETTER, _COMMENT) or (what == _MINUS and not _begins_arrow(text, at)):
            at += 1
            end = at
        elif what == _BLANK:
            at += 1
        else:
            break
    return end
