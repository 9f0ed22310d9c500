"""All choices of an Euler circuit or path of each component of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.euler.balance import check_walkable
from debruijn_gpu.euler.listing import EdgeClasses, edge_classes, euler_circuits_from, euler_trails
from debruijn_gpu.euler.trails import start_vertex
from debruijn_gpu.graph.analysis import diagnose
from debruijn_gpu.graph.diagnosis import EulerKind

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend
    from debruijn_gpu.euler.options import EulerOptions
    from debruijn_gpu.graph.graph import Graph


@dataclass(frozen=True)
class _Ends:
    """Where the walks of a component start and end, and how many edges they have."""

    start: int
    last: int
    is_circuit: bool
    n_edges: int


def all_walks(graph: Graph, backend: HostBackend, options: EulerOptions) -> Iterator[list[list[int]]]:
    """Yield each choice of an Euler circuit or, if allowed, path of each component, in lexicographic order.

    There are as many as `counting.count_circuits` counts sequences of vertices. See `listing` for the algorithm.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays. Walks are in the order of the numbers of its vertices.
    backend : HostBackend
    options : EulerOptions
        Only ``path``, ``single`` and ``start`` count.

    Yields
    ------
    list of list of int
        Edge ids of a walk for each component with edges, by their smallest vertices. Of parallel edges, the first one
        stands for all.

    Raises
    ------
    NotEulerianError, ParameterError
        As `trails.euler_walks`.
    """
    ends = _ends(graph, backend, options)
    if options.single and len(ends) > 1:
        raise NotEulerianError(f"it takes {len(ends):,} walks to use every edge", "leave --single out to get them all")
    classes = edge_classes(graph)
    edges = classes.edges
    for trails in _combined(classes, ends):
        yield [[edges[each] for each in trail] for trail in trails]


def _ends(graph: Graph, backend: HostBackend, options: EulerOptions) -> list[_Ends]:
    """The ends of the walks of each component."""
    diagnosis = diagnose(graph, backend)
    if diagnosis.surplus.any():
        check_walkable(diagnosis, graph, options)
    n_edges = np.zeros(graph.n_vertices, np.int64)
    np.add.at(n_edges, diagnosis.component, diagnosis.n_out)
    starts, lasts = diagnosis.starts.copy(), diagnosis.ends.copy()
    is_circuit = diagnosis.kinds == EulerKind.CIRCUIT
    if options.start is not None:
        vertex = start_vertex(graph, options.start)
        at = int(np.searchsorted(diagnosis.labels, diagnosis.component[vertex]))
        if is_circuit[at]:
            starts[at] = lasts[at] = vertex
        elif starts[at] != vertex:
            raise NotEulerianError(f"no walk that uses every edge starts at {options.start}", "leave --start out")
    columns = (starts, lasts, is_circuit, n_edges[diagnosis.labels])
    return [_Ends(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _combined(classes: EdgeClasses, ends: list[_Ends]) -> Iterator[list[list[int]]]:
    """Combine the trails of components; those of the last one change fastest."""
    if not ends:
        return
    sources = [_trails(classes, each) for each in ends]
    current = [list(next(source)) for source in sources]
    while True:
        yield current
        place = len(ends) - 1
        while (following := next(sources[place], None)) is None:
            sources[place] = _trails(classes, ends[place])
            current[place] = list(next(sources[place]))
            if place == 0:
                return
            place -= 1
        current[place] = list(following)


def _trails(classes: EdgeClasses, ends: _Ends) -> Iterator[list[int]]:
    if ends.is_circuit:
        return euler_circuits_from(classes, ends.n_edges, ends.start)
    return euler_trails(classes, ends.n_edges, ends.start, ends.last)
