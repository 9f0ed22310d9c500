"""List all Euler circuits and paths of a graph, in lexicographic order, with a walk of bounded delay to each.

Fleury (1883) walks edge by edge and never takes one without which the rest cannot be walked. Whether it can follows
from a tree of unused edges that lead to the last vertex (of the BEST theorem: van Aardenne-Ehrenfest and de Bruijn
1951): in a graph whose vertices have as many edges in as out, but for both ends of the walk, the rest can be walked if
and only if there is such a tree from all vertices with unused edges. Only where an edge of the tree is taken, a vertex
needs another one: it is found along the tree, or by a search among the vertices behind it.

Parallel edges are alike, so walks are sequences of vertices. A circuit is listed once: from one edge, the first one of
its start. Where that edge is passed more than once, the walk is listed that is the least of those that the circuit
gives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph

#: Memory for each edge and for each vertex
BYTES_PER_EDGE = 200

#: Whether a walk may take an edge next: the walk so far and the edge
Filter = Callable[[list[int], int], bool]


@dataclass(frozen=True, eq=False)
class EdgeClasses:
    """Parallel edges of a graph as one, in Python lists, which are faster to walk edge by edge.

    Attributes
    ----------
    row_ptr : list of int, length n_vertices + 1
        The classes out of vertex v are ``row_ptr[v]`` to ``row_ptr[v + 1] - 1``, in the order of their heads.
    tails, heads, counts : list of int, length n_classes
        Ends of each class, and how many edges it has.
    edges : list of int, length n_classes
        The first edge of each class in the graph.
    """

    row_ptr: list[int]
    tails: list[int]
    heads: list[int]
    counts: list[int]
    edges: list[int]

    @property
    def n_vertices(self) -> int:
        return len(self.row_ptr) - 1


def edge_classes(graph: Graph) -> EdgeClasses:
    """Collect the parallel edges of a graph in NumPy arrays."""
    tails = np.repeat(np.arange(graph.n_vertices), np.diff(graph.row_ptr))
    heads = graph.col.astype(np.int64)
    order = np.lexsort((heads, tails))
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (np.diff(tails[order]) != 0) | (np.diff(heads[order]) != 0)
    first = np.flatnonzero(is_first)
    chosen = order[first]
    return EdgeClasses(
        np.searchsorted(tails[chosen], np.arange(graph.n_vertices + 1)).tolist(),
        tails[chosen].tolist(),
        heads[chosen].tolist(),
        np.diff(first, append=len(order)).tolist(),
        chosen.tolist(),
    )


class UnusedEdges:
    """Edges that a walk has not used, and a tree of them that leads to its last vertex.

    Parameters
    ----------
    classes : EdgeClasses
    last : int
        The vertex where the walk ends.

    Attributes
    ----------
    left : list of int
        Unused edges of each class.
    degree : list of int
        Unused edges out of each vertex.
    """

    def __init__(self, classes: EdgeClasses, last: int) -> None:
        self._row_ptr, self._tails, self._heads = classes.row_ptr, classes.tails, classes.heads
        self._last = last
        self.left = list(classes.counts)
        self.degree = [sum(classes.counts[a:b]) for a, b in pairwise(classes.row_ptr)]
        self._next = self._tree(classes.n_vertices)  # the class by which a vertex leads to the last one

    def _tree(self, n_vertices: int) -> list[int]:
        """Search backward, breadth first, from the last vertex."""
        order = sorted(range(len(self._heads)), key=self._heads.__getitem__)
        begins = [0] * (n_vertices + 1)
        for head in self._heads:
            begins[head + 1] += 1
        for vertex in range(n_vertices):
            begins[vertex + 1] += begins[vertex]
        found = [-1] * n_vertices
        waiting = deque([self._last])
        while waiting:
            vertex = waiting.popleft()
            for each in order[begins[vertex] : begins[vertex + 1]]:
                tail = self._tails[each]
                if found[tail] < 0 and tail != self._last:
                    found[tail] = each
                    waiting.append(tail)
        return found

    def may_take(self, edge: int) -> bool:
        """Whether the rest can be walked if an unused edge of a class is taken next, at the walk's end."""
        vertex = self._tails[edge]
        if self._next[vertex] != edge or self.left[edge] > 1 or self.degree[vertex] == 1 or vertex == self._last:
            return True
        return self._redirect(vertex, edge)

    def take(self, edge: int) -> None:
        """Use an edge of a class."""
        self.left[edge] -= 1
        self.degree[self._tails[edge]] -= 1

    def give_back(self, edge: int) -> None:
        """Take the last edge of the walk back."""
        vertex = self._tails[edge]
        self.left[edge] += 1
        self.degree[vertex] += 1
        if self.degree[vertex] == 1:
            self._next[vertex] = edge

    def _redirect(self, vertex: int, without: int) -> bool:
        """Lead a vertex and those behind it to the last vertex another way; False if there is none."""
        row_ptr, heads, left, tree, last = self._row_ptr, self._heads, self.left, self._next, self._last
        leads_away = {vertex: False, last: True}  # whether the path along the tree avoids the vertex
        came_by: dict[int, int] = {}  # the class by which the search came to a vertex behind
        waiting = deque([vertex])
        while waiting:
            at = waiting.popleft()
            for each in range(row_ptr[at], row_ptr[at + 1]):
                if not left[each] or each == without:
                    continue
                head = heads[each]
                passed = []
                step = head
                while step not in leads_away:
                    passed.append(step)
                    step = heads[tree[step]]
                is_away = leads_away[step]
                leads_away.update(dict.fromkeys(passed, is_away))
                if is_away:
                    tree[at] = each
                    while at != vertex:
                        edge = came_by[at]
                        at = self._tails[edge]
                        tree[at] = edge
                    return True
                if head != vertex and head not in came_by:
                    came_by[head] = each
                    waiting.append(head)
        return False


