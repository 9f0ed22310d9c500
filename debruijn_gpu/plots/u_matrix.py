"""Plots of the U-matrix of a self-organizing map."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.plots.plot import open_figure, set_title

_LONGER_SIDE_INCHES = 6.0
_MARGIN_INCHES = (1.2, 0.8)  # colour bar and labels


def draw_u_matrix(stream: BinaryIO, file_format: str, heights: NDArray[Any], title: str = "U-matrix") -> None:
    """Draw the distance of each unit to its neighbours, darker where it is greater.

    Parameters
    ----------
    stream : binary file
    file_format : str
        One of `plot.FORMATS`.
    heights : ndarray, shape=(rows, columns)
    title : str
    """
    from matplotlib.ticker import MaxNLocator

    rows, columns = heights.shape
    scale = _LONGER_SIDE_INCHES / max(rows, columns)
    inches = (max(2.5, columns * scale) + _MARGIN_INCHES[0], max(1.5, rows * scale) + _MARGIN_INCHES[1])
    with open_figure(stream, file_format, inches) as figure:
        axes = figure.subplots()
        axes.grid(visible=False)
        image = axes.imshow(heights, cmap="Greys", vmin=0, vmax=float(np.max(heights)) or 1.0, interpolation="nearest")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        axes.set_xlabel("column")
        axes.set_ylabel("row")
        set_title(axes, title)
        bar = figure.colorbar(image, ax=axes, shrink=0.8)
        bar.set_label("mean distance to neighbours")
        bar.outline.set_visible(False)
