"""Graphs from and to the objects of SciPy and networkx, which are imported when they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.build import graph_from_edges, named_vertices
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import Numbers

if TYPE_CHECKING:
    from types import ModuleType


def edges_of(graph: Graph) -> tuple[Array, Array]:
    """Tail and head of each edge (COO), in the dtype of `Graph.col`."""
    return backends.of(graph.col).graphs.csr_tails(graph.row_ptr, graph.col), graph.col


def graph_from_scipy(matrix: Any, multiplicity: bool = False) -> Graph:
    """A graph from a square sparse matrix: an edge i -> j for each stored entry (i, j).

    Parameters
    ----------
    matrix : scipy.sparse matrix or array, of any layout
    multiplicity : bool
        Entries are numbers of parallel edges. Otherwise they are weights, unless all are 1.

    Raises
    ------
    ParameterError
        If the matrix is not square, or an entry is no number of edges.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ParameterError(f"a matrix of shape {matrix.shape}", "give one with a row and a column for each vertex")
    entries = matrix.tocoo()
    tails, heads = np.asarray(entries.row), np.asarray(entries.col)
    return graph_from_entries(tails, heads, np.asarray(entries.data), matrix.shape[0], multiplicity)


def graph_from_entries(
    tails: NDArray[Any], heads: NDArray[Any], data: NDArray[Any], n_vertices: int, multiplicity: bool = False
) -> Graph:
    """A graph from the entries of a sparse matrix; parameters as in `graph_from_scipy`."""
    if data.dtype.kind not in "buif":
        raise ParameterError(f"entries of dtype {data.dtype}", "give real numbers")
    if not multiplicity:
        weights = None if np.all(data == 1) else data.astype(np.float64)
        return graph_from_edges(tails, heads, n_vertices, weights=weights)
    with np.errstate(invalid="ignore"):  # what is not finite is no number of edges, as is seen below
        copies = data.astype(np.int64)
    if not (np.array_equal(copies, data) and np.all(copies >= 0)):
        raise ParameterError("an entry is no number of parallel edges", "give whole numbers from 0 on, or weights")
    return graph_from_edges(np.repeat(tails, copies), np.repeat(heads, copies), n_vertices)


def scipy_from(graph: Graph) -> Any:
    """The graph as `scipy.sparse.csr_array`: entries are weights or 1, parallel edges entries of their own.

    Raises
    ------
    ParameterError
        If SciPy is not installed.
    """
    sparse = _imported("scipy.sparse", "scipy")
    host = graph.on_host()
    small = max(host.n_vertices, host.n_edges) < 1 << 31
    dtype = np.int32 if small else np.int64
    data = np.ones(host.n_edges, np.int64) if host.weights is None else host.weights
    shape = (host.n_vertices, host.n_vertices)
    return sparse.csr_array((data, host.col.astype(dtype), host.row_ptr.astype(dtype)), shape=shape)


def graph_from_networkx(graph: Any) -> Graph:
    """Convert a graph of networkx; an undirected edge becomes two edges, a loop one.

    Weights are the attribute ``weight``, 1 where only others have it. Vertices are called as `named_vertices` says.
    """
    directed = graph if graph.is_directed() else graph.to_directed()
    names, number = named_vertices(directed.nodes)
    edges = list(directed.edges(data="weight"))
    tails = np.array([number[tail] for tail, _head, _weight in edges], np.int64)
    heads = np.array([number[head] for _tail, head, _weight in edges], np.int64)
    weights = None
    if any(weight is not None for _tail, _head, weight in edges):
        weights = np.array([1.0 if weight is None else float(weight) for _tail, _head, weight in edges])
    return graph_from_edges(tails, heads, len(number), names, weights)


def networkx_from(graph: Graph) -> Any:
    """The graph as `networkx.MultiDiGraph`: vertices are ints if they are called by their numbers, else strings.

    Raises
    ------
    ParameterError
        If networkx is not installed.
    """
    made = _imported("networkx", "networkx").MultiDiGraph()
    host = graph.on_host()
    numbers = range(host.n_vertices)
    names = list(numbers) if isinstance(host.names, Numbers) else [host.names.name(vertex) for vertex in numbers]
    made.add_nodes_from(names)
    tails, heads = (ends.tolist() for ends in edges_of(host))
    if host.weights is None:
        made.add_edges_from((names[tail], names[head]) for tail, head in zip(tails, heads, strict=True))
    else:
        made.add_edges_from(
            (names[tail], names[head], {"weight": weight})
            for tail, head, weight in zip(tails, heads, host.weights.tolist(), strict=True)
        )
    return made


def _imported(module: str, package: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise ParameterError(f"{package} is not installed", f"pip install {package}") from None
