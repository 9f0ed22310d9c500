"""What a backend does with graphs in compressed sparse rows, and the plain arrays that it needs for it.

A graph is ``row_ptr`` (int64, n_vertices + 1) and ``col`` (uint32 or uint64, n_edges; the head of each edge), as in
`graph.graph.Graph`, in arrays of the backend. Edge ids are positions in ``col``. Several edges between the same
vertices and loops are allowed. Results are the same bytes on `cpu` and `cuda`.
"""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.arrays.protocol import ArrayBackend
from debruijn_gpu.backends.check_interface import CheckBackend
from debruijn_gpu.backends.circuits.protocol import CircuitBackend
from debruijn_gpu.backends.generator_interface import GeneratorBackend
from debruijn_gpu.backends.graphs.protocol import ComponentBackend
from debruijn_gpu.backends.trail_interface import TrailBackend


class GraphBackend(
    ArrayBackend, CheckBackend, CircuitBackend, ComponentBackend, GeneratorBackend, TrailBackend, Protocol
):
    """A module with the names of all these."""
