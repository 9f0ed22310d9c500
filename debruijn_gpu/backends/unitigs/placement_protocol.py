"""Protocol of the family `unitigs`: indexes of unitigs, and what reads have on them."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.reads.protocol import ReadBatch


class PlacementOperations(Protocol):
    """Index the k-mers of unitigs, and place reads on them."""

    def index_kmers(self, offsets: Array, bases: Array, k: int, n_slots: int = 0) -> Array:
        """Build a hash table of the k-mers of packed sequences, which are distinct.

        Parameters
        ----------
        offsets, bases, k
        n_slots : int
            See `sizes.slots_within`; 0: with which it is fast.

        Returns
        -------
        uint32 or uint64, shape (n_slots,)
            For `spanning_segments` and `bridging_segments` alone.
        """

    def index_dead_ends(self, offsets: Array, bases: Array, k: int, row_ptr: Array, circular: Array) -> Array:
        """Build a hash table of the k-mers at the ends of unitigs that have no successor; see `bridging_segments`.

        Returns
        -------
        uint32 or uint64, shape (n_slots,)
            For `bridging_segments` alone; empty on a backend that follows all reads.
        """

    def spanning_segments(
        self, batch: ReadBatch, k: int, longer: int, offsets: Array, bases: Array, slots: Array, sums: Array
    ) -> ReadBatch:
        """Cut out of reads the k-mers of length ``longer`` that span several unitigs, and count those within one.

        Only those count whose shorter k-mers are all in the unitigs. Where a read deviates from a unitig, k-mers that
        contain the deviating base are taken for absent.

        Parameters
        ----------
        batch : ReadBatch
        k, longer : int
            Length of the k-mers of the unitigs, and of the wanted ones.
        offsets, bases, slots
            Unitigs, as packed sequences, and their `index_kmers`.
        sums : int64 (n,)
            Number of longer k-mers of reads within each unitig; those of this batch are added.

        Returns
        -------
        ReadBatch
            Segments of the reads, in any order, which have just those longer k-mers.
        """

    def bridging_segments(
        self,
        batch: ReadBatch,
        k: int,
        offsets: Array,
        bases: Array,
        slots: Array,
        ends: Array,
        row_ptr: Array,
        circular: Array,
        is_extended: Array,
    ) -> ReadBatch:
        """Cut out of reads the k-mers that bridge gaps of the unitig graph, or extend some unitigs.

        In a read they follow the end of a unitig without successors, precede the start of one without predecessors, and
        are not in the graph. A read that deviates from a unitig within it bridges no gap there. Unitigs that are
        extended need one such end, and have the k-mers from there to the end of the read.

        Parameters
        ----------
        batch : ReadBatch
            Reads that are in no other batch.
        k : int
        offsets, bases, slots
            Unitigs, as packed sequences, and their `index_kmers`.
        ends
            Their `index_dead_ends`.
        row_ptr : int64 (2 n + 1,)
            Of their graph; see `UnitigGraph`.
        circular, is_extended : bool (n,)
            Of each unitig: whether it is a circle, and whether reads extend it.

        Returns
        -------
        ReadBatch
            Segments of the reads, in any order, which have just those k-mers.
        """

    def index_anchors(self, offsets: Array, bases: Array, k: int, n_slots: int = 0) -> Array:
        """Build a hash table of the k-mers of packed sequences, with a mark on repeated ones.

        A k-mer is repeated if it, or its reverse complement, occurs at two or more places of all sequences. k is odd
        and at most 31. Sequences shorter than k have no k-mers. ``n_slots`` is that of `index_kmers`.

        Returns
        -------
        uint32 or uint64, shape (n_slots,)
            For `place_anchors` alone: its bytes, unlike results of that, may differ from run to run.
        """

    def place_anchors(self, batch: ReadBatch, k: int, offsets: Array, bases: Array, slots: Array) -> Array:
        """Place reads on unitigs by their first and by their last anchor.

        An anchor is a k-mer of a read, without ambiguous bases, that occurs exactly once in the unitigs; k need not be
        that of their graph. Each row of a batch is a read of its own: that of `n_repeated` begins with repeated bases.

        Parameters
        ----------
        batch : ReadBatch
        k : int
        offsets, bases, slots
            Unitigs, as packed sequences, and their `index_anchors`.

        Returns
        -------
        int64, shape (4, rows of ``batch.offsets``)
            Vertex of the first anchor: 2u where the read runs along unitig u, 2u + 1 along its reverse complement; -1
            for a read without anchors. Position of the read's first base on the vertex, which may be outside of it; 0
            for a read without anchors. Both of the last anchor.
        """

    def compare_placed(
        self, batch: ReadBatch, placed: Array, margin: int, offsets: Array, bases: Array, cover: Array
    ) -> Array:
        """Compare placed reads with their unitigs, and list where they contradict these.

        A read agrees with a stretch of the vertex of its first anchor, and of that of its last one if it lies elsewhere
        by that: the stretch of the greatest score, see `agreement_scalars`. It contradicts a unitig at an end of the
        stretch behind which it differs in `agreement_scalars.LEAST_DIFFERENT` bases before both end, but not where it
        does so at both ends, or continues after at most `agreement_scalars.MOST_SHIFT` bases more or less there.

        Parameters
        ----------
        batch : ReadBatch
        placed : int64 (4, rows of ``batch.offsets``)
            See `place_anchors`.
        margin : int
            Bases at both ends of a stretch that do not count as covered.
        offsets, bases
            Unitigs, as packed sequences.
        cover : int32 (``offsets[-1] // sizes.COVER_BIN_BP`` + 1,)
            Change from one bin of bases to the next of the number of reads that cover it wholly; those of this batch
            are added.

        Returns
        -------
        int64, shape (2, n)
            In any order: twice the first base behind the place where a read contradicts, counted over all unitigs, and
            1 more if the unitig before that place agrees; and the next `sizes.SITE_WORD_BP` bases of the read, as a
            number, in the bits from 32 on, and how many bases it has there in those below.
        """
