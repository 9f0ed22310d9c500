"""Divide k-mers into parts by their leading bits, and extract those of several parts in one pass over the reads."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import (
    cuda,
    device_function,
    kernel,
    launch,
    to_device,
    uint32,
    uint64,
    xp,
)
from debruijn_gpu.backends.core.cuda.scalars import kmer_at, leading_bits, reverse_complement, smaller
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.kmers.cuda.extraction import KmerKind
from debruijn_gpu.backends.kmers.cuda.scattering import MOST_RANKS, scatter_to
from debruijn_gpu.backends.reads.protocol import ReadBatch

#: Parts whose k-mers can be extracted together
MOST_TOGETHER = MOST_RANKS
_BIT, _NO_BITS = np.uint32(1), np.uint32(0)


@dataclass(frozen=True)
class Part:
    """Bins low..high-1 with n k-mers."""

    low: int
    high: int
    n: int


def in_parts(sizes: NDArray[np.int64], most: int, first: int = 0) -> list[Part]:
    """Runs of bins that hold at most so many k-mers, from the sizes of bins from ``first`` on.

    A bin that holds more is a part of its own; bins without k-mers are in none.
    """
    parts: list[Part] = []
    for place in np.flatnonzero(sizes):
        low, n = first + int(place), int(sizes[place])
        if parts and parts[-1].n + n <= most:
            parts[-1] = Part(parts[-1].low, low + 1, parts[-1].n + n)
        else:
            parts.append(Part(low, low + 1, n))
    return parts


def n_together(parts: list[Part], most: int) -> int:
    """Compute how many parts, from the first on, hold at most so many k-mers; one at least."""
    fitting = np.cumsum([part.n for part in parts[:MOST_TOGETHER]]) <= most
    return max(1, int(fitting.sum()))


@Family
def _count_by_part(zero: Any) -> Any:
    """Make the function for k-mers of as many words as ``zero`` has."""

    @device_function
    def count_by_part(bases, top_bits, canonical, n_bits, low, part_of, word, bits, own):
        """Count the k-mers of a word of 32 positions in a counter (shared, uint32) for each part."""
        while bits != _NO_BITS:
            position = (np.uint64(word) << np.uint64(5)) + np.uint64(cuda.ffs(bits) - 1)
            bits &= bits - _BIT
            kmer = kmer_at(bases, position, top_bits, zero)
            if canonical:
                kmer = smaller(kmer, reverse_complement(kmer, top_bits))
            cuda.atomic.add(own, part_of[leading_bits(kmer, top_bits, n_bits) - low], _BIT)

    return count_by_part


@Family
def _write_by_part(zero: Any) -> Any:
    """Make the function for k-mers of as many words as ``zero`` has."""

    @device_function
    def write_by_part(bases, top_bits, canonical, n_bits, low, part_of, word, bits, own, firsts, kmers):
        """Write the k-mers of a word of 32 positions, each to the next place of its part."""
        while bits != _NO_BITS:
            position = (np.uint64(word) << np.uint64(5)) + np.uint64(cuda.ffs(bits) - 1)
            bits &= bits - _BIT
            kmer = kmer_at(bases, position, top_bits, zero)
            if canonical:
                kmer = smaller(kmer, reverse_complement(kmer, top_bits))
            part = part_of[leading_bits(kmer, top_bits, n_bits) - low]
            at = np.int64(firsts[part]) + np.int64(cuda.atomic.add(own, part, _BIT))
            for i in range(len(zero)):
                kmers[at * len(zero) + i] = kmer[i]

    return write_by_part


@Family
def _scatter_parts(zero: Any) -> Any:
    """Make the kernel for k-mers of as many words as ``zero`` has."""
    count_by_part, write_by_part = _count_by_part(zero), _write_by_part(zero)

    @kernel
    def scatter_parts(bases, top_bits, canonical, n_bits, low, part_of, starts, places, kmers):
        """Write the k-mers of each part side by side. One thread per word of 32 positions; a block reserves room for
        those of all its threads at once. Their order within a part is arbitrary: what is counted does not depend on it.

        Parameters
        ----------
        bases : in, uint64 (words,)
        top_bits, canonical : see `KmerKind.numbers`
        n_bits, low : uint64; the first so many bits of a code are its bin, and the first bin of all parts
        part_of : in, uint32 (bins,); the part of each bin from that one on
        starts : in, uint32 (8 * chunks,); where k-mers of these bins begin
        places : in and out, uint64 (parts,); where the next k-mer of each part goes
        kmers : out, uint64 (n * words,); k-mer i at i * words
        """
        own = cuda.shared.array(MOST_TOGETHER, uint32)
        firsts = cuda.shared.array(MOST_TOGETHER, uint64)
        thread = cuda.threadIdx.x
        for first in range(cuda.blockIdx.x * cuda.blockDim.x, starts.size, cuda.gridsize(1)):
            for part in range(thread, places.size, cuda.blockDim.x):
                own[part] = 0
            cuda.syncthreads()
            word = first + thread
            bits = starts[word] if word < starts.size else _NO_BITS
            count_by_part(bases, top_bits, canonical, n_bits, low, part_of, word, bits, own)
            cuda.syncthreads()
            for part in range(thread, places.size, cuda.blockDim.x):
                if own[part]:
                    firsts[part] = cuda.atomic.add(places, part, np.uint64(own[part]))
                own[part] = 0
            cuda.syncthreads()
            write_by_part(bases, top_bits, canonical, n_bits, low, part_of, word, bits, own, firsts, kmers)
            cuda.syncthreads()

    return scatter_parts


class PartScatter:
    """Gathers the k-mers of consecutive parts, from batches of reads or extracted.

    Parameters
    ----------
    parts : list of Part
        At most `MOST_TOGETHER`.
    kind : KmerKind
    """

    def __init__(self, parts: list[Part], kind: KmerKind) -> None:
        self._kind = kind
        self._low = parts[0].low
        part_of = np.zeros(parts[-1].high - self._low, np.uint32)
        for number, part in enumerate(parts):
            part_of[part.low - self._low : part.high - self._low] = number
        bounds = np.cumsum([0, *(part.n for part in parts)])
        self._bounds: list[int] = (bounds * kind.n_words).tolist()
        self._part_of, self._places = to_device(part_of), to_device(bounds[:-1].astype(np.uint64))
        self._ends = to_device(np.array([part.high for part in parts], np.uint64))
        self._kmers = xp.empty(self._bounds[-1], np.uint64)

    def add(self, batch: ReadBatch, starts: Array) -> None:
        """Add the k-mers of a batch that begin where bits (uint64) are set, all of them in bins of the parts."""
        kind, words = self._kind, starts.view(np.uint32)
        _, *numbers = kind.numbers
        bins = np.uint64(kind.bin_bits), np.uint64(self._low), self._part_of
        launch(_scatter_parts(kind.zero), words.size, batch.bases, *numbers, *bins, words, self._places, self._kmers)

    def add_kmers(self, kmers: Array) -> None:
        """Add k-mers (uint64), k-mer i at i * words, all of them in bins of the parts."""
        scatter_to(kmers, self._kind, self._ends, self._places, self._kmers)

    def result(self) -> list[Array]:
        """The k-mers (uint64) of each part, k-mer i at i * words; they share memory."""
        return [self._kmers[start:stop] for start, stop in pairwise(self._bounds)]
