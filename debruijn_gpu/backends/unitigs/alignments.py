"""Containers of the alignment of reads to linked segments, and the operation on them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from debruijn_gpu.backends.core.array_types import Bytes, Longs
from debruijn_gpu.backends.reads.protocol import ReadBatch


class LinkedSegments(NamedTuple):
    """Segments, their links, and their intervals without ambiguous bases.

    Vertex 2i is segment i, 2i + 1 its reverse complement.

    Attributes
    ----------
    codes : ndarray, dtype=uint8
        Two-bit codes of all segments, one per byte; 4 for ambiguous bases.
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Segment i is ``codes[offsets[i]:offsets[i + 1]]``.
    row_ptr : ndarray, dtype=int64, shape=(2 n + 1,)
    col, overlaps : ndarray, dtype=int64, shape=(n_links,)
        CSR of the links, heads ascending in each row, and the bases that the end of a tail shares with its head.
    interval_segments, interval_starts, interval_lengths : ndarray, dtype=int64, shape=(n_intervals,)
        Segment of each maximal interval without ambiguous bases, its start there and its length; in order.
    """

    codes: Bytes
    offsets: Longs
    row_ptr: Longs
    col: Longs
    overlaps: Longs
    interval_segments: Longs
    interval_starts: Longs
    interval_lengths: Longs


class ReadAlignments(NamedTuple):
    """Alignments without gaps of the reads of a batch to walks of vertices.

    Attributes
    ----------
    read_starts, read_ends : ndarray, dtype=int64, shape=(n,)
        Aligned bases of each read; both 0 for a read without anchors.
    path_lengths : ndarray, dtype=int64, shape=(n,)
        Bases of the sequence that the walk spells, in which an overlap is spelled once.
    path_starts : ndarray, dtype=int64, shape=(n,)
        Position of the first aligned base in this sequence.
    n_mismatches : ndarray, dtype=int64, shape=(n,)
        Aligned bases that differ or are ambiguous.
    step_offsets : ndarray, dtype=int64, shape=(n + 1,)
    steps : ndarray, dtype=int64
        The walk of read i is the vertices ``steps[step_offsets[i]:step_offsets[i + 1]]``.
    """

    read_starts: Longs
    read_ends: Longs
    path_lengths: Longs
    path_starts: Longs
    n_mismatches: Longs
    step_offsets: Longs
    steps: Longs


class AlignmentOperations(Protocol):
    """Align reads to linked segments; on the CPU alone."""

    def align_reads(self, batch: ReadBatch, anchors: Longs, segments: LinkedSegments) -> ReadAlignments:
        """Align reads without gaps along walks through their anchors.

        If the two anchors of a read agree, its walk begins as their vertex. Otherwise it is the walk from one to the
        other with the fewest mismatches among those whose length agrees with the read (at most 50 links, depth first;
        of equal ones the first in the order of vertices). Where there is none, the better of the alignments through
        one anchor alone is kept. At both ends, the walk is extended along links by at most 50 vertices, to the highest
        score.

        A match scores 1, a mismatch -4, an aligned first or last base of the read 10 more; the alignment is the
        interval of the read with the highest score. Vertices that share all their aligned bases with a neighbour in the
        walk are left out.

        Parameters
        ----------
        batch : ReadBatch
        anchors : ndarray, dtype=int64, shape=(4, rows of the batch)
            Of the intervals of the segments; see `UnitigOperations.place_anchors`.
        segments : LinkedSegments
        """
