"""Numbers and lengths as texts of a page."""

from __future__ import annotations

_MOST_DIGITS = 30  # of an integer whose thousands are separated

Cell = str | int | float | None


def cell_text(value: Cell) -> str:
    """Format a cell of a table: integers with thousands, a dash for None and empty text."""
    if value is None or value == "":
        return "–"
    return f"{value:,}" if isinstance(value, int) else str(value)


def integer(value: float | None) -> int | None:
    """Round a number down to an integer, if it is known."""
    return None if value is None else int(value)


def base_pairs(value: float | None) -> str | None:
    """Format a length in bp, if it is known."""
    return None if value is None else f"{value:,.0f} bp"


def with_thousands(text: str) -> str:
    """Separate the thousands of an integer; other text stays as it is."""
    return f"{int(text):,}" if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else text
