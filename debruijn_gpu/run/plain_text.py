"""Text that a terminal shows as it is: names from files, file names and messages may hold anything."""

from __future__ import annotations

import sys
from contextlib import suppress

_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # surrogates that stand for bytes of file names that are not UTF-8


def one_line(text: str) -> str:
    """Escape the characters of a text that are not printable: line ends, terminal controls, bidirectional marks.

    Blanks and printable Unicode stay. Bytes of undecodable file names become ``\\xff``.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def print_message(*lines: str) -> None:
    """Print each text as one line on standard error, if that can still be written."""
    with suppress(OSError):
        print(*map(one_line, lines), sep="\n", file=sys.stderr)


def _shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    if _FIRST_BYTE <= ord(letter) <= _LAST_BYTE:
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return ascii(letter)[1:-1]