def euler_trails(
    classes: EdgeClasses, n_edges: int, start: int, last: int, first: int = -1, allowed: Filter | None = None
) -> Iterator[list[int]]:
    """Yield all Euler trails from a vertex to another or the same one, in lexicographic order of their vertices.

    Parameters
    ----------
    classes : EdgeClasses
        All edges of the trails' component can be walked from ``start`` to ``last``, by their degrees and connections.
    n_edges : int
        Of that component.
    start, last : int
        Vertices.
    first : int
        The class that trails begin with; -1: any one.
    allowed : callable, optional
        Further condition on the next edge of a trail.

    Yields
    ------
    list of int
        Classes. The list is used again: copy what is kept.
    """
    row_ptr, heads = classes.row_ptr, classes.heads
    unused = UnusedEdges(classes, last)
    left = unused.left
    trail: list[int] = []
    if first >= 0:
        unused.take(first)
        trail.append(first)
        start = heads[first]
    n_fixed, vertex, edge = len(trail), start, row_ptr[start]
    if len(trail) == n_edges:
        yield trail
        return
    while True:
        end = row_ptr[vertex + 1]
        while edge < end and not (left[edge] and (allowed is None or allowed(trail, edge)) and unused.may_take(edge)):
            edge += 1
        if edge < end:
            unused.take(edge)
            trail.append(edge)
            vertex = heads[edge]
            edge = row_ptr[vertex]
            if len(trail) < n_edges:
                continue
            yield trail
        if len(trail) == n_fixed:
            return
        edge = trail.pop()
        unused.give_back(edge)
        vertex = classes.tails[edge]
        edge += 1


def euler_circuits_from(classes: EdgeClasses, n_edges: int, start: int) -> Iterator[list[int]]:
    """Yield all Euler circuits of a component once each, as trails that begin with the first class out of a vertex."""
    first = classes.row_ptr[start]
    for trail in euler_trails(classes, n_edges, start, start, first):
        if classes.counts[first] == 1 or _is_least(trail, first):
            yield trail


def _is_least(trail: list[int], first: int) -> bool:
    """Whether a closed trail is the least of its rotations that begin with a class."""
    return all(trail <= trail[at:] + trail[:at] for at in range(1, len(trail)) if trail[at] == first)
