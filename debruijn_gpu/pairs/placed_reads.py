"""What reads and pairs tell about a unitig graph: containers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.insert_counts import InsertCounts

if TYPE_CHECKING:
    from debruijn_gpu.pairs.agreement import Agreement

Longs = NDArray[np.int64]

#: Bases near the end of a unitig: many reads that begin in them show that several copies end there
END_BP = 100
#: Bases of a read beyond the end of a unitig, at least, so that it runs beyond it: fewer may be an error, or a tip
BEYOND_BP = 10


@dataclass(frozen=True)
class LoosePairs:
    """Pairs that may be from a gap or an end: not within one unitig, or a mate reaches the last k - 1 bases of its own.

    Attributes
    ----------
    anchors : ndarray, dtype=int64, shape=(8, n)
        As in `PlacedLibrary`, of mates that are not placed too.
    lengths : ndarray, dtype=int64, shape=(2, n)
        Of the mates.
    places : ndarray, dtype=int64, shape=(4, n)
        Batch and row of the first mate, and of the second.
    """

    anchors: Longs
    lengths: Longs
    places: Longs


@dataclass(frozen=True)
class PlacedLibrary:
    """Pairs of one input.

    Attributes
    ----------
    n_pairs : int
    inserts : InsertCounts
        Of pairs within one unitig.
    anchors : ndarray, dtype=int64, shape=(8, n)
        Of pairs whose mates are placed, but not on one unitig: rows 0..3 for first mates, 4..7 for second mates. Each
        distinct row once, in ascending order: copies of a fragment are no further evidence.
    n_apart : int
        Number of these pairs, copies counted.
    loose : LoosePairs
    within : ndarray, dtype=int64, shape=(m,)
        Pairs within one unitig, in any order; see `within.packed_anchors`.
    around : ndarray, dtype=int64, shape=(8, n)
        As `anchors`, of pairs within one linear unitig whose mates are near its two ends: within a third of its length.
    """

    n_pairs: int
    inserts: InsertCounts
    anchors: Longs
    n_apart: int
    loose: LoosePairs
    within: Longs = field(default_factory=lambda: np.empty(0, np.int64))
    around: Longs = field(default_factory=lambda: np.empty((8, 0), np.int64))

    @property
    def distinct_share(self) -> float:
        """Share of the pairs that are no copies of others."""
        return self.anchors.shape[1] / self.n_apart if self.n_apart else 1.0


@dataclass(frozen=True)
class PlacedReads:
    """What reads tell about a unitig graph.

    Attributes
    ----------
    n_reads, n_short, n_placed : int
        Number of reads, of those too short for an anchor, and of those with one.
    starts : ndarray, dtype=int64, shape=(n_unitigs,)
        Reads by the unitig of their first anchor.
    end_starts : ndarray, dtype=int64, shape=(n_vertices,)
        Reads along each vertex that begin in the `END_BP` bases before its last k.
    spans : ndarray, dtype=int64, shape=(4, n)
        Anchors of reads whose first and last one are on different unitigs; any order.
    libraries : list of PlacedLibrary
        One for each paired input.
    agreement : Agreement or None
        None if it was not asked for.
    repeated_bp : ndarray, dtype=int64, shape=(n_vertices,), or None
        Bases at the end of each vertex from which no read is placed, though no neighbour shares them: see
        `repeated_ends`. None: not measured.
    beyond : ndarray, dtype=int64, shape=(n_vertices,), or None
        Reads on each vertex that run beyond its end by more than `BEYOND_BP` bases. None: not measured.
    mean_bp : int
        Mean length of the reads.
    """

    n_reads: int
    n_short: int
    n_placed: int
    starts: Longs
    end_starts: Longs
    spans: Longs
    libraries: list[PlacedLibrary]
    agreement: Agreement | None = None
    repeated_bp: Longs | None = None
    beyond: Longs | None = None
    mean_bp: int = 0


def distinct_columns(parts: list[Longs]) -> Longs:
    """Concatenate columns and keep each distinct one once, in ascending order."""
    columns = np.concatenate(parts, axis=1)
    columns = columns[:, np.lexsort(columns[::-1])]
    is_new = np.ones(columns.shape[1], np.bool_)
    is_new[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    return columns[:, is_new]
