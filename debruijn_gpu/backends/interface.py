"""What a backend does: each operation once, with shapes, dtypes and source. `cpu` implements it.

Arrays of a k-mer table, a graph or walks are those of `KmerTable`, `Graph` and `Walks`. In graphs whose vertices come
in mirrored pairs, v ^ 1 is the reverse complement of v.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.device_interface import DeviceBackend
from debruijn_gpu.backends.exit_interface import ExitBackend
from debruijn_gpu.backends.flow_interface import FlowBackend
from debruijn_gpu.backends.graph_text_interface import GraphTextBackend
from debruijn_gpu.backends.record_text_interface import RecordTextBackend
from debruijn_gpu.backends.ring_interface import RingBackend
from debruijn_gpu.backends.sequences.protocol import HostNecklaceBackend
from debruijn_gpu.backends.spectrum_scoring_interface import IdealBackend
from debruijn_gpu.backends.symbol_text_interface import SymbolTextBackend
from debruijn_gpu.backends.text.protocol import NumberBackend

Bytes: TypeAlias = NDArray[np.uint8]
Flags: TypeAlias = NDArray[np.bool_]
Longs: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.uint64]
Counts: TypeAlias = NDArray[np.uint32]
Vertices: TypeAlias = NDArray[np.uint32] | NDArray[np.uint64]


class Backend(
    DeviceBackend,
    ExitBackend,
    FlowBackend,
    GraphTextBackend,
    HostNecklaceBackend,
    IdealBackend,
    NumberBackend,
    RecordTextBackend,
    RingBackend,
    SymbolTextBackend,
    Protocol,
):
    """A module with these names, and those of the Protocols that it extends."""

    # Sequences and text

    def smallest_rotation(self, text: NDArray[np.uint8]) -> int:
        """Start of the lexicographically smallest rotation of a circle, the first of several; 0 if empty.

        O(n) without extra memory: two candidates are compared, and a mismatch rules out all starts from the
        loser's to where it was found (Shiloach 1981, J. Algorithms 2:107; cf. Booth 1980).
        """

    def kmer_lines(
        self, codes: NDArray[np.uint64], counts: NDArray[np.uint32], k: int, start: int, stop: int
    ) -> NDArray[np.uint8]:
        r"""Text ``kmer<TAB>count\n`` of k-mers ``start:stop`` of a table: codes (words, n), counts (n,)."""

    # Edge-centric graph and Euler walks

    def both_strands(self, codes: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
        """Codes (words, 2 n): k-mer i in column 2 i, its reverse complement in column 2 i + 1."""

    def join_ends(
        self,
        codes: NDArray[np.uint64],
        k: int,
        tails: NDArray[np.unsignedinteger],
        heads: NDArray[np.unsignedinteger],
    ) -> NDArray[np.uint64]:
        """Number the (k-1)-mers that k-mers begin and end with, in ascending order of their codes.

        Parameters
        ----------
        codes : ndarray, dtype=uint64, shape=(words, n)
            K-mers, sorted; a k-mer may be there twice.
        k : int
        tails, heads : ndarray, dtype=uint32 or uint64, shape=(n,)
            Written: the number of each k-mer's first and last k - 1 bases.

        Returns
        -------
        ndarray, dtype=uint64, shape=(n_vertices, words)
            The (k-1)-mers, one a row; as many words as a k-mer has.
        """

    def orient_edges(self, incident_ptr: Longs, incident: Vertices, tails: Vertices, heads: Vertices) -> Flags:
        """Directions for the edges of an undirected graph, such that as many lead into each vertex as out of it, or one
        more or less where their number is odd.

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
        """An Euler walk of each component (Hierholzer 1873), taking the edge with the smallest id first.

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
