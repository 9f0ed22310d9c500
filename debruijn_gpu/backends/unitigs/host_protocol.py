"""Protocol of the operations of the family `unitigs` that run on the host alone: gaps and alignments."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.core.array_types import Bytes, Longs
from debruijn_gpu.backends.unitigs.alignments import AlignmentOperations
from debruijn_gpu.backends.unitigs.containers import GapKmers, GapWalk, HeldQueries
from debruijn_gpu.backends.unitigs.protocol import UnitigOperations


class HostUnitigOperations(UnitigOperations, AlignmentOperations, Protocol):
    """Extend the family by operations of the CPU alone, on gaps between two contigs.

    Bases are two-bit codes, one per byte; in reads (``codes`` and ``offsets``), larger codes are ambiguous bases.
    """

    def index_gap(self, left: Bytes, right: Bytes, codes: Bytes, offsets: Longs, k: int) -> GapKmers:
        """Count the canonical k-mers of reads, and index them with those of the two ends; k is odd and at most 61."""

    def walk_gap(
        self, kmers: GapKmers, offsets: Longs, min_count: int, back: int, shortest: int, longest: int
    ) -> GapWalk:
        """Find the walk over k-mers from the left end of a gap to the right one.

        K-mers are used that are in the ends, or at least ``min_count`` times in reads. The walk begins and ends
        ``back`` bases within the ends, so that wrong bases there are replaced. It fills shortest..longest bases
        (negative: the ends overlap). It must be the only one (at most 200 are looked at, breadth first and from both
        sides, as in SKESA, Souvorov et al. 2018), or be three times as well covered as each other one of the same
        length where they differ.
        """

    def is_doubtful_walk(self, kmers: GapKmers, sequence: Bytes, n_left: int, n_right: int) -> bool:
        """Return whether other k-mers of reads leave in doubt that a walk connects the two ends.

        A read must span each repeat that the walk passes: those that frequent k-mers beside it show, and tandem repeats
        longer than k.

        Parameters
        ----------
        kmers : GapKmers
            Of smaller k than the walk for a stricter judgement.
        sequence : ndarray, dtype=uint8
            The left end, the walk, and the right end.
        n_left, n_right : int
            Bases at its start and end that agree with the ends.
        """

    def end_overlaps(self, left: Bytes, right: Bytes, shortest: int, longest: int) -> Longs:
        """Find the lengths shortest..longest at which the end of ``left`` is the start of ``right``; ascending."""

    def compare_reads(self, codes: Bytes, offsets: Longs, sequence: Bytes, n_anchor: int) -> tuple[int, int]:
        """Count the reads that hold a sequence, and those that contradict it; either strand of them.

        A read contradicts if it holds the first ``n_anchor`` bases, and 2 or more of its bases behind them differ.
        """

    def count_held(self, queries: HeldQueries, least_contradicting: int) -> Longs:
        """Count the first bases of each sequence that its reads hold, in either strand.

        Reads have to hold each word of 31 bases; where one is missing, the count ends before its last base.
        Two reads of different places, that meet in a word, hold what is in neither. So a read that holds the first word
        of a window is followed to its end: it agrees if at most ``most_different`` bases differ, and contradicts if
        more do. Where none agrees, and ``least_contradicting`` contradict, the count ends at the first base at which
        all of them differ from the sequence.
        """
