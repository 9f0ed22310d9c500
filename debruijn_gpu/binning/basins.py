"""Basins of the U-matrix that contigs connect, merged."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]

#: Share of the windows of the smaller basin whose contigs are in both: 3 of 20
_SHARED, _OF = 3, 20


def merge_by_contigs(basins: Longs, contigs: Longs) -> dict[int, int]:
    """Merge basins that contigs of several windows connect: a contig is of one genome.

    The two basins that share most, for the size of the smaller one, are merged first, until no two share at least 15 %.

    Parameters
    ----------
    basins : ndarray, dtype=int64, shape=(n_windows,)
        Basin of each window.
    contigs : ndarray, dtype=int64, shape=(n_windows,)
        Its contig, ascending.

    Returns
    -------
    dict of int to int
        Name of each merged basin: that of the one it was merged into.
    """
    rows = _windows_of_contigs(basins, contigs)
    merged = dict[int, int]()
    while True:
        pair = _closest(rows)
        if pair is None:
            return merged
        kept, given = pair
        merged = {name: kept if into == given else into for name, into in merged.items()} | {given: kept}
        for row in rows:
            if given in row:
                row[kept] = row.get(kept, 0) + row.pop(given)


def _windows_of_contigs(basins: Longs, contigs: Longs) -> list[dict[int, int]]:
    """Number of windows in each basin, of each contig with several windows."""
    rows: defaultdict[int, dict[int, int]] = defaultdict(dict)
    pairs, numbers = np.unique(np.stack([contigs, basins]), axis=1, return_counts=True)
    for contig, basin, n in zip(*pairs.tolist(), numbers.tolist(), strict=True):
        rows[contig][basin] = n
    return [row for row in rows.values() if sum(row.values()) > 1]


def _closest(rows: list[dict[int, int]]) -> tuple[int, int] | None:
    """The two basins with the greatest shared part, the lower number first; None if it is too small.

    Shares are compared as products of integers; of equal ones, those of the lowest basins are taken.
    """
    sizes: defaultdict[int, int] = defaultdict(int)
    shared: defaultdict[tuple[int, int], int] = defaultdict(int)
    for row in rows:
        names = sorted(row)
        for at, first in enumerate(names):
            sizes[first] += row[first]
            for second in names[at + 1 :]:
                shared[first, second] += min(row[first], row[second])
    best: tuple[int, int] | None = None
    most, of = _SHARED, _OF
    for pair in sorted(shared):
        size = min(sizes[pair[0]], sizes[pair[1]])
        is_more = shared[pair] * of > most * size or (best is None and shared[pair] * of == most * size)
        if is_more:
            best, most, of = pair, shared[pair], size
    return best
