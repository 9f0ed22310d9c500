"""Look-and-say, the slow and obvious way."""

from __future__ import annotations

from itertools import groupby


def say(term: str) -> str:
    """How many of each digit stand together."""
    return "".join(f"{len(list(run))}{digit}" for digit, run in groupby(term))
