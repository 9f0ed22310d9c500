"""What a backend does to find errors in a unitig graph.

All operations take the CSR of a unitig graph (unitig u is the vertices 2u and 2u + 1, its reverse complement; every
edge has its mirror) and the number and total count (int64) of each unitig's k-mers, in arrays of the backend, and give
which unitigs stay (bool).
Unitigs are judged from the least to the best covered, then by length, then by number, each by what is still there; a
backend that judges many at once gives what this order gives.
"""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.arrays.protocol import Array


class CleaningBackend(Protocol):
    """A module with these names."""

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
