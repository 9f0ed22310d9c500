"""JSON from files of anyone."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

_MOST_LEVELS = 100  # of nesting: fewer than recursion can follow in any version of Python
_NESTED = f"it is nested in more than {_MOST_LEVELS} levels"


def parse_json(content: bytes, errors: str = "strict") -> Any:
    """Parse JSON of UTF-8.

    Parameters
    ----------
    content : bytes
    errors : str
        How text is encoded again: with ``surrogateescape``, halves of letters stand for bytes of names of files that
        are not UTF-8, as `to_json` writes them.

    Raises
    ------
    ValueError
        If it is none, with one line on what is wrong. Numbers that no float holds, NaN and Infinity, letters that are
        half of one, and nesting of more than 100 levels are wrong, too: they could not be written again.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite, parse_int=_integer)
        if "\\ud" in text.lower():  # half of a letter may be spelled so
            json.dumps(value, ensure_ascii=False).encode("utf-8", errors)
    except RecursionError:
        raise ValueError(_NESTED) from None
    except UnicodeEncodeError:
        raise ValueError("it has one half of a surrogate pair") from None
    if _levels_exceed(value, _MOST_LEVELS):
        raise ValueError(_NESTED)
    return value


def _levels_exceed(value: Any, n: int) -> bool:
    """Whether containers are nested in more than n levels, looked at level by level."""
    level = [value]
    for _ in range(n + 1):
        level = [item for item in level if isinstance(item, (dict, list))]
        if not level:
            return False
        level = [member for item in level for member in (item.values() if isinstance(item, dict) else item)]
    return True


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _integer(word: str) -> int:
    _finite(word)
    return int(word)


def _finite(word: str) -> float:
    number = float(word)
    if math.isinf(number):
        raise ValueError(f"{word[:20]} is beyond the range of floats")
    return number
