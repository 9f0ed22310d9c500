"""Pictures of graphs as data for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from debruijn_gpu.drawing.options import MAX_PAGE_VERTICES
from debruijn_gpu.drawing.picture import make_picture

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend
    from debruijn_gpu.drawing.options import DrawOptions
    from debruijn_gpu.drawing.picture import Picture
    from debruijn_gpu.graph.graph import Graph


def vertex_data(graph: Graph, options: DrawOptions, backend: Backend | None = None) -> dict[str, Any]:
    """Collect the data of a page of a graph: by default at most 5000 vertices.

    Parameters
    ----------
    graph, options, backend
        See `drawing.graph.draw`.

    Returns
    -------
    dict
        ``kind`` "vertices"; of each vertex ``names``, ``in`` and ``out``; of each edge ``tails``, ``heads`` and, if any
        has one, ``labels``. Where there is some to show: of each vertex ``node_class``, ``sizes``, ``components``; of
        each edge ``edge_class``; ``n_edges``, if some stand for several or were added; ``start`` and ``join``, vertices
        where walks begin and cycles are spliced; ``legend``, rows of kind, class and text; ``note``; ``undirected``.
    """
    return _data_of(make_picture(graph, options, backend, MAX_PAGE_VERTICES))


def _data_of(picture: Picture) -> dict[str, Any]:
    vertices, edges = picture.vertices, picture.edges
    data: dict[str, Any] = {
        "kind": "vertices",
        "names": [vertex.name for vertex in vertices],
        "tails": [edge.tail for edge in edges],
        "heads": [edge.head for edge in edges],
        "labels": [edge.label for edge in edges] if any(edge.label for edge in edges) else None,
        "in": [vertex.n_in for vertex in vertices],
        "out": [vertex.n_out for vertex in vertices],
    }
    n_edges = sum(edge.n_edges for edge in edges)
    if n_edges != len(edges):
        data["n_edges"] = n_edges
    optional: dict[str, Any] = {
        "node_class": [vertex.look for vertex in vertices],
        "edge_class": [edge.look for edge in edges],
        "start": [number for number, vertex in enumerate(vertices) if vertex.is_start],
        "join": [number for number, vertex in enumerate(vertices) if vertex.is_splice],
        "legend": [list(row) for row in picture.legend],
        "note": "; ".join(picture.notes),
    }
    data |= {name: values for name, values in optional.items() if any(values)}
    if any(vertex.n_vertices > 1 for vertex in vertices):
        data["sizes"] = [vertex.n_vertices for vertex in vertices]
    if picture.boxes:
        data["components"] = [vertex.component for vertex in vertices]
    if not picture.is_directed:
        data["undirected"] = True
    return data
