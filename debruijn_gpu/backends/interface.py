"""What a backend does: each operation once, with shapes, dtypes and source. `cpu` implements it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Backend(Protocol):
    """A module with these names."""

    # Sequences and text

    def smallest_rotation(self, text: NDArray[np.uint8]) -> int:
        """Start of the lexicographically smallest rotation of a circle, the first of several; 0 if empty.

        O(n) without extra memory: two candidates are compared, and a mismatch rules out all starts from the
        loser's to where it was found (Shiloach 1981, J. Algorithms 2:107; cf. Booth 1980).
        """
        ...

    def kmer_lines(
        self, codes: NDArray[np.uint64], counts: NDArray[np.uint32], k: int, start: int, stop: int
    ) -> NDArray[np.uint8]:
        r"""Text ``kmer<TAB>count\n`` of k-mers ``start:stop`` of a table: codes (words, n), counts (n,)."""
        ...

    # Edge-centric graph and Euler walks

    def both_strands(self, codes: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
        """Codes (words, 2 n): k-mer i in column 2 i, its reverse complement in column 2 i + 1."""
        ...

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
            K-mers, sorted, unique.
        k : int
        tails, heads : ndarray, dtype=uint32 or uint64, shape=(n,)
            Written: the number of each k-mer's first and last k - 1 bases.

        Returns
        -------
        ndarray, dtype=uint64, shape=(n_vertices, words)
            The (k-1)-mers, one a row; as many words as a k-mer has.
        """
        ...

    def weak_components(
        self, row_ptr: NDArray[np.int64], col: NDArray[np.unsignedinteger]
    ) -> NDArray[np.int64]:
        """Smallest vertex of the weakly connected component of each vertex, shape (n_vertices,).

        Union-find, the smaller root on top (Tarjan and van Leeuwen 1984).
        """
        ...

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
        ...
