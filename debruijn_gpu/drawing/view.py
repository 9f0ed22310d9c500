"""Select the drawn part of a graph: all, a neighbourhood, collapsed paths, or the vertices nearest to one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.drawing.picture_edges import nearest, within
from debruijn_gpu.graph.convert import edges_of

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]

_MOST_PARALLEL = 12  # from one vertex to another, of one colour; more are one with their number


@dataclass(frozen=True)
class Limits:
    """Limits of the size of a drawing."""

    n_vertices: int
    n_edges: int


@dataclass(frozen=True)
class Wanted:
    """The requested part of a graph.

    Attributes
    ----------
    around : int or None
        A vertex, and what is up to ``radius`` edges away from it, in either direction; None: the whole graph.
    radius : int
    collapse : bool
        Paths are one vertex each.
    """

    around: int | None = None
    radius: int = 0
    collapse: bool = False


@dataclass(frozen=True)
class View:
    """A small graph that shows a graph, or a part of it.

    Attributes
    ----------
    offsets, members : ndarray, dtype=int64, shapes=(n_vertices + 1,), (n_members,)
        Vertex i stands for the vertices ``members[offsets[i]:offsets[i + 1]]``: one, or a path in its order.
    tails, heads : ndarray, dtype=int64, shape=(n_edges,)
        Vertices of the view.
    edges : ndarray, dtype=int64, shape=(n_edges,)
        Which edge of the graph each is; of several, the first.
    n_parallel : ndarray, dtype=int64, shape=(n_edges,)
        How many it stands for, with the same tail, head and kind.
    is_collapsed : bool
        Whether paths are one vertex each.
    n_left_out : int
        Vertices of what was wanted that are not in the view.
    center : int or None
        The vertex of the graph to which what is shown is nearest, if some is left out.
    """

    offsets: Longs
    members: Longs
    tails: Longs
    heads: Longs
    edges: Longs
    n_parallel: Longs
    is_collapsed: bool = False
    n_left_out: int = 0
    center: int | None = None

    @property
    def n_vertices(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Longs:
        """Number of vertices that each vertex of the view represents."""
        return np.diff(self.offsets)

    @property
    def first(self) -> Longs:
        """The first, or only, vertex that each stands for."""
        return self.members[self.offsets[:-1]]

    @property
    def last(self) -> Longs:
        """The last one."""
        return self.members[self.offsets[1:] - 1]


def drawn_part(graph: Graph, wanted: Wanted, limits: Limits, kinds: Longs | None = None) -> View:
    """Select the drawn part of a graph.

    What is wanted is taken as it is if it is within the limits; else its paths become one vertex each; and if that is
    still too much, what is nearest to the vertex with most edges, or to the one that is asked for, is taken.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays.
    wanted : Wanted
    limits : Limits
    kinds : ndarray, dtype=int64, shape=(n_edges,), optional
        Parallel edges of different kinds are never taken together.
    """
    is_wanted = None if wanted.around is None else within(graph, wanted.around, wanted.radius)
    view = None if wanted.collapse else _as_it_is(graph, is_wanted, limits, kinds)
    if view is not None:
        return view
    whole = _without_parallel(_collapsed(graph, is_wanted, wanted.around), kinds)
    if whole.n_vertices <= limits.n_vertices and len(whole.edges) <= limits.n_edges:
        return whole
    return _nearest(whole, wanted.around, limits)


def _as_it_is(graph: Graph, is_wanted: NDArray[np.bool_] | None, limits: Limits, kinds: Longs | None) -> View | None:
    """Each vertex that is wanted as one; None if that is too much."""
    n_wanted = graph.n_vertices if is_wanted is None else int(np.count_nonzero(is_wanted))
    if n_wanted > limits.n_vertices:
        return None
    vertices = np.arange(graph.n_vertices) if is_wanted is None else np.flatnonzero(is_wanted)
    number = np.full(graph.n_vertices, -1)
    number[vertices] = np.arange(len(vertices))
    view = _without_parallel(_view(graph, number, np.arange(len(vertices) + 1), vertices), kinds)
    return view if len(view.edges) <= limits.n_edges else None


def _view(graph: Graph, number: Longs, offsets: Longs, members: Longs) -> View:
    """The view with all edges between different vertices of it, and loops; ``number`` is each vertex's in the view."""
    tails, heads = (ends.astype(np.int64) for ends in edges_of(graph))
    edges = np.flatnonzero((number[tails] >= 0) & (number[heads] >= 0))
    tails, heads = number[tails[edges]], number[heads[edges]]
    return View(offsets, members, tails, heads, edges, np.ones(len(edges), np.int64))


