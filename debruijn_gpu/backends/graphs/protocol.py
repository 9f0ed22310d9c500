"""What a backend does to tell the structure of a graph: components, spanning forest, ranks.

A graph is ``row_ptr`` and ``col`` as in `graph_interface`, in arrays of the backend, which stay as they are. Directions
do not count where it says "weakly". Results, ranks too, are the same bytes on `cpu` and `cuda`.
"""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.arrays.protocol import Array


class ComponentBackend(Protocol):
    """A module with the names of all these."""

    def weak_components(self, row_ptr: Array, col: Array) -> Array:
        """Smallest vertex of the weakly connected component of each vertex: int64 (n_vertices,).

        Union-find that many threads work on at once, the smaller root on top (Jayanti and Tarjan 2016, A randomized
        concurrent algorithm for disjoint set union; Jaiganesh and Burtscher 2018, ECL-CC).
        """

    def strong_components(self, row_ptr: Array, col: Array) -> Array:
        """Smallest vertex of the strongly connected component of each vertex: int64 (n_vertices,).

        `cpu`: depth-first search (Tarjan 1972). `cuda`: the greatest vertex that reaches each and that each reaches, in
        an order of the vertices by hash, spread along the edges (Alabandi, Sands, Biros and Burtscher 2023, ECL-SCC).
        """

    def spanning_forest(self, row_ptr: Array, col: Array) -> Array:
        """Edge ids (int64, ascending) of the minimum spanning forest by edge id, directions aside.

        No edge closes a cycle with edges of smaller ids, which makes the forest unique. `cpu`: Kruskal 1956. `cuda`:
        rounds of Borůvka 1926.
        """

    def page_rank(
        self,
        row_ptr: Array,
        col: Array,
        weights: Array | None,
        damping: float,
        tolerance: float,
        max_iterations: int,
    ) -> tuple[Array, int]:
        """PageRank (float64 (n_vertices,), the sum is 1) and the number of iterations, as networkx defines it.

        Power iteration from equal ranks. A vertex hands ``damping`` of its rank to the heads of its edges in proportion
        to their weights, or to all vertices equally if these sum to 0; the rest goes to all equally. It ends when the
        ranks change by less than ``tolerance * n_vertices`` in sum. `power_iteration` has the arithmetic. (Brin and
        Page 1998; Langville and Meyer 2005.)

        Parameters
        ----------
        row_ptr, col : the graph
        weights : float64 (n_edges,), not negative and of a finite sum, or None for 1 each
        damping, tolerance, max_iterations : see above

        Raises
        ------
        ParameterError
            If the iterations do not suffice.
        """

    def count_loops_and_repeats(self, row_ptr: Array, col: Array) -> tuple[int, int]:
        """Loops, and edges that repeat the one before them, in a graph whose heads ascend in each row, as
        `ArrayBackend.csr_reverse` leaves them."""
