"""The graph that counting Euler circuits looks at: vertices with one edge in and one out contracted away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import NotEulerianError

if TYPE_CHECKING:
    from debruijn_gpu.backends.interface import Backend
    from debruijn_gpu.graph.graph import Graph


@dataclass(frozen=True)
class Component:
    """A weakly connected component with edges, made Eulerian and contracted.

    Attributes
    ----------
    tails, heads : ndarray, dtype=int64, shape=(n,)
        Its edges between its branching vertices, those with two edges out or more, which are numbered from 0. A ring
        without branching has none.
    multiplicities : ndarray, dtype=int64
        How often each edge of the given graph between two vertices is there; those between branching vertices only, and
        one more of 1 if there are others.
    is_path : bool
        Whether one of the edges was added, from the end of the Euler path to its start.
    """

    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    multiplicities: NDArray[np.int64]
    is_path: bool

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Edges out of each branching vertex, and as many into it."""
        return np.bincount(self.tails)


def contracted_components(graph: Graph, backend: Backend) -> list[Component]:
    """The components of a graph that all have an Euler walk, in the order of their smallest vertices.

    Parameters
    ----------
    graph : Graph
        With arrays on the host.
    backend : Backend

    Raises
    ------
    NotEulerianError
        If one has none.
    """
    labels = np.asarray(backend.weak_components(graph.row_ptr, graph.col)).astype(np.int64)
    n_out = np.diff(graph.row_ptr)
    ends, starts = _path_ends(graph, n_out, labels)
    n_out[ends] += 1
    branches = n_out >= 2
    with_edges = np.unique(labels[n_out > 0], return_counts=True)[0]
    rank = np.searchsorted(with_edges, labels)
    tails, heads = _edges_of(graph, np.flatnonzero(branches))
    multiplicities, groups = _multiplicities(tails, heads, branches, rank)
    last = _ends_of_chains(graph, branches, ends, starts)
    extra = branches[ends]
    tails, heads = np.concatenate((tails, ends[extra])), last[np.concatenate((heads, starts[extra]))]
    is_path = np.zeros(len(with_edges), np.bool_)
    is_path[rank[ends]] = True
    has_others = np.zeros(len(with_edges), np.bool_)
    has_others[rank[(n_out == 1)]] = True
    return _split(tails, heads, multiplicities, groups, rank, is_path, has_others)


def _path_ends(
    graph: Graph, n_out: NDArray[np.int64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ends and starts of the Euler paths of those components that have no circuit, in the same order."""
    surplus = n_out - np.bincount(graph.col.astype(np.int64), minlength=graph.n_vertices)
    unbalanced = np.flatnonzero(surplus)
    starts, ends = np.flatnonzero(surplus == 1), np.flatnonzero(surplus == -1)
    starts, ends = (some[np.argsort(labels[some], kind="stable")] for some in (starts, ends))
    if len(starts) + len(ends) == len(unbalanced) and np.array_equal(labels[starts], labels[ends]):
        if len(starts) == len(np.unique(labels[starts], return_counts=True)[0]):
            return ends, starts
    raise NotEulerianError(
        f"the graph has no Euler walk, {len(unbalanced)} vertices have not as many edges in as out",
        "count walks of graphs only where each component has a circuit or a path",
    )


def _edges_of(graph: Graph, vertices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tails and heads of the edges out of some vertices, in order."""
    degrees = graph.row_ptr[vertices + 1] - graph.row_ptr[vertices]
    tails = np.repeat(vertices, degrees)
    within = np.arange(len(tails)) - np.repeat(np.cumsum(degrees) - degrees, degrees)
    return tails, graph.col[graph.row_ptr[tails] + within].astype(np.int64)


def _multiplicities(
    tails: NDArray[np.int64], heads: NDArray[np.int64], branches: NDArray[np.bool_], rank: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Multiplicity of each pair of branching vertices with an edge between them, and its component."""
    between = branches[heads]
    order = np.lexsort((heads[between], tails[between]))
    pairs = np.stack((tails[between][order], heads[between][order]))
    first = np.flatnonzero(np.concatenate(([True], (pairs[:, 1:] != pairs[:, :-1]).any(axis=0))))[: pairs.shape[1]]
    return np.diff(first, append=pairs.shape[1]), rank[pairs[0, first]]


def _ends_of_chains(
    graph: Graph, branches: NDArray[np.bool_], ends: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The first branching vertex from each vertex on, itself if it branches: by doubling of pointers (Wyllie 1979)."""
    last = np.arange(graph.n_vertices)
    single = np.flatnonzero(~branches & (np.diff(graph.row_ptr) > 0))
    last[single] = graph.col[graph.row_ptr[single]]
    stops = ends[~branches[ends]]  # the only edge out of these is the one added
    last[stops] = starts[~branches[ends]]
    moving = np.concatenate((single, stops))
    for _ in range(graph.n_vertices.bit_length()):  # rings without branching never end
        if not len(moving):
            break
        last[moving] = last[last[moving]]
        moving = moving[~branches[last[moving]]]
    return last


def _split(
    tails: NDArray[np.int64],
    heads: NDArray[np.int64],
    multiplicities: NDArray[np.int64],
    groups: NDArray[np.int64],
    rank: NDArray[np.int64],
    is_path: NDArray[np.bool_],
    has_others: NDArray[np.bool_],
) -> list[Component]:
    """Edges and multiplicities by component."""
    n = len(is_path)
    order = np.argsort(rank[tails], kind="stable")
    tails, heads = tails[order], heads[order]
    edge_ptr = np.searchsorted(rank[tails], np.arange(n + 1))
    order = np.argsort(groups, kind="stable")
    multiplicities, pair_ptr = multiplicities[order], np.searchsorted(groups[order], np.arange(n + 1))
    components = []
    for i in range(n):
        own = slice(edge_ptr[i], edge_ptr[i + 1])
        vertices, numbers = np.unique(tails[own], return_inverse=True)
        parallel = multiplicities[pair_ptr[i] : pair_ptr[i + 1]]
        if has_others[i]:
            parallel = np.append(parallel, 1)
        components.append(Component(numbers, np.searchsorted(vertices, heads[own]), parallel, bool(is_path[i])))
    return components
