"""JSON from files of anyone."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


def parse_json(content: bytes) -> Any:
    """Parse JSON of UTF-8.

    Raises
    ------
    ValueError
        If it is none, with one line on what is wrong. Numbers that no float holds, NaN and Infinity, letters that are
        half of one, and nesting that Python cannot follow are wrong, too: they could not be written again.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite, parse_int=_integer)
        if "\\ud" in text.lower():  # half of a letter may be spelled so
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it has one half of a surrogate pair") from None
    return value


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
