"""Groups of contigs that are alike in depth and composition: organisms, plasmids, repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly_dir.reading import ContigTable

#: Contigs below the first length have a noisy composition, and count only if there are no longer ones. Below the second
#: length the composition is chance: GC of 300 bases varies by 3 percent.
LEAST_CONTIG_BP, SHORT_CONTIG_BP = 1000, 300
#: A group reaches so far around its densest place: in doublings of depth, and in percent of G and C.
REACH_DOUBLINGS, REACH_GC = 0.8, 8.0
#: A group holds at least this share of the bases, and at least this number of them.
LEAST_SHARE, LEAST_BP = 0.01, 2000
MOST_GROUPS = 5

_CELLS_PER_REACH = 4

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """Contigs that are alike.

    Attributes
    ----------
    n_contigs, total_bp : int
    share : float
        Of the bases of all contigs that were looked at.
    kmer_depth, gc_percent : float
        Means, weighted by length.
    """

    n_contigs: int
    total_bp: int
    share: float
    kmer_depth: float
    gc_percent: float


def contig_groups(contigs: ContigTable) -> list[Group]:
    """Groups, the largest first; none if depth or composition is not known, or all contigs are short.

    The densest place in the plane of depth (on a logarithmic scale) and GC, weighted by length, and all within
    reach of it are the first group; the next one is sought among the rest.
    """
    known = (contigs.kmer_depth > 0) & (contigs.n_bases > 0)
    long = known & (contigs.lengths >= LEAST_CONTIG_BP)
    chosen = long if long.any() else known & (contigs.lengths >= SHORT_CONTIG_BP)
    bp = contigs.lengths[chosen].astype(np.float64)
    depth, gc = contigs.kmer_depth[chosen], contigs.gc_percent[chosen]
    x, y = np.log2(depth) / REACH_DOUBLINGS, gc / REACH_GC
    groups: list[Group] = []
    left = np.ones(len(bp), np.bool_)
    while left.any() and len(groups) < MOST_GROUPS:
        centre = _densest(x[left], y[left], bp[left])
        near = left & (np.abs(x - centre[0]) <= 1) & (np.abs(y - centre[1]) <= 1)
        left &= ~near
        total = float(bp[near].sum())
        if total >= max(LEAST_BP, LEAST_SHARE * bp.sum()) or not groups:
            means = (float(np.average(values[near], weights=bp[near])) for values in (depth, gc))
            groups.append(Group(int(near.sum()), int(total), total / float(bp.sum()), *means))
    return sorted(groups, key=lambda group: -group.total_bp)


def _densest(x: Floats, y: Floats, weights: Floats) -> tuple[float, float]:
    """Compute the mean of the points within the heaviest square of three by three cells."""
    columns, rows = (np.floor(_CELLS_PER_REACH * (v - v.min())).astype(np.int64) + 1 for v in (x, y))
    grid = np.zeros((columns.max() + 2, rows.max() + 2))
    np.add.at(grid, (columns, rows), weights)
    around = sum(grid[i : len(grid) - 2 + i, j : grid.shape[1] - 2 + j] for i in range(3) for j in range(3))
    column, row = np.unravel_index(np.argmax(around), np.shape(around))
    near = (np.abs(columns - column - 1) <= 1) & (np.abs(rows - row - 1) <= 1)
    return float(np.average(x[near], weights=weights[near])), float(np.average(y[near], weights=weights[near]))
