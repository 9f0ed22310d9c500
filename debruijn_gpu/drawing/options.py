"""Options of drawings of graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.run.checks import Checked, at_least, excludes, needs, one_of

#: Formats of drawings
DRAWING_FORMATS = ("svg", "png", "pdf", "dot", "html")
#: Of the circuits: as the edges are paired at each vertex, or after that
STAGES = ("matched", "spliced")
#: Layouts that can be asked for: programs of Graphviz
LAYOUTS = ("dot", "neato", "circo", "sfdp")
#: More vertices than these are not drawn, but a part of the graph or its paths as one vertex each
MAX_VERTICES, MAX_PAGE_VERTICES = 300, 5000
#: From a vertex, if it is not said
RADIUS = 3


@dataclass(frozen=True, kw_only=True)
class DrawOptions(Checked):
    """Options of the drawing of a graph; see `drawing.graph.draw`."""

    in_degree: int | None = None  # vertices with so many edges in, or more, are green
    out_degree: int | None = None  # with so many out yellow, and where both hold blue
    clusters: bool = False  # a box around each weakly connected component
    euler: bool = False  # edges are numbered along Euler circuits, paths or trails
    edge_labels: bool = False  # words, weights or numbers of the edges
    spanning_tree: bool = False  # a spanning forest is red
    wash: bool = False  # and the other edges faint
    circuits: bool = False  # the circuits that an Euler circuit is made of, each in its colour
    stage: str | None = None  # of these, one of STAGES; None: matched
    around: str | None = None  # the neighbourhood of this vertex alone
    radius: int | None = None  # which goes so many edges far, in either direction; None: RADIUS
    collapse: bool = False  # paths without branches are one vertex each, also in small graphs
    reverse: bool = False  # each edge turned round
    undirected: bool = False  # edges have no direction
    max_vertices: int | None = None  # None: MAX_VERTICES, on a page MAX_PAGE_VERTICES
    layout: str | None = None  # of a drawing, one of LAYOUTS; None: by the shape of the graph

    option_names: ClassVar = {"in_degree": "--in", "out_degree": "--out"}
    checks = (
        at_least("in_degree", 0),
        at_least("out_degree", 0),
        at_least("radius", 0),
        at_least("max_vertices", 1),
        one_of("stage", STAGES),
        one_of("layout", LAYOUTS),
        needs("wash", "spanning_tree", remedy="add --spanning-tree: all edges outside of the tree become faint"),
        needs("stage", "circuits"),
        needs("radius", "around", remedy="name a vertex with --around"),
        excludes("spanning_tree", "circuits", remedy="make two drawings: both colour the edges"),
        excludes("undirected", "reverse", "in_degree", "out_degree", remedy="leave one out: edges have no direction"),
    )

    @property
    def chosen_radius(self) -> int:
        return RADIUS if self.radius is None else self.radius

    @property
    def colours_edges(self) -> bool:
        """Whether colours or numbers describe single edges."""
        return self.euler or self.spanning_tree or self.circuits
