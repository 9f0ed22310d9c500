"""Key columns of records, as lists (``1,2r``) and as the keys of coreutils' sort (``2,2nr``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from debruijn_gpu.errors import UsageError
from debruijn_gpu.run.plain_text import shorten

#: A column, counted from 1; no file has one with more digits
COLUMN = "0*[1-9][0-9]{0,17}"

_FLAGS = "rnt"
_LISTED = re.compile(f"({COLUMN})([a-z]*)", re.ASCII)
#: Of coreutils: g sorts by the value of any float, as numbers always are here; b skips blanks, which are in no column
_SORT_KEY = re.compile(f"({COLUMN})([a-zA-Z]*)(?:,({COLUMN})([a-zA-Z]*))?", re.ASCII)
_SORT_FLAGS = {"r": "r", "n": "n", "g": "n", "b": "", "t": "t"}


@dataclass(frozen=True)
class Key:
    """A column to sort or compare by.

    Attributes
    ----------
    column : int
        Counted from 0.
    descending : bool
    is_text : bool or None
        Whether its values are compared as bytes instead of as numbers; None: if the first one is no number.
    listed : int or None
        The column that --key lists, for messages, if it is another: that of INPUT for a key of KEYS.
    """

    column: int
    descending: bool = False
    is_text: bool | None = None
    listed: int | None = None


def parse_keys(text: str, may_descend: bool = True, reverse: bool = False, numeric: bool = False) -> tuple[Key, ...]:
    """Parse a list of keys: ``1,2r`` is column 0 and, descending, column 1; t is for text, n for numbers.

    All are descending if all are reversed. If all are numeric, only those with a t are not.
    """
    keys = [_parse_listed(text, part, may_descend) for part in text.split(",")]
    for key in keys:
        if any(other != key for other in keys if other.column == key.column):
            raise UsageError(
                f"--key {shorten(text)}: column {key.column + 1} is listed twice, in two ways",
                f"list it once; -k {shorten(text)} is the one key of coreutils' sort",
            )
    return tuple(_as_numbers(replace(key, descending=reverse or key.descending), numeric) for key in keys)


def _parse_listed(text: str, part: str, may_descend: bool) -> Key:
    """Parse one key of a list."""
    found = _LISTED.fullmatch(part)
    flags = _FLAGS if may_descend else _FLAGS.replace("r", "")
    if not found or not set(found[2]) <= set(flags) or {"n", "t"} <= set(found[2]):
        fix = "give columns from 1, such as 1 or 2,1" + ("r (r: descending)" if may_descend else "")
        raise UsageError(f"--key {shorten(text)}: '{shorten(part)}' is not a column", fix)
    return _key(int(found[1]) - 1, found[2])


def _key(column: int, flags: str) -> Key:
    return Key(column, "r" in flags, True if "t" in flags else False if "n" in flags else None)


def _as_numbers(key: Key, numeric: bool) -> Key:
    return replace(key, is_text=False) if numeric and key.is_text is None else key


def parse_sort_keys(
    texts: Sequence[str], may_descend: bool = True, reverse: bool = False, numeric: bool = False
) -> tuple[Key, ...]:
    """Parse keys of coreutils' sort, one text each: ``2,2nr``, ``2nr`` and ``2``, which is column 2 alone.

    As there, a key without flags takes those of all keys (reverse, numeric), and a key with flags does not.
    """
    return tuple(_parse_sort_key(text, may_descend, reverse, numeric) for text in texts)


def _parse_sort_key(text: str, may_descend: bool, reverse: bool, numeric: bool) -> Key:
    what = f"-k {shorten(text)}: "
    found = _SORT_KEY.fullmatch(text)
    if found is None:
        raise UsageError(f"{what}not a key", _fix_of(text))
    first, last, flags = int(found[1]), int(found[3] or found[1]), found[2] + (found[4] or "")
    if first != last:
        each = " ".join(f"-k {column},{column}{flags}" for column in sorted({first, last}))
        fix = f"a key is one column here: {each}, or --key {first},{last}{flags}"
        raise UsageError(f"{what}a key from column {first} to column {last}", fix)
    unknown = next((flag for flag in flags if flag not in _SORT_FLAGS), None)
    if unknown is not None:
        raise UsageError(f"{what}no order '{unknown}'", "n: numbers, t: text (bytewise), r: descending")
    own = "".join(_SORT_FLAGS[flag] for flag in flags)
    if {"n", "t"} <= set(own):
        raise UsageError(f"{what}both numbers and text", "give one of n and t")
    if not may_descend and "r" in own:
        raise UsageError(f"{what}this command does not sort", "leave r out")
    return _key(first - 1, own) if flags else _as_numbers(Key(first - 1, reverse), numeric)


def _fix_of(text: str) -> str:
    """Return the remedy for what is no key of coreutils' sort, or only there."""
    if "." in text:
        return "keys are whole columns here, without positions of characters: -k 2,2n"
    if text.count(",") > 1:
        return f"give -k once per column, or --key {shorten(text)}"
    return "give a column from 1, such as -k 2,2nr (n: numbers, t: text, r: descending)"


def parse_column(text: str) -> int:
    """``2`` gives column 1, and so does the ``2,2n`` of coreutils' sort."""
    found = _SORT_KEY.fullmatch(text)
    if found is not None and found[3] in (None, found[1]) and set(found[2] + (found[4] or "")) <= set("ngb"):
        return int(found[1]) - 1
    if len(parse_keys(text.replace("t", ""), may_descend=False)) > 1:
        raise UsageError(f"--key {shorten(text)}: this command takes one column", "give one column, such as 1")
    raise UsageError(f"--key {shorten(text)}: this command takes one column of numbers", "give a column, such as 1")
