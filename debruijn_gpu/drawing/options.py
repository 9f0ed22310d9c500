"""What a user can set of drawings of graphs; as `options`."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.errors import ParameterError, UsageError

#: Forms of drawings
DRAWING_FORMS = ("svg", "png", "pdf", "dot", "html")
#: Of the circuits: as the edges are paired at each vertex, or after that
STAGES = ("matched", "joined")
#: More vertices than these are not drawn, but a part of the graph or its paths as one vertex each
MAX_VERTICES, MAX_PAGE_VERTICES = 300, 5000
#: From a vertex, if it is not said
RADIUS = 3


@dataclass(frozen=True, kw_only=True)
class DrawOptions:
    """What a drawing of a graph shows; see `drawing.graph.draw`."""

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

    def __post_init__(self) -> None:
        for name, value, least in (
            ("--in", self.in_degree, 0),
            ("--out", self.out_degree, 0),
            ("--radius", self.radius, 0),
            ("--max-vertices", self.max_vertices, 1),
        ):
            if value is not None and value < least:
                raise ParameterError(f"{name} is {value}", f"give {least} or more")
        if self.stage is not None and self.stage not in STAGES:
            raise UsageError(f"--stage {self.stage}: no such stage", f"choose one of {', '.join(STAGES)}")
        for given, needed, why in (
            (self.wash, self.spanning_tree, "--wash fades the edges that are not in a tree: add --spanning-tree"),
            (self.stage, self.circuits, "--stage is one of the circuits: add --circuits"),
            (self.radius is not None, self.around is not None, "--radius is from a vertex: name it with --around"),
        ):
            if given and not needed:
                raise UsageError(*why.split(": "))
        if self.spanning_tree and self.circuits:
            raise UsageError("--spanning-tree and --circuits both give the edges their colours", "make two drawings")
        if self.undirected and self.reverse:
            raise UsageError("--reverse turns edges round, which with --undirected have no direction", "leave one out")
        if self.undirected and (self.in_degree is not None or self.out_degree is not None):
            raise UsageError("--in and --out: edges have no direction with --undirected", "leave --undirected out")

    @property
    def chosen_radius(self) -> int:
        return RADIUS if self.radius is None else self.radius

    @property
    def colours_edges(self) -> bool:
        """Whether colours or numbers tell of single edges."""
        return self.euler or self.spanning_tree or self.circuits
