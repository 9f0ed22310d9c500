"""Watershed of a map of heights: basins around its valleys (Vincent and Soille 1991)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]


class _Basins:
    """Disjoint sets of units; each is named by its lowest unit, the first in the order of flooding."""

    def __init__(self, n: int) -> None:
        self.parents = list(range(n))

    def find(self, unit: int) -> int:
        """Return the name of the basin of a unit."""
        while self.parents[unit] != unit:
            self.parents[unit] = self.parents[self.parents[unit]]
            unit = self.parents[unit]
        return unit


def watershed(heights: Longs, beside: Longs, least_depth: int) -> Longs:
    """Assign each unit to a basin, by flooding from the lowest unit up.

    Where two basins meet, the shallower one is merged into the deeper one unless its lowest unit is at least
    ``least_depth`` below. Units of one height are flooded in order of their numbers.

    Parameters
    ----------
    heights : ndarray, dtype=int64, shape=(n_units,)
    beside : ndarray, dtype=int64, shape=(n_units, 4)
        Neighbours of each unit, -1 where there is none.
    least_depth : int

    Returns
    -------
    ndarray, dtype=int64, shape=(n_units,)
        Lowest unit of the basin of each.
    """
    n = len(heights)
    order = np.argsort(heights, kind="stable")
    ranks = np.empty(n, np.int64)
    ranks[order] = np.arange(n)
    levels, rank_of, basins = heights.tolist(), ranks.tolist(), _Basins(n)
    near = beside.tolist()
    for unit in order.tolist():
        flooded = {basins.find(other) for other in near[unit] if other >= 0 and rank_of[other] < rank_of[unit]}
        deepest_first = sorted(flooded, key=rank_of.__getitem__)
        if not deepest_first:
            continue
        lowest = min((other for other in near[unit] if other >= 0), key=rank_of.__getitem__)
        basins.parents[unit] = basins.find(lowest)
        for basin in deepest_first[1:]:
            if levels[unit] - levels[basin] < least_depth:
                basins.parents[basin] = deepest_first[0]
    return np.array([basins.find(unit) for unit in range(n)], np.int64)
