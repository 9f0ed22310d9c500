"""Bringing equal k-mers together.

K-mers of one word are sorted. Those of more words are ordered by a hash of 64 bits: that is one sort instead of one for
each word, and only what is kept is ever sorted by code. Different k-mers with one hash would be mixed; they are looked
for, and if there are any (one set of a billion k-mers in 30 has some) all are sorted by code after all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import gather
from debruijn_gpu.backends.arrays.cuda.sorting import order_by
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, stable_argsort, to_host, with_word, xp
from debruijn_gpu.backends.core.cuda.scalars import identify_kmer
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.run.tuning import tuning

_ONE = np.uint64(1)


@Family
def _kernels(zero: Any) -> tuple[Any, Any]:
    """Make the kernels for k-mers of as many words as ``zero`` has."""

    @kernel
    def hash_all(kmers, mask, hashes):
        """Hashes of k-mers. One thread per k-mer.

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
            hashes[i] = identify_kmer(kmer) & mask

    @kernel
    def find_collisions(codes, mask, n_found):
        """Count neighbours that differ and have one hash. One thread per k-mer.

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
            if not is_same and (identify_kmer(one) ^ identify_kmer(other)) & mask == np.uint64(0):
                cuda.atomic.add(n_found, 0, _ONE)

    return hash_all, find_collisions


@kernel
def _take(kmers, order, codes):
    """K-mers at positions. One thread per k-mer; its words lie side by side, so that they cost one access.

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
    hash_all, find_collisions = _kernels((np.uint64(0),) * n_words)
    hashes, mask = xp.empty(n, np.uint64), np.uint64(tuning().hash_mask)
    launch(hash_all, n, kmers, mask, hashes)
    order = stable_argsort(hashes, overwrite=True)
    del hashes
    codes = xp.empty((n_words, n), np.uint64)
    launch(_take, n, kmers, order, codes)
    n_found = xp.zeros(1, np.uint64)
    launch(find_collisions, n, codes, mask, n_found)
    return sorted_codes(codes)[0] if int(to_host(n_found)[0]) else codes


def sorted_codes(codes: Array, counts: Array | None = None) -> tuple[Array, Array | None]:
    """K-mers (words, n) in ascending order, and what belongs to them."""
    order = order_by([codes[w] for w in range(codes.shape[0])])
    in_order = xp.empty(codes.shape, np.uint64)
    for w in range(codes.shape[0]):
        assign(in_order[w], gather(codes[w], order))
    return in_order, None if counts is None else gather(counts, order)
