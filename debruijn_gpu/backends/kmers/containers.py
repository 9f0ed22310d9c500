"""Containers of the family `kmers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array


@dataclass(frozen=True)
class EncodedBlocks:
    """Blocks of sorted k-mers, as a file of them holds them.

    Attributes
    ----------
    content : ndarray, dtype=uint8
        Block after block.
    n_bytes : ndarray, dtype=int64, shape=(blocks,)
        Of each block.
    count_bytes : ndarray, dtype=int64, shape=(blocks,)
        Bytes of a count: 0 if all counts of the block are 1, else 1, 2 or 4.
    least, largest : ndarray, dtype=int64, shape=(blocks,)
        Counts.
    n_occurrences : ndarray, dtype=int64, shape=(blocks,)
        Sum of the counts.
    """

    content: NDArray[np.uint8]
    n_bytes: NDArray[np.int64]
    count_bytes: NDArray[np.int64]
    least: NDArray[np.int64]
    largest: NDArray[np.int64]
    n_occurrences: NDArray[np.int64]


@dataclass(frozen=True)
class CountedKmers:
    """Distinct k-mers of one part of a store, in no particular order unless ``is_sorted``.

    Attributes
    ----------
    codes : array of the backend, dtype=uint64, shape=(words, n)
    counts : array of the backend, dtype=uint32, shape=(n,)
        Occurrences; 2^32 - 1 means at least that many.
    histogram : ndarray, dtype=int64, shape=(at most 65536,)
        Number of distinct k-mers (before ``min_count``) that occur i times.
    large_counts : ndarray, dtype=uint32
        Counts of 65536 and more.
    is_sorted : bool
        Whether codes ascend; if not, they may nevertheless.
    """

    codes: Array
    counts: Array
    histogram: NDArray[np.int64]
    large_counts: NDArray[np.uint32]
    is_sorted: bool = False

    def moved(self, move: Callable[[Array], Array]) -> CountedKmers:
        """Transfer codes and counts by `CoreOperations.to_host` or `CoreOperations.to_device`."""
        return replace(self, codes=move(self.codes), counts=move(self.counts))


@dataclass(frozen=True)
class PackedSuperKmers:
    """Super-k-mers (runs of k-mers of a read with one minimizer) of adjacent buckets, in arrays of the host.

    Attributes
    ----------
    bases : ndarray, dtype=uint64
        Their bases one after another, without gaps; see `ReadBatch`.
    sizes : ndarray, dtype=uint8, shape=(n,)
        Number of k-mers of each, less 1; ordered by bucket.
    bucket_ptr : ndarray, dtype=uint32, shape=(n_buckets + 1,)
        Bucket b holds ``bucket_ptr[b]:bucket_ptr[b + 1]``.
    """

    bases: NDArray[np.uint64]
    sizes: NDArray[np.uint8]
    bucket_ptr: NDArray[np.uint32]

    @property
    def n_kmers(self) -> int:
        """Number of k-mers, all occurrences."""
        return int(self.sizes.sum(dtype=np.int64)) + len(self.sizes)

    @property
    def nbytes(self) -> int:
        return self.bases.nbytes + self.sizes.nbytes + self.bucket_ptr.nbytes


@dataclass(frozen=True)
class JointCounts:
    """K-mers of several samples: a sparse matrix of counts in compressed rows.

    Attributes
    ----------
    kmers : array of the backend, dtype=uint64, shape=(words, n)
        Codes of the distinct k-mers, ascending, laid out as `KmerTable.codes`.
    row_ptr : array of the backend, dtype=int64, shape=(n + 1,)
        First entry of each k-mer.
    samples : array of the backend, dtype=uint32, shape=(nnz,)
        Samples that hold the k-mer, ascending within a row.
    counts : array of the backend, dtype=uint32, shape=(nnz,) or (0,)
        Occurrences in the sample, at least 1; none where they are not wanted.
    """

    kmers: Array
    row_ptr: Array
    samples: Array
    counts: Array

    def __len__(self) -> int:
        """Number of distinct k-mers."""
        return int(self.kmers.shape[1])

    def moved(self, transfer: Callable[[Array], Array]) -> JointCounts:
        """Return the same with its arrays transferred by a function."""
        return JointCounts(*map(transfer, (self.kmers, self.row_ptr, self.samples, self.counts)))
