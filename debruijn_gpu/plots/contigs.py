"""Plots of contig lengths: how they add up, and how long those are that hold a share of the bases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from debruijn_gpu.assembly.statistics import nx_lx
from debruijn_gpu.plots.plot import BLUE, GREEN, INCHES, INK, ORANGE, PURPLE, RED, SKY, open_figure, plain, set_title
from debruijn_gpu.run.plain_text import counted

# Neighbours differ in each of the three; together they repeat after 28.
_COLOURS = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY, INK)
_DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")

_MOST_NAMED = 28
_LONGEST_NAME = 60
_LINE_INCHES = 0.19  # of the legend
_ONE_COLUMN, _HALF_WIDTH = 6, 66  # lines, letters
_MOST_POINTS = 2000
_LOG_FROM_CONTIGS = 500  # a tail of short contigs would leave no room for the long ones
_LOG_FROM_RATIO = 30  # of the greatest N50 to the least
_UNITS = ((1e9, "Gbp"), (1e6, "Mbp"), (1e3, "kbp"), (1.0, "bp"))


@dataclass(frozen=True)
class _Curve:
    """One assembly: its lengths in falling order, the sums of the first of them, and how it is drawn."""

    name: str
    lengths: NDArray[np.int64]
    sums: NDArray[np.int64]
    n50_bp: int | None
    colour: str
    dashes: Any
    marker: str

    @property
    def total_bp(self) -> int:
        return int(self.sums[-1]) if len(self.sums) else 0

    def label(self) -> str:
        name = plain(self.name, _LONGEST_NAME)
        if self.n50_bp is None:
            return f"{name}:  no contigs"
        return f"{name}:  {counted(len(self.lengths), 'contig')}, {self.total_bp:,} bp, N50 {self.n50_bp:,}"


def draw_contigs(
    stream: BinaryIO, file_format: str, assemblies: Mapping[str, ArrayLike], title: str = "", min_contig_bp: int = 0
) -> None:
    """Draw how the lengths of contigs add up from the longest on, and Nx for all x, with N50 marked.

    The same input gives the same bytes, with one version of matplotlib. Axes become logarithmic where some assemblies
    have many contigs, or far shorter ones than others.

    Parameters
    ----------
    stream : binary file
    file_format : str
        One of `drawing.plot.FORMATS`.
    assemblies : mapping of str to array_like of int, shape=(n,)
        Lengths in bases of the contigs of each assembly, by its name; may be empty, and in any order.
    title : str
    min_contig_bp : int
        Shorter contigs are left out.
    """
    curves = [_curve(i, name, lengths, min_contig_bp) for i, (name, lengths) in enumerate(assemblies.items())]
    texts = _legend_texts(curves)
    n_columns = 2 if len(texts) > _ONE_COLUMN and max(map(len, texts)) <= _HALF_WIDTH else 1
    width, height = INCHES
    with open_figure(stream, file_format, (width, height + _LINE_INCHES * (len(texts) // n_columns))) as figure:
        sums, nx = figure.subplots(1, 2)
        _draw_sums(sums, curves)
        _draw_nx(nx, curves)
        if title:
            figure.suptitle(plain(title), x=0.01, ha="left", fontsize=11)
        _add_legend(figure, curves, texts, n_columns)


def _curve(i: int, name: str, lengths_bp: ArrayLike, min_contig_bp: int) -> _Curve:
    lengths = np.asarray(lengths_bp, np.int64)
    lengths = np.sort(lengths[(lengths >= min_contig_bp) & (lengths > 0)])[::-1]
    n50_bp, _l50 = nx_lx(lengths, 50)
    look = (_COLOURS[i % len(_COLOURS)], _DASHES[i % len(_DASHES)], _MARKERS[i % len(_MARKERS)])
    return _Curve(name, lengths, np.cumsum(lengths), n50_bp, *look)


def _draw_sums(axes: Any, curves: list[_Curve]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    most = max((len(curve.lengths) for curve in curves), default=0)
    highest = max((curve.total_bp for curve in curves), default=0)
    scale, unit = _unit(highest)
    for curve in curves:
        if not len(curve.lengths):
            continue
        numbers = np.concatenate([[0], _few(len(curve.sums)) + 1])
        heights = np.concatenate([[0], curve.sums])[numbers] / scale
        marker = curve.marker if len(numbers) <= 2 else ""  # a single contig is hardly a line
        axes.plot(numbers, heights, color=curve.colour, linestyle=curve.dashes, marker=marker, markevery=[-1])
    axes.set_ylim(0, 1.05 * highest / scale or 1)
    if most >= _LOG_FROM_CONTIGS:
        axes.set_xscale("log")
        axes.set_xlim(1, most)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _position: f"{number:,.0f}"))
    else:
        axes.set_xlim(0, 1.02 * most or 1)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    set_title(axes, "Cumulative length")
    axes.set_xlabel("contigs, the longest first")
    axes.set_ylabel(f"length ({unit})")


def _draw_nx(axes: Any, curves: list[_Curve]) -> None:
    drawn = [curve for curve in curves if curve.n50_bp is not None]
    highest = max((int(curve.lengths[0]) for curve in drawn), default=0)
    n50s = [curve.n50_bp for curve in drawn if curve.n50_bp is not None]
    is_log = bool(n50s) and max(n50s) >= _LOG_FROM_RATIO * min(n50s)
    scale, unit = (1.0, "bp") if is_log else _unit(highest)
    axes.axvline(50, color=INK, linewidth=0.8, linestyle=":")
    for curve in drawn:
        places = _few(len(curve.lengths))
        shares = np.concatenate([[0], 100 * curve.sums[places] / curve.total_bp])
        heights = curve.lengths[np.concatenate([places[:1], places])] / scale
        axes.plot(shares, heights, color=curve.colour, linestyle=curve.dashes, drawstyle="steps-pre")
        axes.plot([50], [(curve.n50_bp or 0) / scale], color=curve.colour, marker=curve.marker, markersize=6)
    if is_log:
        _set_log_lengths(axes, min(nx_lx(curve.lengths, 98)[0] or 1 for curve in drawn), highest)
    else:
        axes.set_ylim(0, 1.1 * highest / scale or 1)
    axes.set_xlim(0, 100)
    axes.annotate("N50", (50, 1), (3, -2), ("data", "axes fraction"), "offset points", va="top", color=INK)
    set_title(axes, "Nx: x % of the bases are in contigs so long or longer")
    axes.set_xlabel("x (%)")
    axes.set_ylabel("length" if is_log else f"length ({unit})")


def _set_log_lengths(axes: Any, low: int, high: int) -> None:
    """A logarithmic axis of lengths; the shortest few contigs, which would take most of it, lie below."""
    from matplotlib.ticker import FuncFormatter

    axes.set_yscale("log")
    axes.set_ylim(0.8 * low, 3 * high)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda length, _position: _length_text(length)))


def _length_text(length: float) -> str:
    scale, unit = next((entry for entry in _UNITS if length >= entry[0]), _UNITS[-1])
    return f"{length / scale:g} {unit}"


def _few(n: int) -> NDArray[np.int64]:
    """Positions from 0 to n - 1 that are enough for a line: all, or more of them at the start than later."""
    if n <= _MOST_POINTS:
        return np.arange(n)
    spread = np.concatenate([np.geomspace(1, n, _MOST_POINTS), np.linspace(1, n, _MOST_POINTS)])
    return np.unique(spread.round().astype(np.int64)) - 1


def _unit(highest: float) -> tuple[float, str]:
    """In what lengths up to this are best written."""
    return next((entry for entry in _UNITS if highest >= 2 * entry[0]), _UNITS[-1])


def _legend_texts(curves: list[_Curve]) -> list[str]:
    texts = [one.label() for one in curves[:_MOST_NAMED]]
    n_more = len(curves) - len(texts)
    return [*texts, f"and {n_more:,} more"] if n_more else texts


def _add_legend(figure: Any, curves: list[_Curve], texts: list[str], n_columns: int) -> None:
    from matplotlib.lines import Line2D

    if not texts:
        return
    handles = [Line2D([], [], color=one.colour, linestyle=one.dashes, marker=one.marker) for one in curves]
    handles = [*handles[:_MOST_NAMED], Line2D([], [], linestyle="")][: len(texts)]
    look = {"handlelength": 4} if n_columns == 1 else {"handlelength": 3.5, "fontsize": 8, "ncols": n_columns}
    legend = figure.legend(handles, ["x"] * len(texts), loc="outside lower left", **look)
    for entry, text in zip(legend.get_texts(), texts, strict=True):
        entry.set_text(text)  # here, because labels that begin with _ would be left out
