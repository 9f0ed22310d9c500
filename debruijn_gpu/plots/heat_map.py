"""Heat maps of a measure of all pairs of sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from debruijn_gpu.plots.plot import INK, open_figure, plain, set_title

_INCHES_PER_CELL, _LEAST_INCHES, _MOST_INCHES = 0.45, 5.0, 24.0
_MOST_SHOWN_VALUES = 20  # sets up to which each cell shows its value
_LONGEST_NAME = 30


def draw_heat_map(
    stream: BinaryIO, file_format: str, names: Sequence[str], values: Sequence[Sequence[float]], title: str
) -> None:
    """Draw a square table of numbers as colours, with the numbers where they are readable.

    Parameters
    ----------
    stream : binary file
    file_format : str
        One of `plot.FORMATS`.
    names : sequence of str
        Of rows and columns.
    values : sequence of sequences of float
    title : str
    """
    n = len(names)
    side = min(_MOST_INCHES, max(_LEAST_INCHES, 2 + n * _INCHES_PER_CELL))
    shown = [plain(name, _LONGEST_NAME) for name in names]
    with open_figure(stream, file_format, (side + 1, side)) as figure:
        axes = figure.subplots()
        axes.grid(False)
        image = axes.imshow([list(row) for row in values], cmap="cividis", aspect="equal", interpolation="nearest")
        axes.set_xticks(range(n), shown, rotation=90)
        axes.set_yticks(range(n), shown)
        set_title(axes, title)
        figure.colorbar(image, ax=axes, shrink=0.8)
        if n <= _MOST_SHOWN_VALUES:
            for i, row in enumerate(values):
                for j, value in enumerate(row):
                    is_light = image.norm(value) > 0.5
                    colour = INK if is_light else "white"
                    axes.text(j, i, f"{value:.3g}", ha="center", va="center", fontsize=7, color=colour)
