"""Lengths of sequences in figures: Nx, NGx, shortest, mean and median length, as `dbg stats` adds them to QUAST's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.statistics import nx_lx

#: Percentages of Nx and NGx that are always computed
PERCENTAGES = (50, 75, 90)


@dataclass(frozen=True)
class LengthStats:
    """Figures of the lengths of sequences; None of no sequences.

    Attributes
    ----------
    shortest_bp, mean_bp, median_bp : int, float, float, or None
    nx_bp, lx : dict of str to int or None
        Nx and Lx by percentage.
    ngx_bp, lgx : dict of str to int or None
        NGx and LGx by percentage; None where the sequences do not make up that part of the genome. Empty without a
        genome size.
    """

    shortest_bp: int | None
    mean_bp: float | None
    median_bp: float | None
    nx_bp: dict[str, int | None]
    lx: dict[str, int | None]
    ngx_bp: dict[str, int | None]
    lgx: dict[str, int | None]


def length_stats(
    lengths_bp: NDArray[np.int64], percentages: Sequence[int] = (), genome_bp: int | None = None
) -> LengthStats:
    """Compute figures of lengths.

    Parameters
    ----------
    lengths_bp : ndarray, dtype=int64, shape=(n,)
        In any order.
    percentages : sequence of int
        Of Nx and NGx, 1 to 100, beside `PERCENTAGES`.
    genome_bp : int, optional
        Genome size of NGx.
    """
    falling = np.sort(lengths_bp)[::-1]
    n, middle = len(falling), len(falling) // 2
    wanted = sorted({*PERCENTAGES, *percentages})
    found = {str(x): nx_lx(falling, x) for x in wanted}
    of_genome = {str(x): nx_lx(falling, x, genome_bp) for x in wanted} if genome_bp is not None else {}
    return LengthStats(
        shortest_bp=int(falling[-1]) if n else None,
        mean_bp=int(falling.sum()) / n if n else None,
        median_bp=(int(falling[middle]) + int(falling[(n - 1) // 2])) / 2 if n else None,
        nx_bp={x: pair[0] for x, pair in found.items()},
        lx={x: pair[1] for x, pair in found.items()},
        ngx_bp={x: pair[0] for x, pair in of_genome.items()},
        lgx={x: pair[1] for x, pair in of_genome.items()},
    )
