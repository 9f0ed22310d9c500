"""Containers of the operations on gaps between contigs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Bytes, Codes, Flags, Longs


class HeldQueries(NamedTuple):
    """Sequences, and reads that may hold each of them. Bases are two-bit codes, one per byte; 4 is ambiguous.

    Attributes
    ----------
    codes : ndarray, dtype=uint8
    offsets : ndarray, dtype=int64, shape=(n_reads + 1,)
        Where each read begins in ``codes``, and the end of the last.
    reads : ndarray, dtype=int64
        Numbers of reads, sequence by sequence.
    bounds : ndarray, dtype=int64, shape=(n + 1,)
        The reads of sequence i are ``reads[bounds[i]:bounds[i + 1]]``.
    sequences : ndarray, dtype=uint8
    starts : ndarray, dtype=int64, shape=(n + 1,)
        Sequence i is ``sequences[starts[i]:starts[i + 1]]``.
    first_words : ndarray, dtype=int64, shape=(n,)
        Number of the first word of each sequence that must be held; windows are looked at from the first base on.
    windows_bp : ndarray, dtype=int64, shape=(n,)
        Bases of the windows in which reads are compared; at the end of a sequence, windows are shorter.
    most_different : ndarray, dtype=int64, shape=(n,)
        Bases in which a read that agrees with a window may differ.
    """

    codes: Bytes
    offsets: Longs
    reads: Longs
    bounds: Longs
    sequences: Bytes
    starts: Longs
    first_words: Longs
    windows_bp: Longs
    most_different: Longs


class GapKmers(NamedTuple):
    """K-mers of the reads around a gap and of the two ends.

    Vertex 2i is canonical k-mer i, 2i + 1 its reverse complement.

    Attributes
    ----------
    k : int
        Odd, at most 61.
    slots : ndarray, dtype=int32, shape=(2^b,)
        Hash table: number of a k-mer plus 1; 0 is free.
    seed : np.uint64
        Of the hash; see `run.hash_seed`.
    words : ndarray, dtype=uint64, shape=(2 n or more, 2)
        K-mer of each vertex, right-aligned.
    counts : ndarray, dtype=int32, shape=(n,)
        Occurrences in reads.
    is_end : ndarray, dtype=bool, shape=(n,)
        Whether a k-mer occurs in one of the ends.
    vertices : ndarray, dtype=int32
        Vertex that begins at each base of the reads, or -1.
    left, right : ndarray, dtype=int32
        Vertices of the ends, in order.
    """

    k: int
    slots: NDArray[np.int32]
    seed: np.uint64
    words: Codes
    counts: NDArray[np.int32]
    is_end: Flags
    vertices: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]


class GapWalk(NamedTuple):
    """A walk from one end of a gap to the other.

    Attributes
    ----------
    is_ambiguous : bool
        Whether walks were found among which none could be chosen; the other values are empty then.
    sequence : ndarray, dtype=uint8
        Bases of the walk, two-bit codes; empty if there is no walk.
    n_left, n_right : int
        Bases at its start and end that agree with the ends.
    n_reads : int
        Number of reads with a k-mer of the walk that is neither all within the left end nor within the right one.
    """

    is_ambiguous: bool
    sequence: Bytes
    n_left: int
    n_right: int
    n_reads: int
