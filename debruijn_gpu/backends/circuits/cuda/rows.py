"""Rows of a graph, all or some."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.links import await_copy

PARTS = 4


@dataclass(frozen=True)
class Rows:
    """Some rows of a graph.

    Attributes
    ----------
    first_vertex, first_edge : int
    row_ptr : array, dtype=int64, shape=(n_rows + 1,)
        Numbers of edges in the whole graph.
    col : array, dtype=uint32 or uint64, shape=(n,)
        Heads of the edges of the rows.
    arrivals : tuple
        Copies on which the arrays wait, if any: of each part of ``col`` (see `bounds_of_parts`), then of ``row_ptr``.
    """

    first_vertex: int
    first_edge: int
    row_ptr: Array
    col: Array
    arrivals: tuple[Any, ...] = ()

    def await_part(self, part: int) -> None:
        """Let what the current GPU is asked for later wait for a part of ``col``."""
        if self.arrivals:
            await_copy(self.arrivals[part])

    def await_all(self) -> None:
        """Let what the current GPU is asked for later wait for both arrays."""
        for arrival in self.arrivals:
            await_copy(arrival)


def bounds_of_parts(n_edges: int) -> list[tuple[int, int]]:
    """Parts in which a GPU gets its edges, and sends them to others."""
    return list(pairwise(n_edges * part // PARTS for part in range(PARTS + 1)))
