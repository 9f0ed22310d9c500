"""A graph as it is drawn, whatever draws it: vertices, edges, how they look and what that means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.drawing.labels import LegendRow, legend_of, notes_of, path_label, short
from debruijn_gpu.drawing.marks import MarkedGraph, mark
from debruijn_gpu.drawing.options import MAX_VERTICES
from debruijn_gpu.drawing.picture_edges import PictureEdge, picture_edges
from debruijn_gpu.drawing.view import Limits, View, Wanted, drawn_part
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.names import OrientedNames
from debruijn_gpu.run.plain_text import counted, one_line

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend
    from debruijn_gpu.drawing.options import DrawOptions
    from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]

_EDGES_PER_VERTEX = 7  # that are drawn at most, on average


@dataclass(frozen=True)
class PictureVertex:
    """A vertex as it is drawn.

    Attributes
    ----------
    name : str
        In full, of a path those of its ends.
    label : str
        Short, maybe of several lines.
    n_in, n_out : int
        Edges in and out, in the whole graph.
    n_vertices : int
        How many it stands for.
    look : str
        ``in``, ``out``, ``both`` or nothing: see `DrawOptions`.
    is_start, is_splice : bool
        Whether an Euler walk begins here, and whether cycles are spliced.
    component : int
        Its box, if there are any.
    """

    name: str
    label: str
    n_in: int
    n_out: int
    n_vertices: int = 1
    look: str = ""
    is_start: bool = False
    is_splice: bool = False
    component: int = 0

    @property
    def is_isolated(self) -> bool:
        """Whether it has no edges in the whole graph."""
        return self.n_vertices == 1 and self.n_in == self.n_out == 0


@dataclass(frozen=True)
class Picture:
    """All that is drawn.

    Attributes
    ----------
    vertices, edges : list
    boxes : list of str
        Titles of the components that have boxes; none if boxes are not asked for.
    legend : list of LegendRow
        What colours mean.
    notes : list of str
        What else is to be known: what was left out.
    is_directed : bool
        Whether edges have arrow heads.
    """

    vertices: list[PictureVertex]
    edges: list[PictureEdge]
    boxes: list[str] = field(default_factory=list)
    legend: list[LegendRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_directed: bool = True


def make_picture(
    graph: Graph, options: DrawOptions, backend: Backend | None = None, max_vertices: int = MAX_VERTICES
) -> Picture:
    """Choose the drawn part of a graph, and its style.

    Parameters
    ----------
    graph : Graph
        In arrays of any backend.
    options : DrawOptions
    backend : Backend, optional
        Finds walks, cycles and trees, the same on each; by default the CPU.
    max_vertices : int
        Where the options do not say it.

    Raises
    ------
    ParameterError
        If the graph has not the vertex around which is to be drawn.
    """
    backend = backend or backends.host()
    graph = graph.on_host()
    if options.reverse:
        graph = graph.reverse
    wanted = Wanted(center_of(graph, options.around), options.chosen_radius, options.collapse)
    marked = mark(graph, options, backend)
    n_most = options.max_vertices or max_vertices
    view = drawn_part(marked.graph, wanted, Limits(n_most, _EDGES_PER_VERTEX * n_most), marked.kinds)
    components, boxes = _boxes(graph, view, backend) if options.clusters else (None, [])
    vertices = _vertices(graph, view, marked, options, components)
    edges = picture_edges(graph, view, marked, options)
    return Picture(
        vertices,
        edges,
        boxes,
        legend_of(marked, options, {one.look for one in vertices}, {one.look for one in edges}),
        notes_of(graph, view, options),
        is_directed=not options.undirected or marked.graph is not graph,
    )


def center_of(graph: Graph, name: str | None) -> int | None:
    """The vertex around which is to be drawn; a segment of GFA is meant forward if its direction is not said.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    if name is None:
        return None
    names = (name, f"{name}+") if isinstance(graph.names, OrientedNames) else (name,)
    for one in names:
        if one in graph:
            return graph.vertex(one)
    raise ParameterError(
        f"--around {one_line(name)}: the graph has no such vertex",
        "choose one that it has: dbg graph --components weak lists them",
    )


