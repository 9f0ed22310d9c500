"""Protocol of the family `circuits`: Euler circuits, trails, and linked lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array, Flags, Longs, Vertices

#: The edge before each edge, in a layout that the backend chooses.
Pairing: TypeAlias = Any
#: Cycles of edges, in a layout that the backend chooses; ``n_cycles`` is their number.
Cycles: TypeAlias = Any
#: Where cycles are spliced, in a layout that the backend chooses; ``n_splices`` is their number, ``edges`` (int64, in
#: any order) are their edges.
Splices: TypeAlias = Any
NONE = -1


@dataclass(frozen=True)
class WalkFaults:
    """Report the first fault of each kind in walks over all edges, or -1.

    Attributes
    ----------
    walk : int
        Walk that does not begin where the one before it ends (the first: at 0), or ends before it begins; the number of
        walks, if the last does not end with the steps.
    out_of_range : int
        Position of a step that is no edge of the graph.
    gap : int
        Position of a step whose head is not the tail of the next step of the walk; after the last step of a circuit
        comes its first. Not looked for where a walk begins or ends wrongly.
    edge : int
        The least edge that the steps do not hold exactly once.
    """

    walk: int = NONE
    out_of_range: int = NONE
    gap: int = NONE
    edge: int = NONE

    def __bool__(self) -> bool:
        return self != WalkFaults()


class GroupSteps(Protocol):
    """Steps of circuits, or symbols, dealt out in ranges to several GPUs."""

    size: int

    def on_host(self) -> NDArray[np.unsignedinteger]:
        """Copy all steps to one NumPy array."""

    def gathered(self) -> Array:
        """Copy all steps to one array of the first GPU."""


class GroupOperations(Protocol):
    """Find Euler circuits on several GPUs: the operations of `CircuitOperations`, in layouts of their own."""

    def pair_edges(self, row_ptr: Array, col: Array) -> Pairing | None:
        """Pair edges of a graph in NumPy arrays, or in arrays of the first GPU; None if unbalanced."""

    def pair_shifts(self, n_edges: int, n_vertices: int) -> Pairing:
        """Pair edges of the graph in which edge e leads to vertex e mod n_vertices, and all degrees are equal."""

    def find_cycles(self, pairing: Pairing) -> Cycles:
        """Find the cycles of a pairing."""

    def splice_cycles(self, pairing: Pairing, cycles: Cycles) -> Splices:
        """Compute where to splice cycles."""

    def write_circuits(self, pairing: Pairing, cycles: Cycles, splices: Splices) -> tuple[Array, GroupSteps]:
        """Write circuits: offsets (int64, n + 1) on the first GPU, and their edges dealt out to all."""

    def write_symbols(self, pairing: Pairing, cycles: Cycles, splices: Splices, dtype: np.dtype[Any]) -> GroupSteps:
        """Write the circuit of a pairing of `pair_shifts`, as the symbols (edge // n_vertices) of its edges."""

    def has_room(self, n_bytes: int) -> bool:
        """Return whether the first GPU has room for so many bytes."""

    def synchronize(self) -> None:
        """Wait until all GPUs have done what they were asked for."""


class CircuitOperations(Protocol):
    """Find Euler circuits, cut them into trails, check walks, and rank linked lists."""

    def together(self, n_edges: int) -> GroupOperations | None:
        """Return the operations for several GPUs; None if the run has one, or is faster with one."""

    def of_words(self, n_edges: int) -> GroupOperations | None:
        """Return the operations for graphs of all words, by one GPU or several; None if they need arrays."""

    def pair_edges(self, row_ptr: Array, col: Array) -> Pairing | None:
        """Pair edges at vertices: find the edge before each edge; None if unbalanced."""

    def predecessors(self, pairing: Pairing) -> Array:
        """Return the edge before each edge, uint32 or uint64 (n_edges,)."""

    def find_cycles(self, pairing: Pairing) -> Cycles:
        """Find the cycles of a permutation of the edges.

        Sublists between random splitters are ranked on their own (Helman and JáJá 1999).
        """

    def splice_cycles(self, col: Array, pairing: Pairing, cycles: Cycles) -> Splices:
        """Compute where to splice cycles: their minimum spanning forest by edge id.

        Edge p connects the cycles of p - 1 and p if both edges leave the same vertex. (Kruskal 1956; Borůvka 1926.)
        """

    def write_circuits(self, pairing: Pairing, cycles: Cycles, splices: Splices) -> tuple[Array, Array]:
        """Write one Euler circuit of each connected component that has edges.

        Returns offsets (int64, n + 1) and edge ids (n_edges,). Each circuit begins with its smallest edge, and circuits
        ascend by these.
        """

    def rank_lists(self, successor: Array) -> tuple[Array, Array, Array]:
        """Rank linked lists: write their n items list by list.

        Returns offsets (int64, n_lists + 1), items (dtype of successor, n) and circular (bool, n_lists).
        ``successor[i]`` (uint32 or uint64) is n at the end of a list, and no two items have the same successor. Lists
        ascend by their first item; then cycles ascend by their smallest item, with which they begin.
        """

    def check_walks(self, row_ptr: Array, col: Array, offsets: Array, steps: Array, circular: Array) -> WalkFaults:
        """Check that walks are connected and use every edge of a graph once.

        Parameters
        ----------
        row_ptr, col : the graph
        offsets : int64 (n + 1,)
        steps : uint32 or uint64 (n_steps,)
            Edge ids; see `Walks`.
        circular : bool (n,)
        """

    def append_edges(self, row_ptr: Array, col: Array, tails: Array, heads: Array) -> tuple[Array, Array, Array]:
        """Add edges to a CSR, each behind the existing edges of its tail.

        The added edges of a row keep the order given.

        Parameters
        ----------
        row_ptr, col : int64 (n_vertices + 1,), uint32 or uint64 (n_edges,)
        tails, heads : uint32 or uint64 (n_added,), dtype of col
            ValueError if a tail is no vertex.

        Returns
        -------
        row_ptr, col
            The graph with the new edges.
        original : int64 (n_edges + n_added,)
            Original number of each edge, -1 for an added one.
        """

    def find_added(self, steps: Array, original: Array) -> Array:
        """Find the positions (int64, ascending) of the steps that are added edges.

        Parameters
        ----------
        steps : uint32 or uint64 (n,)
            Edges of a graph with added ones.
        original : int64 (n_edges,)
            As `append_edges` returns it.
        """

    def gather_ranges(self, steps: Array, original: Array, starts: Array, offsets: Array) -> Array:
        """Gather ranges of steps, one after another, with the original numbers of their edges.

        Original numbers are those before other edges were added.

        Parameters
        ----------
        steps : uint32 or uint64 (n,)
        original : int64 (n_edges,)
            Number of each edge, above -1 for those in the ranges.
        starts : int64 (n_ranges,)
            Where the ranges begin in ``steps``.
        offsets : int64 (n_ranges + 1,)
            Where they begin in the result, and its length.

        Returns
        -------
        dtype of steps (offsets[n_ranges],)
        """


class HostCircuitOperations(CircuitOperations, Protocol):
    """Extend the family by operations of the CPU alone."""

    def orient_edges(self, incident_ptr: Longs, incident: Vertices, tails: Vertices, heads: Vertices) -> Flags:
        """Orient the edges of an undirected graph so that in- and out-degrees are equal.

        They differ by one where the degree is odd.

        Parameters
        ----------
        incident_ptr : ndarray, dtype=int64, shape=(n_vertices + 1,)
        incident : ndarray, dtype=uint32 or uint64, shape=(2 * n_edges,)
            The edges at each vertex, loops twice.
        tails, heads : ndarray, dtype=uint32 or uint64, shape=(n_edges,)

        Returns
        -------
        ndarray, dtype=bool, shape=(n_edges,)
            Whether an edge leads from its tail to its head.
        """

    def hierholzer(
        self,
        row_ptr: NDArray[np.int64],
        col: NDArray[np.unsignedinteger],
        starts: NDArray[np.int64],
        offsets: NDArray[np.int64],
        steps: NDArray[np.unsignedinteger],
    ) -> None:
        """Compute an Euler walk of each component, with smallest edge ids first (Hierholzer 1873).

        Parameters
        ----------
        row_ptr, col : ndarray
            The graph; every component must be Eulerian or have an Euler path.
        starts : ndarray, dtype=int64, shape=(n,)
            Where the walk of each component starts.
        offsets : ndarray, dtype=int64, shape=(n + 1,)
            The walk of component i has ``offsets[i + 1] - offsets[i]`` edges.
        steps : ndarray, dtype=uint32 or uint64, shape=(offsets[n],)
            Written: edge ids, walk i at ``offsets[i]:offsets[i + 1]``.
        """
