"""k-mers in arrays: load, scatter into buckets, and format as lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel
from debruijn_gpu.backends.core.cpu.intrinsics import with_word
from debruijn_gpu.backends.kmers.cpu.superkmers import SuperKmers
from debruijn_gpu.backends.kmers.minimizers import group_size, n_used_buckets
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes, return_free_memory
from debruijn_gpu.run.scratch import ScratchArray, ScratchFile


@kernel
def load_kmer(codes, i, kmer):
    """k-mer i; the value of ``kmer`` only gives the number of words."""
    for word in range(len(kmer)):
        kmer = with_word(kmer, word, codes[np.uint64(word), np.uint64(i)])
    return kmer


@dataclass(frozen=True)
class BucketGroup:
    """Records of adjacent buckets, gathered from all batches.

    Attributes
    ----------
    words : ndarray, dtype=uint64
    starts : ndarray, dtype=int64, shape=(n_batches, n_buckets_in_group + 1)
        Bucket b of batch i is ``words[starts[i, b]:starts[i, b + 1]]``.
    """

    words: NDArray[np.uint64]
    starts: NDArray[np.int64]


class BucketStore:
    """Collects the super-k-mers of batches and gives them back by groups of buckets.

    Parameters
    ----------
    bits : int
        There are ``2 ** bits`` buckets.
    sample : float
        Share of the buckets to use.
    tmp_dir : Path or None
        Where the scratch file goes; None: the system's place.

    Attributes
    ----------
    memory_bytes : int
        What may stay in memory.
    held_bytes : int
        Super-k-mers in memory.
    """

    def __init__(self, bits: int, sample: float, tmp_dir: Path | None) -> None:
        self.bits = bits
        self._group_size = group_size(bits)
        self.n_used_buckets = n_used_buckets(bits, sample)
        self.n_kmers = 0
        self.memory_bytes = self.held_bytes = 0
        self._tmp_dir = tmp_dir
        self._words: list[NDArray[np.uint64] | ScratchArray] = []
        self._bucket_ptrs: list[NDArray[np.int64] | NDArray[np.uint32]] = []
        self._scratch: ScratchFile | None = None

    def add(self, batch: SuperKmers) -> None:
        """Keep the super-k-mers of one batch."""
        self.n_kmers += batch.n_kmers
        ptr = batch.bucket_ptr
        self._bucket_ptrs.append(ptr.astype(np.uint32) if ptr[-1] < 1 << 32 else ptr)
        if self.held_bytes + batch.words.nbytes <= self.memory_bytes:
            self.held_bytes += batch.words.nbytes
            self._words.append(batch.words)
            return
        if self._scratch is None:
            self._scratch = ScratchFile(self._tmp_dir)
            log.logger.info(
                "k-mers take more than %s: the rest goes to a temporary file", format_bytes(self.memory_bytes)
            )
        self._words.append(self._scratch.write(batch.words, ptr[:: self._group_size]))

    @property
    def groups(self) -> range:
        """First bucket of each group."""
        return range(0, self.n_used_buckets, self._group_size)

    def gather(self, first_bucket: int) -> BucketGroup:
        """The records of one group; safe to call from several threads."""
        last_bucket = first_bucket + self._group_size
        cuts = [ptr[first_bucket : last_bucket + 1].astype(np.int64) for ptr in self._bucket_ptrs]
        edges = np.cumsum([0] + [int(cut[-1] - cut[0]) for cut in cuts])
        words = np.empty(edges[-1], np.uint64)
        starts = np.zeros((len(cuts), self._group_size + 1), np.int64)
        for i, cut in enumerate(cuts):
            target = words[edges[i] : edges[i + 1]]
            source = self._words[i]
            if isinstance(source, ScratchArray):
                assert self._scratch is not None
                self._scratch.read_into(source, int(cut[0]), target)
            else:
                target[:] = source[cut[0] : cut[-1]]
            starts[i] = cut - cut[0] + edges[i]
        return BucketGroup(words, starts)

    def close(self) -> None:
        """Give memory and scratch space back."""
        self._words.clear()
        if self._scratch is not None:
            self._scratch.close()
        return_free_memory()


_MOST_DIGITS = 10  # of a uint32
_ACGT = np.frombuffer(BASES, np.uint8)
_FOUR = np.uint64(4)
#: Letters of each four bases, which fill a byte
_FOUR_LETTERS = _ACGT[np.arange(256)[:, None] >> np.array([6, 4, 2, 0]) & 3].ravel()
_TAB, _NEWLINE, _ZERO = np.uint8(9), np.uint8(10), np.uint8(48)


@inlined_kernel
def write_letters(codes, i, k, text, at):
    """Write the letters of k-mer i (codes (words, n)) to ``text[at : at + k]``."""
    end = np.uint64(at + k)
    for word in range(codes.shape[0] - 1, -1, -1):  # the last base is in the lowest bits of the last word
        value = codes[word, i]
        n = min(np.uint64(32), end - np.uint64(at))
        while n >= _FOUR:
            four = (value & np.uint64(255)) * _FOUR
            end -= _FOUR
            for j in range(4):
                text[end + np.uint64(j)] = _FOUR_LETTERS[four + np.uint64(j)]
            value >>= np.uint64(8)
            n -= _FOUR
        while n > np.uint64(0):
            end -= np.uint64(1)
            text[end] = _ACGT[value & np.uint64(3)]
            value >>= np.uint64(2)
            n -= np.uint64(1)


@inlined_kernel
def write_number(value, text, at):
    """Write a uint32 in decimal at ``text[at]`` and behind; returns the position behind it."""
    n_digits, rest = 1, value // np.uint32(10)
    while rest:
        n_digits, rest = n_digits + 1, rest // np.uint32(10)
    end = at + n_digits
    for digit in range(1, n_digits + 1):
        text[end - digit] = _ZERO + np.uint8(value % np.uint32(10))
        value //= np.uint32(10)
    return end


@kernel
def kmer_lines(codes, counts, k, start, stop):
    """Lines ``kmer<TAB>count`` of some k-mers; see `HostKmerOperations.kmer_lines`."""
    text = np.empty((stop - start) * (k + 2 + _MOST_DIGITS), np.uint8)
    end = 0
    for i in range(start, stop):
        write_letters(codes, i, k, text, end)
        text[end + k] = _TAB
        end = write_number(np.uint32(counts[i]), text, end + k + 1)
        text[end] = _NEWLINE
        end += 1
    return text[:end]
