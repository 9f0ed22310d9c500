"""Pieces of HTML that the pages share. Every text is escaped here, so callers give it as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from debruijn_gpu.reports.page import escape

_MOST_DIGITS = 30  # of an integer whose thousands are separated


@dataclass(frozen=True)
class Html:
    """Text that is HTML already."""

    text: str


Cell = str | int | float | Html | None


def cell_html(value: Cell) -> str:
    """A value for the eye; nothing there is a dash."""
    if isinstance(value, Html):
        return value.text
    if value is None or value == "":
        return "–"
    return f"{value:,}" if isinstance(value, int) else escape(str(value))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    caption: str,
    numeric: Sequence[int] = (),
    sortable: bool = False,
    row_heads: bool = False,
) -> str:
    """A table that scrolls by itself where it is wider than the window.

    Parameters
    ----------
    columns : sequence of str
        Headings; empty to have none.
    rows : sequence of sequences
        Of as many cells each.
    caption : str
        Read out before the table.
    numeric : sequence of int
        Columns that are set to the right.
    sortable : bool
        Whether scripts make the headings buttons that sort.
    row_heads : bool
        Whether the first cell of each row is its heading.
    """
    head = "".join(f'<th scope="col"{_right(i, numeric)}>{escape(name)}</th>' for i, name in enumerate(columns))
    body = "".join(f"<tr>{_row(row, numeric, row_heads)}</tr>\n" for row in rows)
    kind = ' class="sortable"' if sortable else ""
    top = f"<thead><tr>{head}</tr></thead>" if columns else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table{kind}>'
        f'<caption class="hidden-text">{escape(caption)}</caption>{top}<tbody>\n{body}</tbody></table></div>'
    )


def _row(row: Sequence[Cell], numeric: Sequence[int], row_heads: bool) -> str:
    cells = []
    for i, value in enumerate(row):
        tag, scope = ("th", ' scope="row"') if row_heads and i == 0 else ("td", "")
        cells.append(f"<{tag}{scope}{_right(i, numeric)}>{cell_html(value)}</{tag}>")
    return "".join(cells)


def _right(i: int, numeric: Sequence[int]) -> str:
    return ' class="number"' if i in numeric else ""


def chart(name: str, title: str, what: str) -> str:
    """A place for a chart that scripts fill, with a title and a sentence on what it shows."""
    return (
        f'<figure class="chart-box"><figcaption><h3>{escape(title)}</h3></figcaption>'
        f'<div class="chart" id="chart-{name}" data-what="{escape(f"{title}. {what}")}"></div>'
        f'<p class="what">{escape(what)}</p></figure>'
    )


def details(summary: str, body: str, is_open: bool = False) -> str:
    """A part that is folded away."""
    return f"<details{' open' if is_open else ''}><summary>{escape(summary)}</summary>\n{body}\n</details>"


def section(name: str, title: str, body: str) -> str:
    """A part of a page with a heading to which the contents lead."""
    return f'<section id="{name}"><h2>{escape(title)}</h2>\n{body}\n</section>\n'


def paragraph(text: str, kind: str = "") -> str:
    """A text, maybe of a class of the style sheet."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def missing(text: str) -> str:
    """Why there is nothing to see."""
    return f'<p class="missing">{escape(text)}</p>'


def contents(sections: Sequence[tuple[str, str]]) -> str:
    """Links to the parts of a page."""
    links = "".join(f'<li><a href="#{name}">{escape(title)}</a></li>' for name, title in sections)
    return f'<nav aria-label="Contents" class="contents"><ul>{links}</ul></nav>\n'


def integer(value: float | None) -> int | None:
    """A whole number for a table, if it is known."""
    return None if value is None else int(value)


def base_pairs(value: float | None) -> str | None:
    """A length for a table, if it is known."""
    return None if value is None else f"{value:,.0f} bp"


def with_thousands(text: str) -> str:
    """Separate the thousands of an integer; other text stays as it is."""
    return f"{int(text):,}" if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else text
