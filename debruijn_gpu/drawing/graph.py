"""Drawings of graphs, and their data for pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debruijn_gpu.drawing import program
from debruijn_gpu.drawing.dot import dot_text
from debruijn_gpu.drawing.options import MAX_PAGE_VERTICES, DrawOptions
from debruijn_gpu.drawing.picture import make_picture
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run.file_formats import compression_of, formats_of

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend
    from debruijn_gpu.drawing.options import DrawOptions
    from debruijn_gpu.drawing.picture import Picture
    from debruijn_gpu.graph.graph import Graph

_FORMATS = ("svg", "png", "pdf", "dot")
_DEFAULTS = DrawOptions()


@dataclass(frozen=True)
class Drawing:
    """A drawing of a graph; a notebook shows it.

    All but ``dot`` need the program of that name: see `program.render` for what they raise.

    Attributes
    ----------
    dot : str
        In DOT, the language of graphviz.
    notes : tuple of str
        What is not drawn as it is, each in a line.
    """

    dot: str
    notes: tuple[str, ...] = ()

    def svg(self) -> str:
        """As SVG."""
        return program.render(self.dot, "svg").decode()

    def png(self) -> bytes:
        """As PNG, 144 pixels an inch."""
        return program.render(self.dot, "png")

    def pdf(self) -> bytes:
        """As PDF."""
        return program.render(self.dot, "pdf")

    def in_format(self, file_format: str) -> bytes:
        """As ``svg``, ``png``, ``pdf`` or ``dot``."""
        return self.dot.encode() if file_format == "dot" else program.render(self.dot, file_format)

    def save(self, path: Path | str) -> None:
        """Write it to a file, in the format of the file extension: .svg, .png, .pdf or .dot.

        Raises
        ------
        ParameterError
            If it ends in something else.
        """
        file_format = next((name for name in formats_of(str(path)) if name in _FORMATS), None)
        if file_format is None or compression_of(str(path)):
            raise ParameterError(f"{path}: no name of a drawing", "let it end in .svg, .png, .pdf or .dot")
        Path(path).write_bytes(self.in_format(file_format))

    def _repr_svg_(self) -> str | None:
        return self.svg() if program.is_there() else None


def draw(graph: Graph, options: DrawOptions = _DEFAULTS, backend: Backend | None = None) -> Drawing:
    """Draw a graph; the same graph and options give the same DOT, whatever the backend.

    Of graphs of more than 300 vertices (or ``max_vertices``), paths without branches become one vertex each; if that is
    not enough, what is nearest to the vertex with most edges is drawn. Notes in the drawing say so.

    Parameters
    ----------
    graph : Graph
        In arrays of any backend.
    options : DrawOptions
    backend : Backend, optional
        Finds walks, cycles and trees; by default the CPU.

    Raises
    ------
    ParameterError
        If the graph has not the vertex around which is to be drawn.
    """
    picture = make_picture(graph, options, backend)
    return Drawing(dot_text(picture, options.layout), tuple(picture.notes))


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
