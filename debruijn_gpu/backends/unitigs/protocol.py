"""Protocol of the family `unitigs`: compact the graph of k-mers, clean it, and spell its unitigs."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs.placement_protocol import PlacementOperations


class UnitigOperations(PlacementOperations, Protocol):
    """Compact the graph of k-mers, clean it, and spell its unitigs.

    The coverage of a unitig is its mean k-mer depth.
    """

    def kmer_graph_bytes(self, n: int, k: int) -> int:
        """Return the least memory in bytes, beside the table of n k-mers, that their graph and its unitigs take."""

    def kmer_graph(self, codes: Array, k: int, room: int | None = None) -> tuple[Array, Array]:
        """Build the CSR (row_ptr, col) of the (k-1)-overlaps of n canonical k-mers.

        Vertex 2i is k-mer i, 2i + 1 its reverse complement. Heads ascend in each row. ``room``: bytes that may be used
        on the way (None: any number); with fewer it takes longer, and it takes `kmer_graph_bytes` at least.
        """

    def unique_successors(self, row_ptr: Array, col: Array) -> Array:
        """Compute the unique successor of each of n vertices; n if it has none.

        Vertices are in reverse-complement pairs. The successor is the head of the vertex's only edge, if that is the
        only edge into this head and the head is not its own reverse complement.
        """

    def contract(self, row_ptr: Array, col: Array, offsets: Array, steps: Array) -> tuple[Array, Array]:
        """Contract walks to vertices: walk i becomes 2i, its reverse complement 2i + 1.

        Returns the CSR of the edges from the end of a walk to the start of one. Heads ascend in each row. All walks and
        reverse complements begin with different vertices.
        """

    def choose_walks(self, offsets: Array, steps: Array, circular: Array, is_kept: Array | None) -> tuple[Array, Array]:
        """Choose one walk of each reverse-complement pair: numbers (int64, ascending), and which are cycles.

        A path is chosen if its first vertex is smaller than that of its reverse complement (the reverse complement of
        the last); a cycle, which begins with its smallest vertex, if that is even. With ``is_kept`` (bool (n_vertices /
        2,)) only walks whose first vertex v has ``is_kept[v >> 1]``.
        """

    def induced_edges(self, row_ptr: Array, col: Array, is_kept: Array) -> tuple[Array, Array]:
        """Filter the edges between kept vertices: CSR of the induced subgraph, same vertices.

        ``is_kept`` (bool (n_vertices / 2,)) has one element for each pair; edges keep their order.
        """

    def edges_of_rows(self, row_ptr: Array, col: Array, is_kept: Array) -> tuple[Array, Array]:
        """Filter the edges out of the vertices for which ``is_kept`` (bool (n_vertices,)) is set; same vertices."""

    def spell(self, codes: Array, k: int, offsets: Array, steps: Array) -> tuple[Array, Array]:
        """Spell walks over k-mers.

        Each sequence is k - 1 bases longer than its walk has k-mers.

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
        """Concatenate packed sequences along walks, with overlaps written once.

        Parameters
        ----------
        offsets, bases : int64 (n + 1,), uint64
            Packed sequences, each at least as long as the overlap.
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

    def least_kmers(self, bases: Array, k: int, starts: Array, stops: Array) -> tuple[Array, Array]:
        """Find the least canonical k-mer in intervals of packed bases.

        Parameters
        ----------
        bases : uint64
        k : int
        starts, stops : int64 (n,)
            The k-mers of interval i begin at ``starts[i]`` to ``stops[i] - 1``, at least one.

        Returns
        -------
        codes : uint64 (ceil(k / 32), n)
        places : int64 (n,)
            2p for the k-mer at p, 2p + 1 for its reverse complement; the first of equal k-mers.
        """

    def larger_strands(self, offsets: Array, bases: Array) -> Array:
        """Compute which packed sequences (bool (n,)) have a smaller reverse complement."""

    def sequence_text(self, offsets: Array, bases: Array, flips: Array) -> Array:
        """Write packed sequences as text (uint8 (offsets[n],); ASCII, upper case).

        Sequence i is ``text[offsets[i]:offsets[i + 1]]``; it is its reverse complement if ``flips[i]`` (bool (n,)).
        """

    def unique_extensions(
        self, row_ptr: Array, col: Array, offsets: Array, bases: Array, k: int, longer: int
    ) -> ReadBatch:
        """Extend packed unitigs along unique links, and cut out what holds longer k-mers that span several unitigs.

        A unitig is extended at both ends while it, and then each further unitig, has one successor: whatever passes
        through the unitig has that sequence.

        Parameters
        ----------
        row_ptr, col
            CSR of the unitig graph.
        offsets, bases : int64 (n + 1,), uint64
            Sequences of the unitigs.
        k, longer : int
            Length of the k-mers of the unitigs, and of the wanted ones.

        Returns
        -------
        ReadBatch
            Two segments for each unitig, which may be empty. A longer k-mer may be in several segments.
        """

    def sequence_kmers(
        self, offsets: Array, bases: Array, k: int, sums: Array, start: int = 0, stop: int | None = None
    ) -> tuple[Array, Array]:
        """Extract the canonical k-mers ``start:stop`` of all k-mers of packed sequences.

        Returns
        -------
        codes, counts
            uint64 (words, n), uint32 (n,), in order of the sequences. ``sums`` (int64) has a sum of counts for each
            sequence, which its k-mers share evenly; each counts at least 1.
        """

    def remove_tips(
        self, row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, short: int, long: int, ratio: float
    ) -> Array:
        """Remove tips: unitigs with a dead end beside another, better covered way in.

        Each place that a tip leads to has such a way. Tips of at most ``short`` k-mers are removed if not covered
        better, those of at most ``long`` if covered less than ``ratio`` times as well. Of two tips of equal coverage,
        such as two reads that share an error, one is removed before the other is judged.
        """

    def remove_erroneous_connections(
        self, row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, longest: int, ratio: float
    ) -> Array:
        """Remove erroneous connections of at most ``longest`` k-mers and low relative coverage.

        Their coverage is at most ``ratio`` times that of the other ways into the places at both their ends.
        """

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
        rare: float = 0.0,
    ) -> Array:
        """Remove unitigs of at most ``longest`` k-mers beside a better covered parallel path.

        The path connects the same two places, differs in length by at most ``slack`` k-mers or the share ``indel``, and
        the coverage of the unitig is at most ``ratio`` times that of the path, or at most ``rare`` and less than it.
        """

    def remove_isolated(
        self, row_ptr: Array, col: Array, n_kmers: Array, kmer_counts: Array, longest: int, threshold: float
    ) -> Array:
        """Remove unitigs without neighbours, of at most ``longest`` k-mers and coverage below ``threshold``."""