def _without_parallel(view: View, kinds: Longs | None) -> View:
    """Edges beside many of the same ends and kind taken together."""
    kind = np.zeros(len(view.edges), np.int64) if kinds is None else kinds[view.edges]
    order = np.lexsort((view.edges, kind, view.heads, view.tails))
    is_first = np.zeros(len(order), np.bool_)
    is_first[:1] = True
    for values in (kind, view.heads, view.tails):
        is_first[1:] |= values[order[1:]] != values[order[:-1]]
    starts = np.flatnonzero(is_first)
    n_same = np.diff(starts, append=len(order))
    together = n_same > _MOST_PARALLEL
    if not together.any():
        return view
    n_parallel = np.repeat(np.where(together, n_same, 1), n_same)
    kept = np.flatnonzero(is_first | (n_parallel == 1))
    kept = kept[np.argsort(order[kept])]  # edges stay in their order
    chosen = order[kept]
    return replace(
        view,
        tails=view.tails[chosen],
        heads=view.heads[chosen],
        edges=view.edges[chosen],
        n_parallel=n_parallel[kept],
    )


def _collapsed(graph: Graph, is_wanted: NDArray[np.bool_] | None, kept: int | None) -> View:
    """Each path whose inner edges are the only ones out of their tail and into their head as one vertex; one vertex can
    be ``kept`` out of them."""
    n_vertices = graph.n_vertices
    successor = _only_successors(graph, kept)
    if is_wanted is not None:
        inside = np.append(is_wanted, False)
        successor[~is_wanted | ~inside[successor]] = n_vertices
    offsets, members, _circular = backends.host().circuits.rank_lists(successor)
    members = members.astype(np.int64)
    sizes = np.diff(offsets)
    order = np.argsort(members[offsets[:-1]], kind="stable")  # by first vertex, cycles too
    if is_wanted is not None:
        order = order[is_wanted[members[offsets[order]]]]
    sizes = sizes[order]
    new_offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    new_members = members[np.repeat(offsets[order] - new_offsets[:-1], sizes) + np.arange(new_offsets[-1])]
    number = np.full(n_vertices, -1)
    number[new_members] = np.repeat(np.arange(len(order)), sizes)
    place = np.zeros(n_vertices, np.int64)
    place[new_members] = np.arange(len(new_members))
    view = _view(graph, number, new_offsets, new_members)
    tails, heads = (ends.astype(np.int64)[view.edges] for ends in edges_of(graph))
    is_inner = (successor[tails] == heads) & (place[heads] == place[tails] + 1)
    return replace(
        view,
        tails=view.tails[~is_inner],
        heads=view.heads[~is_inner],
        edges=view.edges[~is_inner],
        n_parallel=view.n_parallel[~is_inner],
        is_collapsed=bool((sizes > 1).any()),
    )


def _only_successors(graph: Graph, kept: int | None) -> NDArray[np.uint64]:
    """The vertex to which all edges out of each vertex lead, if all edges into it come from there; else the number of
    vertices."""
    n_vertices = graph.n_vertices
    only_head, only_tail = _only_neighbours(graph), _only_neighbours(graph.reverse)
    tails = np.flatnonzero(only_head >= 0)
    tails = tails[(only_tail[only_head[tails]] == tails) & (only_head[tails] != tails)]
    if kept is not None:
        tails = tails[(tails != kept) & (only_head[tails] != kept)]
    successor = np.full(n_vertices, n_vertices, np.uint64)
    successor[tails] = only_head[tails]
    return successor


def _only_neighbours(graph: Graph) -> Longs:
    """The vertex to which all edges out of each vertex lead; -1 if there is none."""
    only = np.full(graph.n_vertices, -1)
    rows = np.flatnonzero(np.diff(graph.row_ptr))
    if len(rows):
        least, most = (of.reduceat(graph.col, graph.row_ptr[rows]) for of in (np.minimum, np.maximum))
        only[rows] = np.where(least == most, least.astype(np.int64), -1)
    return only


def _nearest(view: View, around: int | None, limits: Limits) -> View:
    """Select the vertices nearest to a centre, by default the vertex with most edges, up to the limit.

    If their component has fewer, the selection continues around the vertex with most edges among the rest.
    """
    n_vertices = view.n_vertices
    degree = np.bincount(view.tails, minlength=n_vertices) + np.bincount(view.heads, minlength=n_vertices)
    starts = np.argsort(-degree, kind="stable")
    if around is not None:
        starts = np.flatnonzero(view.first == around)
    order = nearest(view.tails, view.heads, n_vertices, starts, limits.n_vertices)
    rank = np.full(n_vertices, n_vertices)
    rank[order] = np.arange(len(order))
    last = np.maximum(rank[view.tails], rank[view.heads])
    n_edges = np.cumsum(np.bincount(last, minlength=n_vertices + 1)[: len(order)])
    order = order[: max(1, int(np.searchsorted(n_edges, limits.n_edges, side="right")))]
    chosen = np.sort(order)
    number = np.full(n_vertices, -1)
    number[chosen] = np.arange(len(chosen))
    edges = np.flatnonzero((number[view.tails] >= 0) & (number[view.heads] >= 0))[: limits.n_edges]
    sizes = view.sizes[chosen]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    members = view.members[np.repeat(view.offsets[chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])]
    return View(
        offsets,
        members,
        number[view.tails[edges]],
        number[view.heads[edges]],
        view.edges[edges],
        view.n_parallel[edges],
        is_collapsed=bool((sizes > 1).any()),
        n_left_out=len(view.members) - len(members),
        center=int(view.first[starts[0]]),
    )
