"""Protocol of the family `graphs`: build, transform, generate and analyse graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.random_words import random_words


@dataclass(frozen=True)
class Permutation:
    """A random permutation of 0..n-1, as `core.scalars.permute` takes it.

    Attributes
    ----------
    n, n_bits : uint64
    keys : ndarray, dtype=uint64, shape=(8,)
    """

    n: np.uint64
    n_bits: np.uint64
    keys: NDArray[np.uint64]


def random_permutation(n: int, seed: int, purpose: str) -> Permutation:
    """Draw the permutation of 0..n-1 (n at least 1) of a seed and a purpose."""
    return Permutation(np.uint64(n), np.uint64((n - 1).bit_length()), random_words(seed, purpose, 8))


@dataclass(frozen=True)
class Cactus:
    """Describe a random cactus graph: edge-disjoint cycles, each sharing one vertex with earlier ones.

    The edges 0..n_edges-1 are cut into ``n_cycles`` cells of nearly equal length. Cycle r begins at a random edge of
    cell r that is not its last (cycle 0 at edge 0) and ends where cycle r + 1 begins; hence it has at least 2 edges.
    Its first vertex, if r > 0, is a random one of the ``begin(r) - r + 1`` vertices of earlier cycles. Its other
    vertices are new and numbered consecutively.

    Attributes
    ----------
    n_edges, n_cycles : int
        At least 1 cycle, and 2 edges for each.
    """

    n_edges: int
    n_cycles: int

    @property
    def n_vertices(self) -> int:
        return self.n_edges - self.n_cycles + 1

    @property
    def cells(self) -> tuple[np.uint64, np.uint64]:
        """Return the edges per cell, and the number of first cells with one more."""
        return np.uint64(self.n_edges // self.n_cycles), np.uint64(self.n_edges % self.n_cycles)


class GraphOperations(Protocol):
    """Build, transform and generate graphs in compressed sparse rows; compute their components and ranks."""

    def csr_from_edges(self, tails: Array, heads: Array, n_vertices: int) -> tuple[Array, Array]:
        """Build the CSR (row_ptr, col) of an edge list.

        Edges of a row keep the order of the list (stable).
        """

    def csr_tails(self, row_ptr: Array, col: Array) -> Array:
        """Compute the tail of each edge of a CSR, in the dtype of col."""

    def csr_reverse(self, row_ptr: Array, col: Array) -> tuple[Array, Array]:
        """Build the CSR of the reversed graph; the tails in each row ascend.

        The number of vertices stays.
        """

    def out_degrees(self, row_ptr: Array) -> Array:
        """Compute the out-degree (int64) of each vertex."""

    def in_degrees(self, col: Array, n_vertices: int) -> Array:
        """Compute the in-degree (int64) of each vertex."""

    def weak_components(self, row_ptr: Array, col: Array) -> Array:
        """Compute the smallest vertex (int64) of the weakly connected component of each vertex.

        Union-find that many threads work on at once, the smaller root on top (Jayanti and Tarjan 2016, A randomized
        concurrent algorithm for disjoint set union; Jaiganesh and Burtscher 2018, ECL-CC).
        """

    def strong_components(self, row_ptr: Array, col: Array) -> Array:
        """Compute the smallest vertex (int64) of the strongly connected component of each vertex.

        `cpu`: depth-first search (Tarjan 1972). `cuda`: the greatest vertex that reaches each and that each reaches, in
        an order of the vertices by hash, spread along the edges (Alabandi, Sands, Biros and Burtscher 2023, ECL-SCC).
        """

    def spanning_forest(self, row_ptr: Array, col: Array) -> Array:
        """Compute the minimum spanning forest by edge id (int64, ascending), ignoring directions.

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
        """Compute PageRank (float64, sum 1) and the number of iterations, as networkx does.

        Power iteration from equal ranks. A vertex passes ``damping`` of its rank to the heads of its edges in
        proportion to their weights, or to all vertices equally if these sum to 0; the rest goes to all equally. It ends
        when the ranks change by less than ``tolerance * n_vertices`` in sum. `power_iteration` has the arithmetic.
        (Brin and Page 1998; Langville and Meyer 2005.)

        Parameters
        ----------
        row_ptr, col : the graph
        weights : float64 (n_edges,), not negative and of a finite sum, or None for 1 each
        damping, tolerance, max_iterations : see above

        Raises
        ------
        ParameterError
            If ``max_iterations`` do not suffice.
        """

    def count_loops_and_repeats(self, row_ptr: Array, col: Array) -> tuple[int, int]:
        """Count loops, and edges that repeat the edge before them.

        The heads in each row ascend, as `GraphOperations.csr_reverse` leaves them.
        """

    def permutation(self, n: int, seed: int) -> Array:
        """Compute a random permutation of 0..n-1."""

    def random_degrees(self, n_vertices: int, least: int, most: int, seed: int) -> Array:
        """Draw a random number (int32), uniform in least..most, for each vertex."""

    def random_heads(self, n_edges: int, n_vertices: int, seed: int) -> Array:
        """Draw a random vertex for each edge."""

    def cycle_and_shuffle(self, extra_ptr: Array, seed: int) -> tuple[Array, Array]:
        """Generate the CSR of a connected graph with equal in- and out-degrees.

        The first edge out of each vertex leads to the next one on a random Hamiltonian cycle. The heads of the
        other edges are their tails in random order.

        Parameters
        ----------
        extra_ptr : int64 (n_vertices + 1,)
            Edges besides the cycle's out of vertex v: ``extra_ptr[v + 1] - extra_ptr[v]``. At least one vertex.
        seed : int
        """

    def cactus_edges(self, tree: Cactus, seed: int) -> tuple[Array, Array]:
        """Generate the tails and heads of a cactus graph, with vertices numbered at random.

        Edges are in the order of the cycles.
        """

    def de_bruijn_edges(self, n_letters: int, n_vertices: int) -> tuple[Array, Array]:
        """Generate the CSR (row_ptr, col) of a de Bruijn graph.

        ``n_vertices`` is a power of ``n_letters``. Edge e is a word, its tail ``e // n_letters`` the word without its
        last letter, its head ``e % n_vertices`` the word without its first.
        """


class HostGraphOperations(GraphOperations, Protocol):
    """Extend the family by operations of the CPU alone."""

    def min_cost_flow(self, row_ptr: Array, col: Array, costs: Array, excess: Array) -> Array:
        """Compute the min-cost flow (int64 per edge) from vertices with excess to those with deficit.

        Raises ValueError if no flow exists.

        Successive shortest paths (Edmonds and Karp 1972), many at once: distances from all vertices with excess, by
        reduced cost, in buckets (Dial 1969), become potentials; a maximum flow
        is sent along edges without reduced cost, in rounds of levels and depth-first searches (Dinic 1970). This is
        repeated until no excess is left. The potentials prove that the cost is minimum.

        Parameters
        ----------
        row_ptr, col : the graph
        costs : uint8 (n_edges,)
            Cost of one unit of flow along an edge: 0 or 1.
        excess : int64 (n_vertices,)
            Excess of each vertex, or (negative) deficit; the sum is 0.
        """