def _boxes(graph: Graph, view: View, backend: Backend) -> tuple[Longs, list[str]]:
    """The box of each vertex of a view, numbered in their order, and what is written on it."""
    on_device = graph.moved(backend.to_device)
    component = backend.to_host(backend.graphs.weak_components(on_device.row_ptr, on_device.col)).astype(np.int64)
    n_vertices = np.bincount(component, minlength=graph.n_vertices)
    n_edges = np.zeros(graph.n_vertices, np.int64)
    np.add.at(n_edges, component, np.diff(graph.row_ptr))
    found = component[view.first]
    labels, first, box = np.unique(found, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    titles = [
        f"{counted(int(n_vertices[label]), 'vertex', 'vertices')}, {counted(int(n_edges[label]), 'edge', 'edges')}"
        for label in labels[order].tolist()
    ]
    return rank[box.reshape(-1)], titles


def _vertices(
    graph: Graph, view: View, marked: MarkedGraph, options: DrawOptions, components: Longs | None
) -> list[PictureVertex]:
    n_in, n_out = graph.in_degrees, graph.out_degrees
    starts, splices = (
        _has_any(view, chosen) for chosen in (marked.starts, None if marked.cycles is None else marked.cycles.splices)
    )
    most_in, most_out = (_most(view, degrees) for degrees in (n_in, n_out))
    columns = zip(
        view.first.tolist(),
        view.last.tolist(),
        view.sizes.tolist(),
        most_in.tolist(),
        most_out.tolist(),
        starts.tolist(),
        splices.tolist(),
        [0] * view.n_vertices if components is None else components.tolist(),
        strict=True,
    )
    vertices = []
    for first, last, size, degree_in, degree_out, is_start, is_splice, component in columns:
        names = graph.names.name(first), graph.names.name(last)
        look = _look(degree_in, degree_out, options)
        label = short(names[0]) if size == 1 else path_label(*names, size)
        vertices.append(
            PictureVertex(
                name=one_line(names[0]) if size == 1 else f"{one_line(names[0])} … {one_line(names[1])}",
                label=_with_degrees(label, look, degree_in, degree_out),
                n_in=int(n_in[first]),
                n_out=int(n_out[last]),
                n_vertices=size,
                look=look,
                is_start=is_start,
                is_splice=is_splice,
                component=component,
            )
        )
    return vertices


def _has_any(view: View, vertices: Longs | None) -> NDArray[np.bool_]:
    """Return whether each vertex of a view represents one of these."""
    if vertices is None:
        return np.zeros(view.n_vertices, np.bool_)
    number = np.repeat(np.arange(view.n_vertices), view.sizes)
    found: NDArray[np.bool_] = np.bincount(number[np.isin(view.members, vertices)], minlength=view.n_vertices) > 0
    return found


def _most(view: View, degrees: Longs) -> Longs:
    """The largest degree among the vertices that each stands for."""
    if not view.n_vertices:
        return np.empty(0, np.int64)
    most: Longs = np.maximum.reduceat(degrees[view.members], view.offsets[:-1])
    return most


def _look(n_in: int, n_out: int, options: DrawOptions) -> str:
    many_in = options.in_degree is not None and n_in >= options.in_degree
    many_out = options.out_degree is not None and n_out >= options.out_degree
    return "both" if many_in and many_out else "in" if many_in else "out" if many_out else ""


def _with_degrees(label: str, look: str, n_in: int, n_out: int) -> str:
    """A label with the degrees that give a vertex its colour, which is never told by colour alone."""
    shown = {"in": f"{n_in} in", "out": f"{n_out} out", "both": f"{n_in} in, {n_out} out", "": ""}[look]
    return f"{label}\n{shown}" if shown else label
