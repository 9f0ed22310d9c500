"""Pairings of edges: an array, or arithmetic in the place of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array, id_dtype
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import rotation


@dataclass(frozen=True)
class Pairing:
    """The edge before each edge.

    Attributes
    ----------
    array : array, dtype=uint32 or uint64, shape=(n_edges,) or (0,)
        The edge before each; empty for a shift graph, whose pairs are computed (see `edge_before`).
    n_edges : int
    n_vertices, degree : int
        Of a shift graph; else 0.
    """

    array: Array
    n_edges: int
    n_vertices: int = 0
    degree: int = 0

    @classmethod
    def of(cls, array: Array) -> Pairing:
        """A pairing that is an array."""
        return cls(array, array.size)

    @classmethod
    def of_shift_graph(cls, n_edges: int, n_vertices: int) -> Pairing:
        """The pairing of a graph in which edge e leads to vertex e mod n_vertices, and leaves e // degree."""
        return cls(xp.empty(0, id_dtype(n_edges)), n_edges, n_vertices, n_edges // n_vertices)

    @property
    def size(self) -> int:
        """Number of edges."""
        return self.n_edges

    @property
    def dtype(self) -> np.dtype:
        """Type of edge ids."""
        dtype: np.dtype = self.array.dtype
        return dtype

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What kernels take: ``predecessor, n_edges, n_vertices, degree``."""
        return self.array, np.uint64(self.n_edges), np.uint64(self.n_vertices), np.uint64(self.degree)


@device_function
def quotient(number, divisor):
    """The whole quotient of two uint64; by a shift, if the divisor is a power of two."""
    below = divisor - np.uint64(1)
    if divisor & below == np.uint64(0):
        return number >> np.uint64(cuda.popc(below))
    return number // divisor


@device_function
def edge_before(edge, predecessor, n_vertices, degree):
    """The edge before an edge (uint64); by arithmetic, if there is a degree.

    Edge e of a shift graph leads to vertex e mod n_vertices, and each vertex has ``degree`` edges in and out: edge j of
    those into vertex v, in order, is v + j * n_vertices.
    """
    if degree == np.uint64(0):
        return np.uint64(predecessor[edge])
    vertex = quotient(edge, degree)
    partner = edge - vertex * degree + rotation(vertex, degree)
    if partner >= degree:
        partner -= degree
    return vertex + partner * n_vertices


@kernel
def _write_pairs(predecessor, n_edges, n_vertices, degree, pairs):
    """The edge before each edge. One thread per edge.

    Parameters
    ----------
    predecessor, n_edges, n_vertices, degree : in, as in `edge_before`
    pairs : out, uint32 or uint64 (n_edges,)
    """
    for edge in range(cuda.grid(1), np.int64(n_edges), cuda.gridsize(1)):
        pairs[edge] = edge_before(np.uint64(edge), predecessor, n_vertices, degree)


@guarded
def predecessors(pairing: Pairing) -> Array:
    """See `CircuitOperations.predecessors`."""
    if not pairing.degree:
        return pairing.array
    pairs = xp.empty(pairing.size, pairing.dtype)
    launch(_write_pairs, pairing.size, *pairing.arguments, pairs)
    return pairs
