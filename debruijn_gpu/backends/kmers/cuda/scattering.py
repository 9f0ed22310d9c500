"""Scatter k-mers to the ranks that count them: each counts a range of bins, which are the leading bits of a code."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import (
    cuda,
    device_function,
    kernel,
    launch,
    to_host,
    uint32,
    uint64,
    with_word,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import leading_bits, lower_bound
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.kmers.cuda.extraction import KmerKind

#: Ranks that k-mers can be scattered to
MOST_RANKS = 64
_ONE, _NONE, _BIT = np.uint64(1), np.uint64(0), np.uint32(1)


@Family
def _rank_of(zero: Any) -> Any:
    """Make the function for k-mers of as many words as ``zero`` has."""

    @device_function
    def rank_of(kmers, i, top_bits, n_bits, ends):
        """Rank (int64) that counts k-mer i: the first one whose bins end behind that of the k-mer."""
        kmer = zero
        for w in range(len(zero)):
            kmer = with_word(kmer, w, kmers[i * len(zero) + w])
        return lower_bound(ends, leading_bits(kmer, top_bits, n_bits) + _ONE, np.int64(0), np.int64(ends.size - 1))

    return rank_of


@Family
def _count_by_rank(zero: Any) -> Any:
    """Make the kernel for k-mers of as many words as ``zero`` has."""
    rank_of = _rank_of(zero)

    @kernel
    def count_by_rank(kmers, top_bits, n_bits, ends, totals):
        """Count the k-mers of each rank. One thread per k-mer, with counters for each block.

        Parameters
        ----------
        kmers : in, uint64 (n * words,); k-mer i at i * words
        top_bits : uint64; bits in use in word 0
        n_bits : uint64; the first so many bits of a code are its bin
        ends : in, uint64 (ranks,); where the bins of each rank end, ascending
        totals : in and out, uint64 (ranks,)
        """
        own = cuda.shared.array(MOST_RANKS, uint32)
        for rank in range(cuda.threadIdx.x, MOST_RANKS, cuda.blockDim.x):
            own[rank] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), kmers.size // len(zero), cuda.gridsize(1)):
            cuda.atomic.add(own, rank_of(kmers, i, top_bits, n_bits, ends), _BIT)
        cuda.syncthreads()
        for rank in range(cuda.threadIdx.x, totals.size, cuda.blockDim.x):
            if own[rank]:
                cuda.atomic.add(totals, rank, np.uint64(own[rank]))

    return count_by_rank


@Family
def _scatter(zero: Any) -> Any:
    """Make the kernel for k-mers of as many words as ``zero`` has."""
    rank_of = _rank_of(zero)

    @kernel
    def scatter(kmers, top_bits, n_bits, ends, places, scattered):
        """Write the k-mers of each rank side by side. One thread per k-mer; a block reserves room for those of all its
        threads at once. The order within a rank is arbitrary: they are counted, which no order changes.

        Parameters
        ----------
        kmers, top_bits, n_bits, ends : as in `count_by_rank`
        places : in and out, uint64 (ranks,); where the next k-mer of each rank goes
        scattered : out, uint64 (m * words,)
        """
        own = cuda.shared.array(MOST_RANKS, uint32)
        firsts = cuda.shared.array(MOST_RANKS, uint64)
        thread = cuda.threadIdx.x
        n = kmers.size // len(zero)
        for first in range(cuda.blockIdx.x * cuda.blockDim.x, n, cuda.gridsize(1)):
            for rank in range(thread, places.size, cuda.blockDim.x):
                own[rank] = 0
            cuda.syncthreads()
            i = first + thread
            to = np.int64(0)
            before = np.uint32(0)
            if i < n:
                to = rank_of(kmers, i, top_bits, n_bits, ends)
                before = cuda.atomic.add(own, to, _BIT)
            cuda.syncthreads()
            for rank in range(thread, places.size, cuda.blockDim.x):
                if own[rank]:
                    firsts[rank] = cuda.atomic.add(places, rank, np.uint64(own[rank]))
            cuda.syncthreads()
            if i < n:
                at = np.int64(firsts[to]) + np.int64(before)
                for w in range(len(zero)):
                    scattered[at * len(zero) + w] = kmers[i * len(zero) + w]
            cuda.syncthreads()

    return scatter


def _numbers(kind: KmerKind) -> tuple[Any, Any]:
    return np.uint64(kind.top_bits), np.uint64(kind.bin_bits)


def scatter_to(kmers: Array, kind: KmerKind, ends: Array, places: Array, whole: Array) -> None:
    """Write k-mers to the places of their ranks (uint64), which move on; see `scattered` for the others."""
    launch(_scatter(kind.zero), kmers.size // kind.n_words, kmers, *_numbers(kind), ends, places, whole)


def scattered(parts: list[Array], kind: KmerKind, ends: Array) -> list[Array]:
    """Bring the k-mers of each rank together.

    Parameters
    ----------
    parts : list of array
        K-mers (uint64 (n * words,)), k-mer i at ``i * words``; the list is emptied.
    kind : KmerKind
    ends : array, dtype=uint64, shape=(ranks,)
        Where the bins of each rank end, ascending; the k-mers are in bins of one of them.

    Returns
    -------
    list of array
        Of each rank, as the parts; they share memory.
    """
    count_by_rank = _count_by_rank(kind.zero)
    n_words, totals = kind.n_words, xp.zeros(ends.size, np.uint64)
    for part in parts:
        launch(count_by_rank, part.size // n_words, part, *_numbers(kind), ends, totals)
    bounds = np.zeros(ends.size + 1, np.int64)
    np.cumsum(to_host(totals).astype(np.int64), out=bounds[1:])
    places = xp.asarray(bounds[:-1].astype(np.uint64))
    whole = xp.empty(int(bounds[-1]) * n_words, np.uint64)
    while parts:
        part = parts.pop()
        scatter_to(part, kind, ends, places, whole)
    edges = (bounds * n_words).tolist()
    return [whole[start:stop] for start, stop in itertools.pairwise(edges)]
