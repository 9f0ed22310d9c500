"""Choose the layout of a picture, and its direction, by the shape of the graph."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends

if TYPE_CHECKING:
    from debruijn_gpu.drawing.picture import Picture

#: Layouts that draw a box around each component
BOX_LAYOUTS = ("dot", "fdp")

#: Cycles from which on rows get so far apart that names become too small, and dot, with labels at edges, slow
_MOST_CYCLES = 60
_MOST_IN_ROWS, _MOST_NEIGHBOURS, _MOST_BOXES = 100, 30, 12  # that dot draws so that one sees anything
_MOST_IN_BOX = 60  # of fdp
_INCHES, _LEAST_INCHES = 0.09, 0.4  # width of a letter, and of a vertex
_SCREEN, _CLEARLY = 1.5, 0.5  # width by height; how much nearer to that another direction must come, as a logarithm
_LONG = 16  # width by height, or height by width, from which on rows are a ribbon
_MOST_SPRINGS = 200  # vertices that neato lays out in a second


def choose_layout(picture: Picture) -> str:
    """Choose the program of Graphviz that lays a picture out, by the shape of the graph.

    dot, which draws in rows, unless these would be a long ribbon that holds a cycle: cycles that share at most vertices
    are circles (circo), others springs (neato). Where rows take too long or get too wide, sfdp or, with boxes, fdp.
    That makes a tangle of a large box; sfdp knows no boxes, but lays components apart.
    """
    n_vertices = len(picture.vertices)
    largest_box = max(Counter(vertex.component for vertex in picture.vertices).values(), default=0)
    other = "fdp" if picture.boxes and largest_box <= _MOST_IN_BOX else "sfdp"
    if len(picture.boxes) > _MOST_BOXES:
        return other
    ends = np.array([(edge.tail, edge.head) for edge in picture.edges if edge.tail != edge.head], np.uint64)
    if not len(ends):
        return "dot"
    neighbours = _neighbours(picture)
    row_ptr, col = backends.host().graphs.csr_from_edges(ends[:, 0].copy(), ends[:, 1].copy(), n_vertices)
    n_components = len(np.unique(backends.host().graphs.weak_components(row_ptr, col)))
    has_cycles = sum(map(len, neighbours)) // 2 > n_vertices - n_components
    if has_cycles and not picture.boxes and _aspect(picture) > _LONG:
        if _are_edge_disjoint(neighbours):
            return "circo"
        if n_vertices <= _MOST_SPRINGS:
            return "neato"
    if n_vertices > _MOST_IN_ROWS or max(map(len, neighbours)) > _MOST_NEIGHBOURS:
        return other
    if any(edge.label for edge in picture.edges) and not picture.boxes and n_components > _MOST_BOXES:
        return other  # as packing loses labels, they would stand in one row
    return other if len(ends) - n_vertices + n_components > _MOST_CYCLES else "dot"


def _neighbours(picture: Picture) -> list[list[int]]:
    """List the distinct other vertices at the ends of each vertex's edges."""
    neighbours: list[dict[int, None]] = [{} for _ in picture.vertices]
    for edge in picture.edges:
        if edge.tail != edge.head:
            neighbours[edge.tail][edge.head] = neighbours[edge.head][edge.tail] = None
    return list(map(list, neighbours))


def _are_edge_disjoint(neighbours: list[list[int]]) -> bool:
    """Return whether no two cycles share an edge (cactus graph): no edge of a depth-first tree is below two others.

    Each edge outside of the tree closes a cycle along the tree, from a vertex to one above it.
    """
    above: dict[int, int] = {}
    depth: dict[int, int] = {}
    is_closed: set[int] = set()  # vertices whose edge to the one above is in a cycle
    for root in range(len(neighbours)):
        if root in depth:
            continue
        depth[root] = 0
        stack = [(root, iter(neighbours[root]))]
        while stack:
            vertex, rest = stack[-1]
            other = next(rest, None)
            if other is None:
                stack.pop()
            elif other not in depth:
                above[other], depth[other] = vertex, depth[vertex] + 1
                stack.append((other, iter(neighbours[other])))
            elif depth[other] < depth[vertex] - 1:
                while vertex != other:
                    if vertex in is_closed:
                        return False
                    is_closed.add(vertex)
                    vertex = above[vertex]
    return True


def direction(picture: Picture) -> str:
    """From top to bottom, or from left to right where that comes clearly nearer to the shape of a screen."""
    loops = Counter(edge.tail for edge in picture.edges if edge.tail == edge.head and edge.label)
    if not picture.vertices or max(loops.values(), default=0) > 1:
        return "TB"  # where loops are beside a vertex, so that their labels do not overlap
    down, across = _shapes(picture)
    return "LR" if abs(math.log(across / _SCREEN)) + _CLEARLY < abs(math.log(down / _SCREEN)) else "TB"


def _aspect(picture: Picture) -> float:
    """Estimate the longer by the shorter side of a picture in rows, in the better direction."""
    return min(max(shape, 1 / shape) for shape in _shapes(picture))


def _shapes(picture: Picture) -> tuple[float, float]:
    """Estimate width by height in rows from top to bottom, and from left to right; of a picture with vertices."""
    sizes = _level_sizes(picture)
    depth, breadth = len(sizes), max(sizes)
    letters = sum(width_of(vertex.label) for vertex in picture.vertices) / len(picture.vertices)
    width = max(_LEAST_INCHES, letters * _INCHES)
    return breadth * (width + 0.3) / (depth * 0.8), depth * (width + 0.5) / (breadth * 0.65)


def _level_sizes(picture: Picture) -> list[int]:
    """Estimate the vertices per row by distance from sources, or from the first vertex without any."""
    heads: list[list[int]] = [[] for _ in picture.vertices]
    for edge in picture.edges:
        heads[edge.tail].append(edge.head)
    has_tails = {edge.head for edge in picture.edges if edge.head != edge.tail}
    vertices = range(len(heads))
    seen: set[int] = set()
    sizes: Counter[int] = Counter()
    for starts in ([vertex for vertex in vertices if vertex not in has_tails], *([vertex] for vertex in vertices)):
        frontier, depth = [vertex for vertex in starts if vertex not in seen], 0
        while frontier:
            seen.update(frontier)
            sizes[depth] += len(frontier)
            depth += 1
            frontier = list(dict.fromkeys(head for tail in frontier for head in heads[tail] if head not in seen))
    return list(sizes.values())


def width_of(label: str) -> int:
    """Letters of the longest line of a label."""
    return max(map(len, label.split("\n")))
