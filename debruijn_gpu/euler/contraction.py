"""Contract a graph to the parts that count Euler circuits: branching vertices and multiplicities."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import NotEulerianError

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend
    from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Component:
    """A weakly connected component with edges, made Eulerian and contracted.

    A vertex whose edges all lead to one other vertex is merged into that one: the edges into it become edges into the
    other. The branching vertices are those that are left; a ring has none.

    Attributes
    ----------
    tails, heads : ndarray, dtype=int64, shape=(n,)
        The edges out of branching vertices, which are numbered from 0, and which of them they lead to in the end.
    n_vertices : int
        Of the component, all of them.
    merged : Counter
        How many vertices with that many edges out were merged, by number of edges; in a ring, all but one.
    degrees : Counter
        How many vertices have that many edges out (and in).
    multiplicities : Counter
        How many pairs of vertices have that many edges from the one to the other, not counting one that was added.
    is_path : bool
        Whether one edge was added, from the end of the Euler path to its start.
    """

    tails: Longs
    heads: Longs
    n_vertices: int
    merged: Counter[int]
    degrees: Counter[int]
    multiplicities: Counter[int]
    is_path: bool

    @property
    def n_branching(self) -> int:
        return int(self.tails.max()) + 1 if len(self.tails) else 0


def contracted_components(graph: Graph, backend: GraphBackend) -> list[Component]:
    """The components with edges of a graph that all have an Euler walk, in the order of their smallest vertices.

    Parameters
    ----------
    graph : Graph
        Of this backend or in NumPy arrays; counting is done on the host.
    backend : GraphBackend

    Raises
    ------
    NotEulerianError
        If one has none.
    """
    graph = graph.on_host()
    on_device = graph.moved(backend.to_device)
    labels = backend.to_host(backend.graphs.weak_components(on_device.row_ptr, on_device.col)).astype(np.int64)
    n_own = np.diff(graph.row_ptr)  # edges out of each vertex
    ends, starts = _path_ends(graph, n_own, labels)
    n_out = n_own.copy()
    n_out[ends] += 1
    vertices = np.flatnonzero(n_out)
    component_of = np.empty(graph.n_vertices, np.int64)
    names, component_of[vertices] = np.unique(labels[vertices], return_inverse=True)
    only_head = _only_heads(graph, ends, starts)
    merged = vertices[only_head[vertices] >= 0]
    branching = np.flatnonzero((n_out > 0) & (only_head < 0))
    tails, heads = _edges_of(graph, branching)
    pairs, multiplicities = _parallel(tails, heads)
    extra = only_head[ends] < 0
    all_tails = np.concatenate((tails, ends[extra]))
    all_heads = _followed(only_head, merged)[np.concatenate((heads, starts[extra]))]
    merged_own = merged[n_own[merged] > 0]
    n = len(names)
    parts = _split(all_tails, all_heads, component_of, n)
    n_merged = _counted(component_of[merged], n_out[merged], n)
    degrees = _counted(component_of[vertices], n_out[vertices], n)
    parallel = _counted(
        component_of[np.concatenate((pairs, merged_own))], np.concatenate((multiplicities, n_own[merged_own])), n
    )
    is_path = np.isin(np.arange(n), component_of[ends])
    for (own_tails, _), numbers in zip(parts, n_merged, strict=True):
        if not len(own_tails):
            numbers.subtract([max(numbers)])  # of a ring, where all are the same, one is left
    return [
        Component(*parts[i], sum(degrees[i].values()), n_merged[i], degrees[i], parallel[i], bool(is_path[i]))
        for i in range(n)
    ]


@dataclass(frozen=True)
class Skeleton:
    """The contraction of a strongly connected graph, to count its spanning trees.

    Attributes
    ----------
    tails, heads : ndarray, dtype=int64
        Edges between different vertices.
    n : int
        Vertices; each has edges to two different ones, or there is one vertex alone.
    merged : Counter
        How many vertices with that many edges were merged. Each of these edges may be the vertex's in a spanning tree,
        so the number of trees is that of the skeleton times the product of these numbers.
    """

    tails: Longs
    heads: Longs
    n: int
    merged: Counter[int]


def skeleton(component: Component) -> Skeleton:
    """Merge vertices whose edges, loops left out, all lead to one other vertex, until there are none: a tree of rings
    comes down to one vertex."""
    tails, heads, n, merged = component.tails, component.heads, component.n_branching, +component.merged
    while n > 1:
        proper = tails != heads
        tails, heads = tails[proper], heads[proper]
        least, most = np.full(n, n), np.full(n, -1)
        np.minimum.at(least, tails, heads)
        np.maximum.at(most, tails, heads)
        only_head = np.where(least == most, least, -1)
        if (only_head >= 0).all():
            only_head[0] = -1  # of a ring, one vertex is left
        forced = np.flatnonzero(only_head >= 0)
        if not len(forced):
            break
        merged.update(np.bincount(tails)[forced].tolist())
        number = np.cumsum(only_head < 0) - 1
        kept = only_head[tails] < 0
        tails, heads = number[tails[kept]], number[_followed(only_head, forced)[heads[kept]]]
        n = n - len(forced)
    proper = tails != heads
    return Skeleton(tails[proper], heads[proper], n, merged)


def _path_ends(graph: Graph, n_out: Longs, labels: Longs) -> tuple[Longs, Longs]:
    """Ends and starts of the Euler paths of those components that have no circuit, in the same order."""
    surplus = n_out - np.bincount(graph.col.astype(np.int64), minlength=graph.n_vertices)
    unbalanced = np.flatnonzero(surplus)
    starts, ends = np.flatnonzero(surplus == 1), np.flatnonzero(surplus == -1)
    starts, ends = (some[np.argsort(labels[some], kind="stable")] for some in (starts, ends))
    if len(starts) + len(ends) == len(unbalanced) and np.array_equal(labels[starts], labels[ends]):
        if not (labels[starts][1:] == labels[starts][:-1]).any():
            return ends, starts
    raise NotEulerianError(
        f"the graph has no Euler walk: {len(unbalanced)} vertices have not as many edges in as out",
        "count walks of graphs only where each component has a circuit or a path",
    )


def _only_heads(graph: Graph, ends: Longs, starts: Longs) -> Longs:
    """The other vertex to which all edges out of a vertex lead, edges from ends to starts included; else -1."""
    only = np.full(graph.n_vertices, -1)
    rows = np.flatnonzero(np.diff(graph.row_ptr))
    if len(rows):
        least, most = (of.reduceat(graph.col, graph.row_ptr[rows]) for of in (np.minimum, np.maximum))
        same = (least == most) & (least != rows)
        only[rows[same]] = least[same]
    has_edges = np.diff(graph.row_ptr)[ends] > 0
    only[ends] = np.where(~has_edges | (only[ends] == starts), starts, -1)
    return only


def _edges_of(graph: Graph, vertices: Longs) -> tuple[Longs, Longs]:
    """Tails and heads of the edges out of some vertices, in order."""
    degrees = graph.row_ptr[vertices + 1] - graph.row_ptr[vertices]
    tails = np.repeat(vertices, degrees)
    within = np.arange(len(tails)) - np.repeat(np.cumsum(degrees) - degrees, degrees)
    return tails, graph.col[graph.row_ptr[tails] + within].astype(np.int64)


def _parallel(tails: Longs, heads: Longs) -> tuple[Longs, Longs]:
    """Return the tail and the multiplicity of each distinct edge."""
    order = np.lexsort((heads, tails))
    tails, heads = tails[order], heads[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    first = np.flatnonzero(is_first)
    return tails[first], np.diff(first, append=len(order))


def _followed(only_head: Longs, merged: Longs) -> Longs:
    """The branching vertex that each vertex ends up in: by doubling of pointers (Wyllie 1979)."""
    last = np.where(only_head >= 0, only_head, np.arange(len(only_head)))
    for _ in range(len(only_head).bit_length()):  # rings never end
        last[merged] = last[last[merged]]
        merged = merged[only_head[last[merged]] >= 0]
    return last


def _split(tails: Longs, heads: Longs, component_of: Longs, n: int) -> list[tuple[Longs, Longs]]:
    """Edges by component, with their vertices numbered from 0 in each."""
    order = np.argsort(component_of[tails], kind="stable")
    tails, heads = tails[order], heads[order]
    bounds = np.searchsorted(component_of[tails], np.arange(n + 1))
    parts = []
    for begin, end in pairwise(bounds.tolist()):
        vertices, numbers = np.unique(tails[begin:end], return_inverse=True)
        parts.append((numbers, np.searchsorted(vertices, heads[begin:end])))
    return parts


def _counted(components: Longs, values: Longs, n: int) -> list[Counter[int]]:
    """Count the occurrences of each value in each component."""
    counters: list[Counter[int]] = [Counter() for _ in range(n)]
    base = int(values.max(initial=0)) + 1
    keys, times = np.unique(components * base + values, return_counts=True)
    for key, n_times in zip(keys.tolist(), times.tolist(), strict=True):
        component, value = divmod(key, base)
        counters[component][value] = n_times
    return counters
