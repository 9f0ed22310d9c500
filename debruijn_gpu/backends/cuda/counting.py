"""Counting k-mers in an array: bring equal ones together, find the runs, keep those that are long enough.

K-mers of one word are sorted. Those of more words are ordered by a hash of 64 bits: that is one sort instead of one for
each word, and only what is kept is ever sorted by code. Different k-mers with one hash would be mixed; they are looked
for, and if there are any (one set of a billion k-mers in 30 has some) all are sorted by code after all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cuda.compiled import hash_kmer
from debruijn_gpu.backends.cuda.keys import gather
from debruijn_gpu.backends.cuda.order import order_by
from debruijn_gpu.backends.cuda.runtime import (
    SIMULATED,
    cuda,
    device_function,
    kernel,
    launch,
    stable_argsort,
    to_host,
    uint32,
    with_word,
    xp,
)
from debruijn_gpu.backends.cuda.selecting import CHUNK, Selection, selection_of

DENSE = 1 << 16  # counts below this have a cell in the histogram
_SHARED_BINS = 4 if SIMULATED else 1024  # counts below this are first counted by each block
_MOST_WORDS = 4
_MOST_COUNT = np.uint64(0xFFFFFFFF)
_HASH_MASK = 0xFFFFFFFFFFFFFFFF  # tests clear bits of it
_ONE = np.uint64(1)
_BIT = np.uint32(1)


def counting_bytes(n_words: int) -> int:
    """Device memory that each k-mer of an array takes while they are counted, if all are different and are kept.

    One word: codes in order, and the codes and counts that are kept, with bits and their sums (the sort takes less).
    More: codes, hashes, and what CuPy's argsort takes, a copy, positions, and a buffer of as much; or codes, codes in
    order, and those that are kept.
    """
    return 21 if n_words == 1 else max(8 * n_words + 40, 24 * n_words + 5)


class Tally:
    """How many k-mers have which count.

    Attributes
    ----------
    bins : uint64 (65536,), on the device; number of k-mers by count
    large : uint32 (n_occurrences // 65536 + 1,), on the device; larger counts
    n_large : uint64 (1,), on the device; how many these are
    """

    def __init__(self, n_occurrences: int) -> None:
        self.bins = xp.zeros(DENSE, np.uint64)
        self.large = xp.empty(n_occurrences // DENSE + 1, np.uint32)
        self.n_large = xp.zeros(1, np.uint64)

    def on_host(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The bins as int64, and the larger counts in ascending order."""
        large: NDArray[np.uint32] = to_host(self.large[: int(to_host(self.n_large)[0])])
        large.sort()
        return to_host(self.bins.view(np.int64)), large


@dataclass(frozen=True)
class Counted:
    """Distinct k-mers.

    Attributes
    ----------
    codes : uint64 (words, n)
    counts : uint32 (n,)
    """

    codes: Array
    counts: Array

    @property
    def nbytes(self) -> int:
        return int(self.codes.nbytes + self.counts.nbytes)


def _make_kernels(zero: Any) -> tuple[Any, Any]:
    """Kernels for k-mers of as many words as ``zero`` has."""

    @kernel
    def hash_all(kmers, mask, hashes):
        """Hashes of k-mers. One thread a k-mer.

        Parameters
        ----------
        kmers : in, uint64 (n * words,); k-mer i at i * words
        mask : uint64; the bits of the hash to use
        hashes : out, uint64 (n,)
        """
        for i in range(cuda.grid(1), hashes.size, cuda.gridsize(1)):
            kmer = zero
            for w in range(len(zero)):
                kmer = with_word(kmer, w, kmers[i * len(zero) + w])
            hashes[i] = hash_kmer(kmer) & mask

    @kernel
    def find_collisions(codes, mask, n_found):
        """Count neighbours that differ and have one hash. One thread a k-mer.

        Parameters
        ----------
        codes : in, uint64 (words, n), by hash
        mask : uint64; the bits of the hash to use
        n_found : in and out, uint64 (1,)
        """
        for i in range(cuda.grid(1) + 1, codes.shape[1], cuda.gridsize(1)):
            one = zero
            other = zero
            is_same = True
            for w in range(len(zero)):
                one = with_word(one, w, codes[w, i])
                other = with_word(other, w, codes[w, i - 1])
                is_same = is_same and one[w] == other[w]
            if not is_same and (hash_kmer(one) ^ hash_kmer(other)) & mask == np.uint64(0):
                cuda.atomic.add(n_found, 0, _ONE)

    return hash_all, find_collisions


_KERNELS = {n_words: _make_kernels((np.uint64(0),) * n_words) for n_words in range(2, _MOST_WORDS + 1)}


@kernel
def _take(kmers, order, codes):
    """K-mers at positions. One thread a k-mer; its words lie side by side, so that they cost one access.

    Parameters
    ----------
    kmers : in, uint64 (m * words,); k-mer i at i * words
    order : in, int64 (n,)
    codes : out, uint64 (words, n)
    """
    n_words = codes.shape[0]
    for i in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        at = order[i] * n_words
        for w in range(n_words):
            codes[w, i] = kmers[at + w]


@device_function
def _are_same(codes, i, j):
    """Whether two k-mers are the same."""
    difference = np.uint64(0)
    for w in range(codes.shape[0]):
        difference |= codes[w, i] ^ codes[w, j]
    return difference == np.uint64(0)


@device_function
def _end_of_run(codes, i):
    """One beyond the last k-mer that is the same as i, by steps of doubling length and then of halving length: it costs
    no more for a billion of poly-A than 60 steps."""
    last, step = np.int64(i), np.int64(1)
    while last + step < codes.shape[1] and _are_same(codes, i, last + step):
        last += step
        step *= 2
    while step > 0:
        if last + step < codes.shape[1] and _are_same(codes, i, last + step):
            last += step
        step //= 2
    return last + 1


@device_function
def _count_of(codes, weights, i):
    """How often (uint64, at most 2^32 - 1) the k-mer occurs whose run begins at i: its length, or the sum of the
    weights if there are any (then runs are short)."""
    if weights.size == 0:
        return min(np.uint64(_end_of_run(codes, i) - i), _MOST_COUNT)
    total = np.uint64(weights[i])
    j = i + 1
    while j < codes.shape[1] and _are_same(codes, i, j):
        total += np.uint64(weights[j])
        j += 1
    return min(total, _MOST_COUNT)


@device_function
def _add_to_tally(count, own, bins, large, n_large):
    """Count a count: in shared memory (own), in the bins, or with the large ones; see `Tally`."""
    if count < np.uint64(_SHARED_BINS):
        cuda.atomic.add(own, count, _BIT)
    elif count < np.uint64(DENSE):
        cuda.atomic.add(bins, count, _ONE)
    else:
        large[cuda.atomic.add(n_large, 0, _ONE)] = np.uint32(count)


@kernel
def _mark_runs(codes, weights, min_count, is_tallied, kept, bins, large, n_large):
    """Set the bits of the first k-mers of runs that are long enough, and count runs by length. One block a chunk of 256
    k-mers. Runs of one k-mer, the most by far, are counted in a register, other short ones in shared memory.

    Parameters
    ----------
    codes : in, uint64 (words, n), equal ones next to each other
    weights : in, uint32 (n,) or (0,); see `_count_of`
    min_count : uint64
    is_tallied : int64; 0 leaves bins, large and n_large as they are
    kept : out, uint32 (8 * chunks,); bit b of word w is k-mer 32 w + b
    bins, large, n_large : in and out; see `Tally`
    """
    bits = cuda.shared.array(8, uint32)
    own = cuda.shared.array(_SHARED_BINS, uint32)
    thread = np.int64(cuda.threadIdx.x)
    n_threads = np.int64(cuda.blockDim.x)
    for count in range(thread, _SHARED_BINS, n_threads):
        own[count] = 0
    n_single = np.uint32(0)
    for chunk in range(np.int64(cuda.blockIdx.x), kept.size // 8, np.int64(cuda.gridDim.x)):
        for j in range(thread, 8, n_threads):
            bits[j] = 0
        cuda.syncthreads()
        for i in range(chunk * 256 + thread, min(chunk * 256 + 256, codes.shape[1]), n_threads):
            if i == 0 or not _are_same(codes, i, i - 1):
                count = _count_of(codes, weights, i)
                if count >= min_count:
                    cuda.atomic.or_(bits, (i >> 5) & 7, _BIT << np.uint32(i & 31))
                if count == _ONE:
                    n_single += _BIT
                elif is_tallied:
                    _add_to_tally(count, own, bins, large, n_large)
        cuda.syncthreads()
        for j in range(thread, 8, n_threads):
            kept[chunk * 8 + j] = bits[j]
        cuda.syncthreads()
    if n_single and is_tallied:
        cuda.atomic.add(own, 1, n_single)
    cuda.syncthreads()
    for count in range(thread, _SHARED_BINS, n_threads):
        if own[count]:
            cuda.atomic.add(bins, count, np.uint64(own[count]))


@kernel
def _write_runs(codes, weights, words, ends, kept_codes, kept_counts):
    """The k-mers whose bits are set, and their counts. 32 threads a chunk of 256; see `selecting`.

    Parameters
    ----------
    codes, weights : in, as in `_mark_runs`
    words : in, uint32 (8 * chunks,)
    ends : in, int64 (chunks,)
    kept_codes : out, uint64 (words, total)
    kept_counts : out, uint32 (total,)
    """
    for slot in range(cuda.grid(1), ends.size * 32, cuda.gridsize(1)):
        chunk = slot >> 5
        lane = np.uint32(slot & 31)
        at = ends[chunk - 1] if chunk else 0
        for j in range(8):
            word = words[chunk * 8 + j]
            if (word >> lane) & _BIT:
                to = at + np.int64(cuda.popc(word & ((_BIT << lane) - _BIT)))
                i = chunk * 256 + j * 32 + (slot & 31)
                for w in range(codes.shape[0]):
                    kept_codes[w, to] = codes[w, i]
                kept_counts[to] = np.uint32(_count_of(codes, weights, i))
            at += np.int64(cuda.popc(word))


def in_groups(kmers: Array, n_words: int) -> Array:
    """K-mers with equal ones next to each other, in ascending order if they have one word.

    Parameters
    ----------
    kmers : array, dtype=uint64, shape=(n * n_words,)
        K-mer i at ``i * n_words``; may be overwritten.

    Returns
    -------
    array, dtype=uint64, shape=(n_words, n)
    """
    n = kmers.size // n_words
    if n_words == 1:
        kmers.sort()
        return kmers.reshape(1, n)
    hash_all, find_collisions = _KERNELS[n_words]
    hashes = xp.empty(n, np.uint64)
    launch(hash_all, n, kmers, np.uint64(_HASH_MASK), hashes)
    order = stable_argsort(hashes)
    del hashes
    codes = xp.empty((n_words, n), np.uint64)
    launch(_take, n, kmers, order, codes)
    n_found = xp.zeros(1, np.uint64)
    launch(find_collisions, n, codes, np.uint64(_HASH_MASK), n_found)
    return sorted_codes(codes)[0] if int(to_host(n_found)[0]) else codes


def sorted_codes(codes: Array, counts: Array | None = None) -> tuple[Array, Array | None]:
    """K-mers (words, n) in ascending order, and what belongs to them."""
    order = order_by([codes[w] for w in range(codes.shape[0])])
    in_order = xp.empty(codes.shape, np.uint64)
    for w in range(codes.shape[0]):
        in_order[w] = gather(codes[w], order)
    return in_order, None if counts is None else gather(counts, order)


def count_runs(codes: Array, weights: Array | None, min_count: int, tally: Tally | None) -> Counted:
    """The distinct k-mers that occur ``min_count`` times or more, in the order given.

    Parameters
    ----------
    codes : array, dtype=uint64, shape=(words, n)
        Equal ones next to each other.
    weights : array or None
        How often (uint32) each of them occurs; None: once.
    min_count : int
    tally : Tally or None
        Takes the counts of all, unless it is None.
    """
    n_words, n = codes.shape
    kept = xp.empty(-(-n // CHUNK) * (CHUNK // 32), np.uint32)
    if weights is None:
        weights = xp.empty(0, np.uint32)
    into = Tally(0) if tally is None else tally
    arguments = (codes, weights, np.uint64(min_count), np.int64(tally is not None), kept)
    launch(_mark_runs, kept.size // 8, *arguments, into.bins, into.large, into.n_large, per_block=1)
    selection: Selection = selection_of(kept.view(np.uint64))
    found = Counted(xp.empty((n_words, selection.total), np.uint64), xp.empty(selection.total, np.uint32))
    if selection.total:
        outputs = (found.codes, found.counts)
        launch(_write_runs, selection.ends.size * 32, codes, weights, selection.words, selection.ends, *outputs)
    return found


def merged(first: Counted, second: Counted) -> Counted:
    """The k-mers of both, in ascending order; the counts of those in both are added."""
    n = first.counts.size
    codes = xp.empty((first.codes.shape[0], n + second.counts.size), np.uint64)
    counts = xp.empty(codes.shape[1], np.uint32)
    for w in range(codes.shape[0]):
        codes[w, :n], codes[w, n:] = first.codes[w], second.codes[w]
    counts[:n], counts[n:] = first.counts, second.counts
    codes, counts = sorted_codes(codes, counts)
    return count_runs(codes, counts, 1, None)
