"""Plot k-mer spectra: the counted spectrum, and its fitted errors and genome peaks."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate, estimate
from debruijn_gpu.kmers.spectrum_model import SpectrumModel, fit
from debruijn_gpu.plots.plot import ABOVE_LEGEND, BLUE, INK, ORANGE, RED, SKY, open_figure, set_title, svg_text

Floats = NDArray[np.float64]

_COUNTED = "#C9C9C9"
_MOST_BARS = 800  # of more, neighbours are put together
_WIDE_BARS = 120
_ROOM = 1.3  # above the highest peak of the genome, as a multiple of it
_BEFORE_PEAKS = 0.7  # of the place of the first peak; bars at the left of this are mostly errors
_SEEN = 0.02  # of the highest peak, from which height on a peak is worth room at the right
_MOST_DEPTHS, _LEAST_DEPTHS = 6.5, 2.6  # the right end, in depths of what is there once
_SHARE_WITHOUT_PEAK = 0.999  # of the distinct k-mers, shown where there is no peak


def draw_kmer_spectrum(
    stream: BinaryIO, file_format: str, spectrum: Spectrum, found: SpectrumEstimate | None = None, title: str = ""
) -> None:
    """Draw the k-mer spectrum, the cutoff, and the fitted parts with their estimates.

    The axes leave room for the peaks of the genome: k-mers with errors, which would flatten them, are cut off above.
    Without a peak, frequencies are drawn on a logarithmic axis. The same input gives the same bytes, with one version
    of matplotlib.

    Parameters
    ----------
    stream : binary file
    file_format : str
        One of `drawing.plot.FORMATS`.
    spectrum : Spectrum
        May be empty.
    found : SpectrumEstimate, optional
        What `kmers.spectrum.estimate` makes of it, if that is known already.
    title : str
    """
    found = found or estimate(spectrum)
    model = fit(spectrum, found)
    with open_figure(stream, file_format) as figure:
        axes = figure.subplots()
        set_title(axes, title or f"{spectrum.k}-mer spectrum", ABOVE_LEGEND)
        axes.set_xlabel(f"how often a {spectrum.k}-mer occurs")
        axes.set_ylabel(f"distinct {spectrum.k}-mers")
        if not spectrum.n_distinct:
            axes.annotate("no k-mers", (0.5, 0.5), xycoords="axes fraction", ha="center", color=INK)
            axes.set(xticks=[], yticks=[])
        elif model.depth is None:
            _draw_without_peaks(axes, spectrum, found)
        else:
            _draw_with_peaks(axes, spectrum, model, found)


def kmer_spectrum_svg(spectrum: Spectrum) -> str | None:
    """A spectrum for a notebook; None without matplotlib."""
    return svg_text(lambda stream, file_format: draw_kmer_spectrum(stream, file_format, spectrum))


def _draw_with_peaks(axes: Any, spectrum: Spectrum, model: SpectrumModel, found: SpectrumEstimate) -> None:
    tops, edges = _bars(spectrum, _end(spectrum, model))
    axes.stairs(tops, edges, fill=True, color=_COUNTED, label="counted")
    axes.set_xlim(edges[0], edges[-1])
    _draw_parts(axes, model, edges[-1])
    _set_numbers(axes, tops, edges, model, found)
    _finish(axes, spectrum, found)


def _draw_without_peaks(axes: Any, spectrum: Spectrum, found: SpectrumEstimate) -> None:
    """Bars on a logarithmic axis, as the first ones are far higher than the others."""
    shares = np.cumsum(spectrum.frequency) / spectrum.n_distinct
    end = max(10, int(spectrum.multiplicity[np.searchsorted(shares, _SHARE_WITHOUT_PEAK)]))
    tops, edges = _bars(spectrum, end)
    if end > _MOST_BARS:
        tops, edges = _wide_bars(spectrum, end)
        axes.set_xscale("log")
        axes.set_ylabel(f"distinct {spectrum.k}-mers in each bar")
    axes.stairs(tops, edges, fill=True, color=_COUNTED, label="counted")
    axes.set_yscale("log")
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0.7, 20 * max(10.0, float(tops.max())))
    _finish(axes, spectrum, found)


def _finish(axes: Any, spectrum: Spectrum, found: SpectrumEstimate) -> None:
    """Add the parts of every plot: the cutoff, the legend and the estimates."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.axvline(found.cutoff - 0.5, color=ORANGE, linewidth=1.8, label=f"--min-count {found.cutoff}")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.5, borderpad=0, ncols=5)
    if axes.get_xscale() == "linear":
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda number, _position: _number_text(number)))
    lines = [f"{spectrum.n_total:,} k-mers, {spectrum.n_distinct:,} distinct"]
    if found.peak is None:
        lines.append("no peak of the genome")
    else:
        lines += [f"k-mer depth {found.peak:.1f}x", f"genome about {found.genome_bp:,} bp"]
    if found.error_rate > 0:
        lines.append(f"errors in {found.error_rate:.3%} of the bases")
    place = {"xycoords": "axes fraction", "ha": "right", "va": "top"}
    axes.annotate("\n".join(lines), (0.99, 0.97), color=INK, linespacing=1.5, **place)


