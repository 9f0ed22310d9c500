"""Buckets of consecutive heads, and segments of edges that are dealt out to them; see `dealing`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import BLOCK, SIMULATED, cuda, kernel, launch, xp

#: Log2 of the buckets of a round
LEVEL_BITS = 2 if SIMULATED else 9
#: Rows of a bucket, and edges on average, at most
MOST_ROWS, _MEAN_EDGES = (8, 32) if SIMULATED else (1024, 4096)
_MOST_MEAN_EDGES = 7 * _MEAN_EDGES // 4  # if there were too many buckets else: each has room for twice the mean
EACH = 16  # edges of a thread in a tile
AT_ONCE = 4  # that it loads before it looks at any
TILE = EACH * BLOCK


@dataclass(frozen=True)
class Buckets:
    """Buckets of consecutive vertices.

    Attributes
    ----------
    bits : int
        Log2 of the vertices of a bucket of the second round.
    low_bits : int
        Log2 of the buckets that a bucket of the first round becomes.
    id_bits : int
        Bits of an edge id below the head, in packed edges.
    """

    bits: int
    low_bits: int
    id_bits: int

    @property
    def top_bits(self) -> int:
        """Log2 of the vertices of a bucket of the first round."""
        return self.bits + self.low_bits

    @classmethod
    def of(cls, n_edges: int, n_vertices: int, id_bits: int) -> Buckets | None:
        """The buckets of a graph; None if two rounds do not make them small enough.

        Both rounds have about as many buckets: the fewer they are, the longer runs of edges are stored at once.
        """
        for mean_edges in (_MEAN_EDGES, _MOST_MEAN_EDGES):
            rows = min(MOST_ROWS, mean_edges * n_vertices // max(1, n_edges))
            if not rows or n_edges > 1 << 32:
                return None
            bits = rows.bit_length() - 1
            all_bits = ((n_vertices - 1) >> bits).bit_length()
            if all_bits <= 2 * LEVEL_BITS:
                return cls(bits, all_bits // 2, id_bits)
        return None


@dataclass(frozen=True)
class Segments:
    """Intervals of packed edges, each in one bucket of the round before.

    Attributes
    ----------
    bounds : array, dtype=int64, shape=(m + 1,)
        Where they begin.
    firsts : array, dtype=int64, shape=(m,)
        The first bucket of this round that edges of each may go to.
    """

    bounds: Array
    firsts: Array

    @classmethod
    def whole(cls, n: int) -> Segments:
        """All of n edges in one."""
        return cls(multiples(2, n), xp.zeros(1, np.int64))

    def tiles(self) -> Array:
        """Tiles before each, and all, int64 (m + 1,)."""
        tiles = xp.empty(self.bounds.size, np.int64)
        launch(_count_tiles, tiles.size, self.bounds, tiles)
        return tiles


@kernel
def _multiply(step, array):
    """Multiples of a number, from 0 on. One thread per element.

    Parameters
    ----------
    step : int64
    array : out, int64 (n,)
    """
    for i in range(cuda.grid(1), array.size, cuda.gridsize(1)):
        array[i] = i * step


def multiples(n: int, step: int) -> Array:
    """The first n multiples (int64) of a number, from 0 on."""
    array = xp.empty(n, np.int64)
    launch(_multiply, n, np.int64(step), array)
    return array


@kernel
def _count_tiles(bounds, tiles):
    """Count the tiles before each segment. One thread per segment, and one behind them.

    Parameters
    ----------
    bounds : in, int64 (m + 1,); see `Segments`
    tiles : out, int64 (m + 1,)
    """
    for segment in range(cuda.grid(1), tiles.size, cuda.gridsize(1)):
        n_tiles = np.int64(0)
        for before in range(segment):
            n_tiles += (bounds[before + 1] - bounds[before] + TILE - 1) // TILE
        tiles[segment] = n_tiles
