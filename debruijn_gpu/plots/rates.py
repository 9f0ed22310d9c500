"""Plots of the time that operations take, over the size of their input: CPU against GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from debruijn_gpu.plots.plot import BLUE, GREY, INK, ORANGE, open_figure, plain, set_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from debruijn_gpu.bench.measuring import Bench, Cut
    from debruijn_gpu.bench.series import Timing

_COLUMNS = 3
_PANEL_INCHES = (3.5, 2.9)
_HEAD_INCHES = 0.9
_MARGIN = 1.6  # factor of the range of sizes that is left at both sides
_HEADROOM = 8  # for the notes
_TITLES = {
    "lookandsay": "look-and-say",
    "euler": "Euler circuit",
    "cyclospec": "cyclospectrum",
    "som": "best matching units",
}


def draw_rates(stream: BinaryIO, file_format: str, bench: Bench) -> None:
    """A panel for each operation, with seconds over size on logarithmic scales, and where the GPU begins to pay.

    Parameters
    ----------
    stream : binary file
    file_format : str
        One of `plot.FORMATS`.
    bench : Bench
    """
    names = list(bench.cuts)
    n_columns = min(_COLUMNS, len(names))
    n_rows = -(-len(names) // n_columns)
    inches = (max(6.0, n_columns * _PANEL_INCHES[0]), n_rows * _PANEL_INCHES[1] + _HEAD_INCHES)
    with open_figure(stream, file_format, inches) as figure:
        panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for panel in panels[len(names) :]:
            panel.remove()
        lines: dict[str, Any] = {}
        for name, panel in zip(names, panels, strict=False):
            timings = [timing for timing in bench.timings if timing.operation == name]
            set_title(panel, _TITLES.get(name, name))
            lines |= _draw_panel(panel, timings, bench.cuts[name])
        figure.supylabel("seconds", fontsize=9)
        what = ", ".join(bench.machine[part] for part in ("CPU", "GPU") if part in bench.machine)
        figure.suptitle(plain(what), x=0.01, ha="left", fontsize=9, color=INK)
        figure.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=len(lines))


def _draw_panel(axes: Any, timings: Sequence[Timing], cut: Cut) -> dict[str, Any]:
    """Curves of one operation; the lines by what the legend calls them."""
    if not timings:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color=INK)
        axes.set(xticks=[], yticks=[])
        return {}
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(True, which="major", axis="both")
    sizes = [timing.size for timing in timings]
    axes.set_xlim(min(sizes) / _MARGIN, max(sizes) * _MARGIN)
    axes.set_xlabel(timings[0].unit)
    lines = {}
    for label, backend, field, style in (
        ("CPU", "cpu", "work_s", {"color": BLUE, "marker": "o"}),
        ("GPU, from host to host", "cuda", "host_to_host_s", {"color": ORANGE, "marker": "s"}),
        ("GPU, data on the device", "cuda", "work_s", {"color": ORANGE, "marker": "^", "linestyle": "--"}),
    ):
        points = [(timing.size, getattr(timing, field)) for timing in timings if timing.backend == backend]
        if points:
            lines[label] = axes.plot(*zip(*points, strict=True), markersize=3.5, linewidth=1.4, **style)[0]
    axes.set_ylim(top=_HEADROOM * axes.get_ylim()[1])
    return lines | _mark_cut(axes, cut, max(sizes), compared=len(lines) == 3)


def _mark_cut(axes: Any, cut: Cut, most: int, compared: bool) -> dict[str, Any]:
    """Mark the crossover sizes, measured and in use. Those outside of the panel are described in words."""
    lines, notes = {}, []
    if cut.measured is not None:
        lines["GPU faster from here on"] = axes.axvline(cut.measured, color=INK, linewidth=1)
        notes.append(f"GPU faster from {short(cut.measured)}")
    elif compared:
        notes.append("GPU always faster" if cut.always else "CPU faster in the end")
    if cut.in_use is None:
        notes.append("auto: CPU")
    else:
        notes.append(f"auto: GPU from {short(cut.in_use)}")
        if cut.in_use <= most * _MARGIN:
            lines["--backend auto takes the GPU"] = axes.axvline(cut.in_use, color=GREY, linewidth=1.4, linestyle=":")
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}  # the lines go behind it
    axes.text(0.03, 0.97, "\n".join(notes), transform=axes.transAxes, va="top", fontsize=8, color=INK, bbox=paper)
    return lines


def short(size: int) -> str:
    """A size in three characters or so: 75.5M."""
    for scale, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= scale:
            return f"{size / scale:.3g}{prefix}"
    return str(size)
