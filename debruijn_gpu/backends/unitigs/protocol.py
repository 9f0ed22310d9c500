"""Protocol of the family `unitigs`: compact the graph of k-mers, clean it, and spell its unitigs."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.core.array_types import Array


class UnitigOperations(Protocol):
    """Compact the graph of k-mers, clean it, and spell its unitigs."""

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

    def choose_walks(self, offsets: Array, steps: Array, circular: Array, alive: Array | None) -> tuple[Array, Array]:
        """Of each walk and its mirror one: numbers (int64) of the walks, ascending, and which of them are circles.

        Paths are chosen if their first vertex is smaller than their mirror's (the mirror of the last), circles, which
        begin with their smallest vertex, if that is even. With ``alive`` (bool (n_vertices / 2,)) only those whose
        first vertex v has ``alive[v >> 1]``.
        """

    def living_edges(self, row_ptr: Array, col: Array, alive: Array) -> tuple[Array, Array]:
        """CSR with the same vertices and the edges between those that are alive (bool (n_vertices / 2,), one for each
        pair), in order."""

    def spell(self, codes: Array, k: int, offsets: Array, steps: Array) -> tuple[Array, Array]:
        """Spell walks over k-mers, each k - 1 bases longer than it has k-mers.

        Parameters
        ----------
        codes : uint64 (ceil(k / 32), n_kmers)
        k : int
        offsets, steps : int64 (n_walks + 1,), uint32 or uint64
            Step 2i is k-mer i, 2i + 1 its reverse complement. Each walk has at least one step, and consecutive steps
            overlap by k - 1 bases.

        Returns
        -------
        offsets, bases
            One packed sequence per walk; new arrays.
        """

    def merge_sequences(
        self, offsets: Array, bases: Array, overlap: int, walk_offsets: Array, steps: Array
    ) -> tuple[Array, Array]:
        """Concatenate packed sequences along walks, with the overlap of neighbours once.

        Parameters
        ----------
        offsets, bases : int64 (n + 1,), uint64
            Packed sequences, each longer than the overlap.
        overlap : int
            Number of bases that consecutive steps share.
        walk_offsets, steps : int64 (n_walks + 1,), uint32 or uint64
            Step 2i is sequence i, 2i + 1 its reverse complement. Each walk has at least one step; a sequence may be in
            any number of walks.

        Returns
        -------
        offsets, bases
            One packed sequence per walk; new arrays.
        """

    def larger_strands(self, offsets: Array, bases: Array) -> Array:
        """Compute which packed sequences (bool (n,)) have a smaller reverse complement."""

    def sequence_text(self, offsets: Array, bases: Array, flips: Array) -> Array:
        """Write packed sequences as text (uint8 (offsets[n],); ASCII, upper case), sequence i as its reverse complement
        if ``flips[i]`` (bool (n,)). Sequence i is ``text[offsets[i]:offsets[i + 1]]``."""

    def remove_tips(
        self, row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, short: int, long: int, ratio: float
    ) -> Array:
        """Remove unitigs with one dead end where each place they lead to has another, better covered way in: of at
        most ``short`` k-mers if not covered better, of at most ``long`` if less than ``ratio`` times as well. (Of two
        tips of equal coverage, such as two reads that share an error, one goes, and the rest is seen for what it is.)
        """

    def remove_chimeras(
        self, row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, longest: int, ratio: float
    ) -> Array:
        """Remove connections of at most ``longest`` k-mers whose coverage is at most ``ratio`` times that of the other
        ways into the places at both their ends."""

    def pop_bubbles(
        self,
        row_ptr: Array,
        col: Array,
        n_kmers: Array,
        kmer_counts: Array,
        longest: int,
        ratio: float,
        slack: int,
        indel: float,
    ) -> Array:
        """Remove unitigs of at most ``longest`` k-mers between two places if another way between these, as long but
        for ``slack`` k-mers or the share ``indel``, has a coverage of which theirs is at most ``ratio``."""

    def remove_isolated(
        self, row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, longest: int, threshold: float
    ) -> Array:
        """Remove unitigs without neighbours, of at most ``longest`` k-mers and covered less than ``threshold``."""
