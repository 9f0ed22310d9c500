"""What a backend does to make graphs from a few numbers.

Every edge is computed for itself from a key and its number, by `scalars.draw` and `scalars.permute`, so that a graph is
the same bytes on every backend, with any number of threads and on every grid. Keys come from seeds by `random_words`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.protocol import Array


def random_words(seed: int, purpose: str, n: int = 1) -> NDArray[np.uint64]:
    """Up to 8 words that differ for each seed and purpose: BLAKE2b of both."""
    digest = hashlib.blake2b(f"{purpose} {seed}".encode(), digest_size=8 * n).digest()
    return np.frombuffer(digest, "<u8").astype(np.uint64)


def id_dtype(n: int) -> np.dtype[Any]:
    """The smallest dtype for the numbers of n vertices or edges."""
    return np.dtype(np.uint32 if n <= 1 << 32 else np.uint64)


@dataclass(frozen=True)
class Permutation:
    """A random permutation of 0..n-1, as `scalars.permute` takes it.

    Attributes
    ----------
    n, n_bits : uint64
    keys : ndarray, dtype=uint64, shape=(8,)
    """

    n: np.uint64
    n_bits: np.uint64
    keys: NDArray[np.uint64]


def random_permutation(n: int, seed: int, purpose: str) -> Permutation:
    """The permutation of 0..n-1 (n at least 1) that belongs to a seed and a purpose."""
    return Permutation(np.uint64(n), np.uint64((n - 1).bit_length()), random_words(seed, purpose, 8))


@dataclass(frozen=True)
class RingTree:
    """Rings of random lengths, each of which but the first shares one vertex with those before it.

    The edges 0..n_edges-1 are cut into ``n_rings`` cells of nearly equal length. Ring r begins at a random edge of
    cell r that is not its last (ring 0 at edge 0) and ends where ring r + 1 begins; hence it has at least 2 edges. Its
    first vertex, if r > 0, is a random one of those before it, of which there are ``begin(r) - r + 1``. Its others are
    new and numbered on.

    Attributes
    ----------
    n_edges, n_rings : int
        At least 1 ring, and 2 edges for each.
    """

    n_edges: int
    n_rings: int

    @property
    def n_vertices(self) -> int:
        return self.n_edges - self.n_rings + 1

    @property
    def cells(self) -> tuple[np.uint64, np.uint64]:
        """Edges of a cell, and how many of the first cells have one more."""
        return np.uint64(self.n_edges // self.n_rings), np.uint64(self.n_edges % self.n_rings)


class GeneratorBackend(Protocol):
    """A module with these names. Vertices are `id_dtype`; offsets are int64."""

    def permutation(self, n: int, seed: int) -> Array:
        """0..n-1 in random order."""

    def random_degrees(self, n_vertices: int, least: int, most: int, seed: int) -> Array:
        """A random number (int32), uniform in least..most, for each vertex."""

    def random_heads(self, n_edges: int, n_vertices: int, seed: int) -> Array:
        """A random vertex for each edge."""

    def ring_and_shuffle(self, extra_ptr: Array, seed: int) -> tuple[Array, Array]:
        """CSR (row_ptr, col) of a connected graph with as many edges into each vertex as out of it.

        The first edge out of each vertex leads to the next one on a random ring through all. The others lead to the
        tails of the others in random order.

        Parameters
        ----------
        extra_ptr : int64 (n_vertices + 1,)
            Edges besides the ring's out of vertex v: ``extra_ptr[v + 1] - extra_ptr[v]``. At least one vertex.
        seed : int
        """

    def ring_tree_edges(self, tree: RingTree, seed: int) -> tuple[Array, Array]:
        """Tails and heads of the edges of a tree of rings, ring after ring, with vertices renumbered at random."""

    def de_bruijn_edges(self, n_letters: int, n_vertices: int) -> tuple[Array, Array]:
        """CSR (row_ptr, col) of a de Bruijn graph; ``n_vertices`` is a power of ``n_letters``. Edge e is a word, its
        tail ``e // n_letters`` the word without its last letter, its head ``e % n_vertices`` the word without its
        first."""
