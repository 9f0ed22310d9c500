"""Plots of mass spectra: theoretical, or mirrored by a measured one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.plots.plot import ABOVE_LEGEND, BLUE, GREY, ORANGE, open_figure, set_title, svg_text

if TYPE_CHECKING:
    from debruijn_gpu.peptides.spectrum import Measured, Spectrum

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]

_MATCHED, _NOT_MEASURED, _NOT_EXPECTED = BLUE, GREY, ORANGE

_MAX_LINES = 3000  # more would overlap: only the highest of neighbours are drawn
_MAX_LABELS, _LABELLED_UP_TO = 40, 200
_LABEL_DISTANCE = 0.016  # of the width
_ROUNDING = 1e-9  # Da, for each 1000 Da, that masses in floats may be off


@dataclass(frozen=True)
class PlotOptions:
    """Options of a plot.

    Attributes
    ----------
    tolerance_da, tolerance_ppm : float
        Masses match that differ by no more than the larger of both; ppm are of the theoretical mass.
    title : str
    """

    tolerance_da: float = 0.0
    tolerance_ppm: float = 0.0
    title: str = ""


@dataclass(frozen=True)
class _Sticks:
    """Vertical lines, and the colour of each."""

    masses: Floats
    heights: Floats
    colours: tuple[tuple[str, Flags], ...]  # drawn in order


def draw_spectrum(
    stream: BinaryIO,
    file_format: str,
    theoretical: Spectrum,
    measured: Measured | None = None,
    options: PlotOptions | None = None,
) -> None:
    """Draw multiplicity over mass and, mirrored below, the intensities of a measured spectrum, matches in one colour.

    The same input gives the same bytes, with one version of matplotlib. Of more than 3000 masses, the highest of each
    1/3000 of the width is drawn.

    Parameters
    ----------
    stream : binary file
    file_format : str
        One of `FORMATS`.
    theoretical : Spectrum
        Of NumPy arrays; may be empty.
    measured : Measured, optional
        Without intensities, its multiplicity is drawn.
    options : PlotOptions, optional
    """
    chosen = options or PlotOptions()
    with open_figure(stream, file_format) as figure:
        if measured is None:
            _draw_one(figure.subplots(), theoretical, theoretical.counts.astype(np.float64), "multiplicity")
        else:
            _draw_mirror(figure, theoretical, measured, chosen)
        set_title(figure.axes[0], chosen.title, 6.0 if measured is None else ABOVE_LEGEND)


def draw_measured(stream: BinaryIO, file_format: str, measured: Measured) -> None:
    """Draw the intensities of a measured spectrum, or its multiplicity if it has none; as `draw_spectrum`."""
    with open_figure(stream, file_format) as figure:
        heights, what = _measured_heights(measured)
        _draw_one(figure.subplots(), measured.spectrum, heights, what)
        set_title(figure.axes[0], measured.title)


def spectrum_svg(spectrum: Spectrum) -> str | None:
    """A spectrum for a notebook; None without matplotlib, or if it is on a GPU."""
    if not isinstance(spectrum.masses, np.ndarray):
        return None
    return svg_text(lambda stream, file_format: draw_spectrum(stream, file_format, spectrum))


def measured_svg(measured: Measured) -> str | None:
    """A measured spectrum for a notebook; None without matplotlib."""
    return svg_text(lambda stream, file_format: draw_measured(stream, file_format, measured))


def _draw_one(axes: Any, spectrum: Spectrum, heights: Floats, what: str) -> None:
    masses = _in_da(spectrum)
    everything = np.ones(len(masses), np.bool_)
    sticks = _Sticks(masses, heights, ((_MATCHED, everything),))
    _draw_sticks(axes, sticks, _range(masses), what)
    _label_masses(axes, sticks, spectrum.decimals, _range(masses), 1.18)
    axes.set_xlabel("mass (Da)")


def _draw_mirror(figure: Any, theoretical: Spectrum, measured: Measured, options: PlotOptions) -> None:
    above, below = figure.subplots(2, 1, sharex=True, gridspec_kw={"hspace": 0})
    figure.get_layout_engine().set(hspace=0, h_pad=0, rect=(0, 0.01, 1, 0.98))
    expected, found = _in_da(theoretical), _in_da(measured.spectrum)
    is_found, is_expected = match(expected, found, options)
    counts = theoretical.counts.astype(np.float64)
    heights, what = _measured_heights(measured)
    width = _range(np.concatenate([expected, found]))
    upper = _Sticks(expected, counts, ((_NOT_MEASURED, ~is_found), (_MATCHED, is_found)))
    lower = _Sticks(found, heights, ((_NOT_EXPECTED, ~is_expected), (_MATCHED, is_expected)))
    _draw_sticks(above, upper, width, "multiplicity")
    _draw_sticks(below, lower, width, what)
    _label_masses(above, upper, theoretical.decimals, width, 1.45)
    below.invert_yaxis()
    above.tick_params(bottom=False)
    for axes in (above, below):
        axes.yaxis.get_major_locator().set_params(prune="lower")
    below.set_xlabel("mass (Da)")
    _add_legend(above, is_found, is_expected)


def _add_legend(axes: Any, is_found: Flags, is_expected: Flags) -> None:
    entries = (
        (_MATCHED, f"matched: {int(is_found.sum()):,} of {len(is_found):,}"),
        (_NOT_MEASURED, f"theoretical only: {int((~is_found).sum()):,}"),
        (_NOT_EXPECTED, f"measured only: {int((~is_expected).sum()):,}"),
    )
    handles = [axes.plot([], [], color=colour, linewidth=2, label=label)[0] for colour, label in entries]
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.5, borderpad=0, ncols=3)


def match(expected: Floats, found: Floats, options: PlotOptions) -> tuple[Flags, Flags]:
    """Of ascending masses, which of the expected ones are found within the tolerance, and which found ones expected."""
    if not len(expected) or not len(found):
        return np.zeros(len(expected), np.bool_), np.zeros(len(found), np.bool_)
    allowed = np.maximum(options.tolerance_da, expected * options.tolerance_ppm * 1e-6)
    allowed = allowed + _ROUNDING * np.maximum(1.0, expected / 1000)
    low, high = np.searchsorted(found, expected - allowed), np.searchsorted(found, expected + allowed, "right")
    changes = np.zeros(len(found) + 1, np.int64)  # of how many expected masses a found one lies within
    np.add.at(changes, low, 1)
    np.add.at(changes, high, -1)
    return high > low, np.cumsum(changes[:-1]) > 0


def _in_da(spectrum: Spectrum) -> Floats:
    return np.asarray(spectrum.masses, np.float64) / 10.0**spectrum.decimals


def _measured_heights(measured: Measured) -> tuple[Floats, str]:
    if measured.intensities is None:
        return measured.spectrum.counts.astype(np.float64), "measured masses"
    highest = measured.intensities.max(initial=0)
    return 100 * measured.intensities / (highest or 1), "relative intensity (%)"


def _range(masses: Floats) -> tuple[float, float]:
    """Where the axis of masses starts and ends."""
    if not len(masses):
        return 0.0, 1.0
    low, high = min(0.0, float(masses.min())), float(masses.max())
    margin = 0.02 * (high - low) or 1.0
    return low - margin, high + margin


def _draw_sticks(axes: Any, sticks: _Sticks, width: tuple[float, float], what: str) -> None:
    from matplotlib.ticker import MaxNLocator

    thinned = len(sticks.masses) > _MAX_LINES
    n_drawn = min(len(sticks.masses), _MAX_LINES)
    line_width = float(np.clip(400 / max(n_drawn, 1), 0.4, 1.4))
    for colour, chosen in sticks.colours:
        masses, heights = sticks.masses[chosen], sticks.heights[chosen]
        if thinned:
            masses, heights = _highest(masses, heights, width)
        axes.vlines(masses, 0, heights, colors=colour, linewidth=line_width)
    axes.set_xlim(width)
    axes.set_ylim(0, 1.06 * sticks.heights.max(initial=0) or 1)
    axes.set_ylabel(f"{what},\nhighest of neighbours" if thinned else what)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))


def _highest(masses: Floats, heights: Floats, width: tuple[float, float]) -> tuple[Floats, Floats]:
    """The middle of each of 3000 parts of the width that holds masses, and its greatest height."""
    step = (width[1] - width[0]) / _MAX_LINES
    parts = ((masses - width[0]) / step).astype(np.int64)
    highest = np.zeros(_MAX_LINES + 1)
    np.maximum.at(highest, parts, heights)
    filled = np.flatnonzero(highest)
    return width[0] + (filled.astype(np.float64) + 0.5) * step, highest[filled]


def _label_masses(axes: Any, sticks: _Sticks, decimals: int, width: tuple[float, float], room: float) -> None:
    """Write masses above the highest lines, where they do not collide; the axis becomes `room` times as high."""
    if len(sticks.masses) > _LABELLED_UP_TO:
        return
    for i in _with_room(sticks, _LABEL_DISTANCE * (width[1] - width[0])):
        text = f"{sticks.masses[i]:.{min(decimals, 2)}f}"
        where = (sticks.masses[i], sticks.heights[i])
        axes.annotate(
            text, where, (0, 2), textcoords="offset points", ha="center", va="bottom", rotation=90, fontsize=7
        )
    axes.set_ylim(0, room * sticks.heights.max(initial=0) or 1)


def _with_room(sticks: _Sticks, distance: float) -> Iterator[int]:
    """Lines, the highest first, that are so far from each other."""
    taken: list[float] = []
    for i in np.lexsort((sticks.masses, -sticks.heights)).tolist():
        mass = float(sticks.masses[i])
        if len(taken) < _MAX_LABELS and all(abs(mass - other) >= distance for other in taken):
            taken.append(mass)
            yield i
