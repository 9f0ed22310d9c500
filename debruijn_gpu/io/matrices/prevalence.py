"""Write prevalences of k-mers as tables."""

from __future__ import annotations

from typing import BinaryIO

from debruijn_gpu.plots.plot import FORMATS
from debruijn_gpu.plots.prevalence import draw_prevalence
from debruijn_gpu.sets.prevalence import Prevalence

PREVALENCE_FORMATS = ("tsv", *FORMATS)
COLUMNS = ("samples", "kmers", "pangenome", "core")


def write_prevalence(stream: BinaryIO, file_format: str, found: Prevalence, k: int) -> None:
    """Write a prevalence in one of `PREVALENCE_FORMATS`.

    Columns of the table: a number of samples; k-mers in exactly as many; expected k-mers in any, and in all, of as many
    samples.
    """
    if file_format != "tsv":
        draw_prevalence(stream, file_format, found, k)
        return
    columns = (found.n_kmers.tolist(), *(curve.tolist() for curve in found.growth()))
    stream.write(("\t".join(COLUMNS) + "\n").encode())
    for number, cells in enumerate(zip(*columns, strict=True), 1):
        stream.write(("\t".join(map(str, (number, *cells))) + "\n").encode())
