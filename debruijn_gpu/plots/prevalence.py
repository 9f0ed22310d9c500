"""Plot the prevalence of k-mers in samples, and the growth of the pangenome and of its core."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from debruijn_gpu.plots.plot import BLUE, ORANGE, SKY, open_figure, set_title
from debruijn_gpu.sets.prevalence import Prevalence

_INCHES = (10.0, 4.2)


def draw_prevalence(stream: BinaryIO, file_format: str, found: Prevalence, k: int) -> None:
    """Draw k-mers by number of samples, and the curves of the pangenome beside it.

    Parameters
    ----------
    stream : binary file
    file_format : str
        One of `plot.FORMATS`.
    found : Prevalence
    k : int
    """
    numbers = np.arange(1, found.n_samples + 1)
    pangenome, core = found.growth()
    with open_figure(stream, file_format, _INCHES) as figure:
        left, right = figure.subplots(1, 2)
        set_title(left, f"prevalence of {k}-mers")
        left.stairs(found.n_kmers, np.arange(found.n_samples + 1) + 0.5, fill=True, color=SKY)
        left.set_xlabel("samples that hold a k-mer")
        left.set_ylabel("k-mers")
        left.set_xlim(0.5, found.n_samples + 0.5)
        set_title(right, "pangenome")
        style = {"marker": "o", "markersize": 3} if found.n_samples <= 50 else {}
        right.plot(numbers, pangenome, color=BLUE, label="in any sample", **style)
        right.plot(numbers, core, color=ORANGE, label="in all samples (core)", **style)
        right.set_xlabel("samples")
        right.set_ylabel("k-mers (mean over all orders of samples)")
        right.set_ylim(bottom=0)
        right.legend()
