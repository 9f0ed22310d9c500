"""Shared parts of all plots: file formats, style, colours, and figures without dates."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from typing import Any, BinaryIO

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run.file_formats import choose_format

#: What can be written, by the end of a file's name
FORMATS = ("svg", "png", "pdf")

# Of Okabe and Ito (2008): told apart with any colour vision, and nearly all by lightness
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW = "#CC79A7", "#56B4E9", "#F0E442"
GREY, INK = "#B0B0B0", "#404040"

#: Width and height of a plot in inches
INCHES = (10.0, 4.5)

#: Where a title leaves room for a legend between it and the plot, in points
ABOVE_LEGEND = 24.0

_PIXELS_PER_INCH = 150
_LONGEST_TITLE = 80
_STYLE = {
    "svg.hashsalt": "debruijn_gpu",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}
# Without dates and versions, the same input gives the same bytes.
_METADATA = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def plot_format(path: str) -> str:
    """Return the format of a plot by file extension, one of `FORMATS`. Called before work that may take long.

    Raises
    ------
    UsageError
        If its ending means another format.
    ParameterError
        If matplotlib is not installed.
    """
    file_format = choose_format(path, FORMATS, "svg", of="--plot")
    if not can_plot():
        raise ParameterError(
            f"{path}: plots need matplotlib, which is not installed", "pip install 'debruijn_gpu[plot]'"
        )
    return file_format


def can_plot() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


@contextmanager
def open_figure(stream: BinaryIO, file_format: str, inches: tuple[float, float] = INCHES) -> Iterator[Any]:
    """A figure of matplotlib to draw into; it is written when the block ends well.

    The user's settings of matplotlib change nothing, and the same drawing gives the same bytes, with one version of it.

    Parameters
    ----------
    stream : binary file
    file_format : str
        One of `FORMATS`.
    inches : tuple of float
        Width and height.
    """
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(["default", _STYLE]), warnings.catch_warnings():
        # A letter that the font lacks becomes a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from ", category=UserWarning)
        figure = Figure(figsize=inches, dpi=_PIXELS_PER_INCH, layout="constrained")
        yield figure
        figure.savefig(stream, format=file_format, metadata=_METADATA[file_format])


def svg_text(draw: Callable[[BinaryIO, str], None]) -> str | None:
    """Return the SVG of a drawing function for a notebook; None without matplotlib."""
    if not can_plot():
        return None
    stream = BytesIO()
    draw(stream, "svg")
    return stream.getvalue().decode()


def set_title(axes: Any, text: str, points: float = 6.0) -> None:
    """Write text above a plot at the left, at a distance in points from its top."""
    axes.set_title(plain(text), loc="left", fontsize=11, pad=points)


def plain(text: str, longest: int = _LONGEST_TITLE) -> str:
    """A text in which $ starts no formula, of one line and not longer than that."""
    shown = text if len(text) <= longest else text[: longest - 3] + "..."
    return "".join(letter if letter.isprintable() else "?" for letter in shown).replace("$", r"\$")