def _number_text(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:g}"


def _end(spectrum: Spectrum, model: SpectrumModel) -> int:
    """The last multiplicity that is shown: beyond the last peak that can be seen."""
    depth, last = model.depth or 0.0, float(spectrum.multiplicity[-1])
    highest = max(float(frequency.max(initial=0)) for _copies, frequency in model.peaks)
    seen = [copies for copies, frequency in model.peaks if frequency.max(initial=0) >= _SEEN * highest]
    depths = float(np.clip(max(seen, default=1.0) + 1.2, _LEAST_DEPTHS, _MOST_DEPTHS))
    return max(10, int(min(depths * depth, max(last, 1.5 * depth))))


def _bars(spectrum: Spectrum, end: int) -> tuple[Floats, Floats]:
    """Compute mean frequencies in even bins of multiplicity from 1 to the end, and the n + 1 limits."""
    step = -(-end // _MOST_BARS)
    n = -(-end // step)
    inside = spectrum.multiplicity <= n * step
    where = (spectrum.multiplicity[inside] - 1) // step
    tops = np.bincount(where, spectrum.frequency[inside], n) / step
    return tops, 0.5 + step * np.arange(n + 1, dtype=np.float64)


def _wide_bars(spectrum: Spectrum, end: int) -> tuple[Floats, Floats]:
    """Compute frequencies in widening bins of multiplicity, and the n + 1 limits."""
    edges = np.unique(np.geomspace(1, end + 1, _WIDE_BARS).round()) - 0.5
    return np.histogram(spectrum.multiplicity, edges, weights=spectrum.frequency)[0], edges


def _draw_parts(axes: Any, model: SpectrumModel, end: float) -> None:
    places = model.multiplicity
    together = {"color": INK, "linestyle": ":", "linewidth": 1.3}
    axes.plot(places, model.total, **together)  # below the others, so that it shows where they overlap
    axes.plot(places, model.errors, color=RED, linestyle=(0, (4, 1.5)), linewidth=1.6, label="fit: errors")
    for number, (copies, frequency) in enumerate(model.peaks):
        axes.plot(places, frequency, color=BLUE, linewidth=1.6, label="_" if number else "fit: genome")
        axes.fill_between(places, frequency, color=SKY, alpha=0.25, linewidth=0)
        _mark_peak(axes, copies, frequency, places, end)
    axes.plot([], [], label="fit: together", **together)


def _mark_peak(axes: Any, copies: float, frequency: Floats, places: NDArray[np.int64], end: float) -> None:
    """Label a peak with the copy number of its sequence in the genome, if it is within the picture."""
    top = int(np.argmax(frequency))
    if places[top] <= end and frequency[top] > 0:
        text = "½×" if copies == 0.5 else f"{copies:g}×"
        look = {"textcoords": "offset points", "ha": "center", "color": BLUE, "fontweight": "bold"}
        axes.annotate(text, (places[top], frequency[top]), (0, 3), **look)


def _set_numbers(axes: Any, tops: Floats, edges: Floats, model: SpectrumModel, found: SpectrumEstimate) -> None:
    """A linear axis as high as the peaks of the genome need it; how far bars go beyond it is written."""
    genome = np.sum([frequency for _copies, frequency in model.peaks], axis=0)
    behind = tops[edges[:-1] >= max(found.cutoff, _BEFORE_PEAKS * model.peaks[0][0] * (model.depth or 0))]
    top = _ROOM * max(float(genome.max(initial=0)), float(behind.max(initial=0)))
    axes.set_ylim(0, top)
    if tops[0] > top:
        note = f"← {round(tops[0]):,} occur once" if edges[1] == 1.5 else f"← up to {round(tops[0]):,}"
        where = next((edge for edge, bar in zip(edges[1:], tops[1:], strict=True) if bar < 0.85 * top), edges[1])
        axes.annotate(
            note,
            (max(where, found.cutoff - 0.5), top),
            (12, -3),
            textcoords="offset points",
            va="top",
            color=INK,
            fontsize=8,
        )
