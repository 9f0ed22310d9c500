"""What a backend does between k-mers and sequences: the graph of k-mers, unitigs, contraction, spelling.

A k-mer table is ``codes`` (uint64, (words, n)) and ``counts`` (uint32, (n,)), as in `KmerTable`; a graph and walks are
the arrays of `Graph` and `Walks`; all are arrays of the backend. Vertices come in mirrored pairs, v and v ^ 1. Results
are the same bytes on `cpu` and `cuda`.
"""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.arrays.protocol import Array


class UnitigBackend(Protocol):
    """A module with these names."""

    # graphs

    def kmer_graph(self, codes: Array, k: int) -> tuple[Array, Array]:
        """CSR (row_ptr, col) of the overlaps by k - 1 bases of n canonical k-mers. Vertex 2i is k-mer i, 2i + 1 its
        reverse complement. Heads ascend in each row."""

    def unique_successors(self, row_ptr: Array, col: Array) -> Array:
        """For each of n vertices in mirrored pairs the head of its only edge, if that is the only edge into that head
        and the head is not its own mirror; else n."""

    def contract(self, row_ptr: Array, col: Array, offsets: Array, steps: Array) -> tuple[Array, Array]:
        """CSR of the graph that has walk i as vertex 2i and its mirror as 2i + 1: the edges that lead from the end of
        a walk to the start of one. Heads ascend in each row. No vertex is the first of two among the walks and their
        mirrors."""

    def take_lists(self, offsets: Array, items: Array, chosen: Array) -> tuple[Array, Array]:
        """The chosen ones of ragged lists: their offsets and items."""

    def expand(self, offsets: Array, steps: Array, inner_offsets: Array, inner_steps: Array) -> tuple[Array, Array]:
        """Walks over walks as walks over vertices: step 2i stands for inner walk i, 2i + 1 for its mirror, which is
        the mirrors of its steps in reverse order."""

    def single_steps(self, n: int, like: Array) -> tuple[Array, Array]:
        """n walks of one step each, walk i of the step 2i: offsets and steps, these of the dtype of an array."""

    def choose_walks(self, offsets: Array, steps: Array, circular: Array, alive: Array | None) -> tuple[Array, Array]:
        """Of each walk and its mirror one: numbers (int64) of the walks, ascending, and which of them are circles.

        Paths are chosen if their first vertex is smaller than their mirror's (the mirror of the last), circles, which
        begin with their smallest vertex, if that is even. With ``alive`` (bool (n_vertices / 2,)) only those whose
        first vertex v has ``alive[v >> 1]``.
        """

    def sum_lists(self, weights: Array, offsets: Array, steps: Array) -> Array:
        """Sum (int64) of the weights of each walk's steps, of which it has one or more; vertices 2i and 2i + 1 weigh
        ``weights[i]`` (uint32 or int64)."""

    def living_edges(self, row_ptr: Array, col: Array, alive: Array) -> tuple[Array, Array]:
        """CSR with the same vertices and the edges between those that are alive (bool (n_vertices / 2,), one for each
        pair), in order."""

    # sequences (ASCII, upper case)

    def spell(self, codes: Array, k: int, offsets: Array, steps: Array) -> tuple[Array, Array]:
        """Sequences of walks over k-mers (steps 2i + strand), each k - 1 bases longer than it has k-mers: offsets and
        text."""

    def larger_strands(self, text: Array, offsets: Array) -> Array:
        """Which sequences (bool) have a smaller reverse complement."""

    def take_sequences(self, text: Array, offsets: Array, order: Array, flips: Array) -> tuple[Array, Array]:
        """Sequences in a new order (int64), sequence i reverse-complemented if ``flips[i]`` (bool): offsets and
        text."""
