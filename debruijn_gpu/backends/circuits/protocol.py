"""What a backend does to find Euler circuits of a balanced graph (every vertex has as many edges in as out), and to
follow linked lists.

After Awerbuch, Israeli and Shiloach (1984), without their graph of circuits:

1. `pair_edges` chooses, at each vertex, which edge in comes before which edge out. That leaves circles of edges.
2. `find_circles` walks them: which there are, how long they are, where what lies on them.
3. `join_circles` finds places where neighbouring edges out of a vertex are on different circles. Exchanging the edges
   before them makes one circle of two. The minimum spanning forest by edge id of the circles is unique, and so are the
   circuits, whatever finds them.
4. `write_circuits` cuts the circles there and writes the pieces in their new order.

The pairing: of the d edges into vertex v, in ascending order, the one at place (i + r) modulo d comes before the i-th
edge out of v, where r = `scalars.rotation`(v, d). In plain order (r = 0), shift-register graphs fall into millions of
circles, with it into a few. The exchange: where p is in the forest, the edges before p - 1 and p are swapped, in
ascending order of p.

Lists become circles when each end, in ascending order, is put before the head that is next in order. Cut at the heads,
the circles fall into the lists again.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from debruijn_gpu.backends.arrays.protocol import Array

#: Circles of edges, in a form that the backend chooses; ``n_circles`` says how many there are.
Circles: TypeAlias = Any
#: Where circles are joined, in a form that the backend chooses; ``n_joins`` says at how many edges, and ``edges`` at
#: which (int64, in any order).
Joins: TypeAlias = Any


class CircuitBackend(Protocol):
    """A module with these names. Edge ids are uint32 if there are at most 2^32 edges, else uint64."""

    def pair_edges(self, row_ptr: Array, col: Array) -> Array | None:
        """The edge (id) before each edge; None if the graph is not balanced."""

    def find_circles(self, predecessor: Array) -> Circles:
        """The circles that a permutation of the edges consists of. (Sublists between random splitters, ranked on
        their own: Helman and JáJá 1999.)"""

    def join_circles(self, col: Array, predecessor: Array, circles: Circles) -> Joins:
        """The minimum spanning forest of the circles, by edge id, with edge p between the circles of p - 1 and p if
        both leave the same vertex. (Kruskal 1956; Borůvka 1926.)"""

    def write_circuits(self, predecessor: Array, circles: Circles, joins: Joins) -> tuple[Array, Array]:
        """One circuit of each connected component that has edges: offsets (int64, n + 1) and edge ids (n_edges,). Each
        begins with its smallest edge, and they come in the order of these."""

    def follow_lists(self, successor: Array) -> tuple[Array, Array, Array]:
        """All n items along their linked lists: offsets (int64, n_lists + 1), items (as successor, n), circular (bool,
        n_lists). ``successor[i]`` (uint32 or uint64) is n at the end of a list, and no two items have the same
        successor. Lists come by their first item, then circles by their smallest, from which they start."""
