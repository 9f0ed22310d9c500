"""Drawings of graphs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from debruijn_gpu.drawing import program
from debruijn_gpu.drawing.dot import dot_text
from debruijn_gpu.drawing.options import DrawOptions
from debruijn_gpu.drawing.picture import make_picture
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run.file_formats import compression_of, formats_of

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend
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
    return Drawing(dot_text(picture), tuple(picture.notes))
