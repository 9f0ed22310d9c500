"""Cycles of edges, noted where splices may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import device_function, xp
from debruijn_gpu.backends.core.cuda.scalars import lower_bound


@dataclass(frozen=True)
class Noted:
    """Cycles of the first edges, and of some others.

    Attributes
    ----------
    first : array, dtype=uint32, shape=(n,)
        Cycle of each of the first n edges.
    edges : array, dtype=int64, shape=(m,)
        Other edges that are noted, ascending; some may be among the first ones.
    cycles : array, dtype=uint32, shape=(m,)
        Their cycles.
    other : int
        A cycle with splitters, which stands for those of all edges that are not noted: they are in one tree.
    """

    first: Array
    edges: Array
    cycles: Array
    other: int = 0

    @classmethod
    def of_first(cls, noted: Array) -> Noted:
        """Only the first edges, or all, are noted."""
        return cls(noted, xp.empty(0, np.int64), xp.empty(0, np.uint32))

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What kernels take: ``first_cycles, edges, edge_cycles, other``."""
        return self.first, self.edges, self.cycles, np.uint32(self.other)


@device_function
def cycle_of(edge, first_cycles, edges, edge_cycles, other):
    """The cycle of an edge (uint64); see `Noted`."""
    if edge < np.uint64(first_cycles.size):
        return first_cycles[edge]
    at = lower_bound(edges, np.int64(edge), np.int64(0), np.int64(edges.size))
    return edge_cycles[at] if at < edges.size and edges[at] == np.int64(edge) else other
