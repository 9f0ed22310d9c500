"""The k-mers of packed reads: their bins and their codes.

Where k-mers begin is kept in bits (see `starts`), and the codes are gathered (see `arrays.cuda.masks`): 32 threads
a chunk of 256 positions, so that neighbouring threads read the same words of bases and write neighbouring k-mers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.arrays.cuda.masks import Selection
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import SIMULATED, cuda, device_function, kernel, launch, uint32
from debruijn_gpu.backends.core.cuda.scalars import (
    append_base,
    base_at,
    kmer_at,
    leading_bits,
    prepend_base,
    reverse_complement,
    smaller,
)
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.reads.protocol import ReadBatch

_MOST_BIN_BITS = 6 if SIMULATED else 13  # whose counters fit into the shared memory of a block
_MOST_BINS = 1 << _MOST_BIN_BITS
_BIN_THREADS = 4 if SIMULATED else 1024
_BIN_BLOCKS = 256  # few, as each adds all of its counters to those of the device
_ONE, _ALL = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_BIT = np.uint32(1)


@dataclass(frozen=True)
class KmerKind:
    """Kind of k-mers that are counted.

    Attributes
    ----------
    k : int
    canonical : bool
        Whether a k-mer and its reverse complement are one: the smaller.
    """

    k: int
    canonical: bool

    @property
    def n_words(self) -> int:
        return words_per_kmer(self.k)

    @property
    def zero(self) -> Any:
        """A k-mer of as many words, all of them 0, for kernels."""
        return (np.uint64(0),) * self.n_words

    @property
    def nbytes(self) -> int:
        """Bytes of a code."""
        return 8 * self.n_words

    @property
    def top_bits(self) -> int:
        """Bits in use in word 0."""
        return 2 * self.k - 64 * (self.n_words - 1)

    @property
    def bin_bits(self) -> int:
        """So many leading bits of a code are the bin of a k-mer."""
        return min(_MOST_BIN_BITS, 2 * self.k)

    @property
    def numbers(self) -> tuple[Any, Any, Any]:
        """k (int64), bits in use in word 0 (uint64) and whether canonical (int64, 0 or 1), for kernels."""
        return np.int64(self.k), np.uint64(self.top_bits), np.int64(self.canonical)


@Family
def _keep_range(zero: Any) -> Any:
    """Make the kernel for k-mers of as many words as ``zero`` has."""

    @kernel
    def keep_range(bases, k, top_bits, canonical, n_bits, low, high, starts):
        """Clear the bits of k-mers in other bins. One thread per word of 32 positions, from one k-mer to the next.

        Parameters
        ----------
        bases : in, uint64 (words,)
        k, top_bits, canonical : see `KmerKind.numbers`
        n_bits, low, high : uint64; the first so many bits of a code are its bin; low..high-1 are kept
        starts : in and out, uint32 (8 * chunks,)
        """
        top_mask = _ALL >> (np.uint64(64) - top_bits)
        for w in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
            bits = starts[w]
            kept = np.uint32(0)
            position = np.uint64(w) << np.uint64(5)
            if bits != np.uint32(0):
                forward = kmer_at(bases, position, top_bits, zero)
                reverse = reverse_complement(forward, top_bits)
            bit = np.uint32(0)
            while bits != np.uint32(0):
                if bits & _BIT:
                    where = leading_bits(smaller(forward, reverse) if canonical else forward, top_bits, n_bits)
                    if low <= where and where < high:
                        kept |= _BIT << bit
                bits >>= _BIT
                bit += _BIT
                if bits != np.uint32(0):
                    base = base_at(bases, position + np.uint64(bit) + np.uint64(k - 1))
                    forward = append_base(forward, base, top_mask)
                    reverse = prepend_base(reverse, np.uint64(3) - base, top_bits - np.uint64(2))
            starts[w] = kept

    return keep_range


@Family
def _count_by_bin(zero: Any) -> Any:
    """Make the function for k-mers of as many words as ``zero`` has."""

    @device_function
    def count_by_bin(bases, k, top_bits, canonical, n_bits, word, bits, own):
        """Count the k-mers of a word of 32 positions in a counter (shared, uint32) for each bin; neighbours in one bin
        are added at once."""
        top_mask = _ALL >> (np.uint64(64) - top_bits)
        position = np.uint64(word) << np.uint64(5)
        forward = kmer_at(bases, position, top_bits, zero)
        reverse = reverse_complement(forward, top_bits)
        current = np.uint64(0)
        n = np.uint32(0)
        while bits != np.uint32(0):
            if bits & _BIT:
                bin_of_kmer = leading_bits(smaller(forward, reverse) if canonical else forward, top_bits, n_bits)
                if bin_of_kmer != current and n != np.uint32(0):
                    cuda.atomic.add(own, current, n)
                    n = np.uint32(0)
                current = bin_of_kmer
                n = np.uint32(n + _BIT)
            bits >>= _BIT
            position += _ONE
            if bits != np.uint32(0):
                base = base_at(bases, position + np.uint64(k - 1))
                forward = append_base(forward, base, top_mask)
                reverse = prepend_base(reverse, np.uint64(3) - base, top_bits - np.uint64(2))
        cuda.atomic.add(own, current, n)

    return count_by_bin


@Family
def _add_to_bins(zero: Any) -> Any:
    """Make the kernel for k-mers of as many words as ``zero`` has."""
    count_by_bin = _count_by_bin(zero)

    @kernel
    def add_to_bins(bases, k, top_bits, canonical, n_bits, starts, bins):
        """Count k-mers by bin. One thread per word of 32 positions, with counters for each block.

        Parameters
        ----------
        bases, k, top_bits, canonical, n_bits : as in `keep_range`
        starts : in, uint32 (8 * chunks,)
        bins : in and out, uint64 (2^n_bits,)
        """
        own = cuda.shared.array(_MOST_BINS, uint32)
        for place in range(cuda.threadIdx.x, bins.size, cuda.blockDim.x):
            own[place] = 0
        cuda.syncthreads()
        for word in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
            if starts[word] != np.uint32(0):
                count_by_bin(bases, k, top_bits, canonical, n_bits, word, starts[word], own)
        cuda.syncthreads()
        for place in range(cuda.threadIdx.x, bins.size, cuda.blockDim.x):
            if own[place]:
                cuda.atomic.add(bins, place, np.uint64(own[place]))

    return add_to_bins


@Family
def _extract(zero: Any) -> Any:
    """Make the kernel for k-mers of as many words as ``zero`` has."""

    @kernel
    def extract(bases, top_bits, canonical, starts, ends, first, n, at, kmers):
        """Write the k-mers that begin where bits are set. 32 threads per chunk of 256 positions; see
        `arrays.cuda.masks`.

        Parameters
        ----------
        bases : in, uint64 (words,)
        top_bits, canonical : see `KmerKind.numbers`
        starts : in, uint32 (8 * chunks,)
        ends : in, int64 (chunks,); how many begin up to the end of each chunk
        first, n : int64; the k-mers first..first+n-1 of all that begin are written
        at : int64; where the first of them goes
        kmers : out, uint64 (capacity * words,); k-mer i at i * words
        """
        for slot in range(cuda.grid(1), ends.size * 32, cuda.gridsize(1)):
            chunk = slot >> 5
            lane = np.uint32(slot & 31)
            rank = (ends[chunk - 1] if chunk else 0) - first
            if rank >= n or ends[chunk] <= first:
                continue
            for j in range(8):
                word = starts[chunk * 8 + j]
                if (word >> lane) & _BIT:
                    own = rank + np.int64(cuda.popc(word & ((_BIT << lane) - _BIT)))
                    if own >= 0 and own < n:
                        position = np.uint64(chunk * 256 + j * 32 + (slot & 31))
                        kmer = kmer_at(bases, position, top_bits, zero)
                        if canonical:
                            kmer = smaller(kmer, reverse_complement(kmer, top_bits))
                        for i in range(len(zero)):
                            kmers[(at + own) * len(zero) + i] = kmer[i]
                rank += np.int64(cuda.popc(word))

    return extract


def keep_bins(batch: ReadBatch, starts: Array, kind: KmerKind, low: int, high: int) -> None:
    """Clear the bits of k-mers that are not in the bins low..high-1."""
    scalars = (*kind.numbers, np.uint64(kind.bin_bits), np.uint64(low), np.uint64(high))
    launch(_keep_range(kind.zero), 2 * starts.size, batch.bases, *scalars, starts.view(np.uint32))


def add_to_bins(batch: ReadBatch, starts: Array, kind: KmerKind, bins: Array) -> None:
    """Add the k-mers of a batch to the number (uint64) of those in each bin."""
    words = starts.view(np.uint32)
    arguments = (*kind.numbers, np.uint64(kind.bin_bits), words, bins)
    per_block = max(_BIN_THREADS, -(-words.size // _BIN_BLOCKS))
    launch(_add_to_bins(kind.zero), words.size, batch.bases, *arguments, per_block=per_block, block=_BIN_THREADS)


def extract(batch: ReadBatch, starts: Selection, kind: KmerKind, first: int, n: int, kmers: Array, at: int) -> None:
    """Write the k-mers first..first+n-1 of those that begin at the selected positions to ``kmers``, from k-mer ``at``
    on; see the kernel."""
    _, *scalars = kind.numbers
    arguments = (starts.words, starts.ends, np.int64(first), np.int64(n), np.int64(at), kmers)
    launch(_extract(kind.zero), starts.ends.size * 32, batch.bases, *scalars, *arguments)
