"""Text that a terminal shows as it is: names from files, file names and messages may hold anything."""

from __future__ import annotations

import sys
from contextlib import suppress

_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # surrogates that stand for bytes of file names that are not UTF-8


def one_line(text: str) -> str:
    """Escape the characters of a text that are not printable: line ends, terminal controls, bidirectional marks.

    Blanks and printable Unicode stay. Bytes of undecodable file names become ``\\xff``.
    """
    return text if text.isprintable() else "".join(map(_escaped, text))


def shorten(text: str | bytes, most: int = 40) -> str:
    """Cut a text from an input for a message, and escape it as `one_line` does; bytes that are not UTF-8 too.

    Parameters
    ----------
    text : str or bytes
    most : int
        Letters or bytes; after them come three dots.
    """
    cut = text[:most]
    whole = cut.decode(errors="backslashreplace") if isinstance(cut, bytes) else cut
    return one_line(whole) + "..." * (len(text) > most)


def counted(n: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun: ``1 contig``, ``2,000 contigs``; ``many`` is the plural that does not end in s."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def print_message(*lines: str) -> None:
    """Print each text as one line on standard error, if that can still be written."""
    with suppress(OSError):
        print(*map(one_line, lines), sep="\n", file=sys.stderr)


def _escaped(letter: str) -> str:
    if letter.isprintable():
        return letter
    if _FIRST_BYTE <= ord(letter) <= _LAST_BYTE:
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return ascii(letter)[1:-1]
