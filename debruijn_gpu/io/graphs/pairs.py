"""Read paired k-mers."""

from __future__ import annotations

import re
from contextlib import closing

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.lines import FIRST_LINE, numbered_lines
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run.plain_text import shorten

_NUMBERS = re.compile(r"\d{1,9}\s+\d{1,9}", re.ASCII)
_FIX = "give one pair per line, as in ACC|ATA"


def read_pairs(path: str, gap: int) -> list[tuple[str, str]]:
    """Read the paired k-mers of a file: ``ACC|ATA`` or ``(ACC|ATA)``, one per line or with blanks between.

    Lines that are empty or begin with ``#`` do not count. The first line may be k and d, as in exercises.

    Parameters
    ----------
    path : str
        ``-`` for standard input.
    gap : int
        d, which a first line of numbers must give, too.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If there is no pair, or something else, or k-mers differ in length; names the line.
    """
    source = display_name(path)
    pairs: list[tuple[str, str]] = []
    k: int | None = None
    with closing(numbered_lines(path, b"#")) as lines:
        for number, line in lines:
            text = line.decode(FIRST_LINE if number == 1 else "utf-8", "replace").strip()
            if not text or text.startswith("#"):
                continue
            where = f"{source}: line {number:,}"
            if k is None and _NUMBERS.fullmatch(text):
                k, wanted = map(int, text.split())
                if wanted != gap:
                    raise FormatError(f"{where}: the gap is {wanted}, not {gap}", "give this number with --pairs")
                continue
            for word in text.split():
                pair = _pair(word, where)
                k = len(pair[0]) if k is None else k
                if not len(pair[0]) == len(pair[1]) == k:
                    raise FormatError(f"{where}: {shorten(word)}: expected two {k}-mers", "give k-mers of one length")
                pairs.append(pair)
    if not pairs:
        raise FormatError(f"{source}: holds no pair of k-mers", _FIX)
    return pairs


def _pair(word: str, where: str) -> tuple[str, str]:
    """Split one pair."""
    first, bar, second = (word[1:-1] if word[0] == "(" and word[-1] == ")" else word).partition("|")
    if not first or not bar or not second or "|" in second:
        raise FormatError(f"{where}: {shorten(word)}: expected two k-mers with a bar between", _FIX)
    return first, second
