"""Find the partitions of the ends of k-mers; see `kmers.partition_scalars`."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, with_word, xp
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.kmers import partition_scalars
from debruijn_gpu.backends.kmers.cuda.lookups import load_kmer
from debruijn_gpu.backends.kmers.minimizers import minimizer_length

_end_partitions_of = compile_module(
    device_function, kmer_scalars, partition_scalars, with_word=with_word
).end_partitions_of


@Family
def _find_partitions(n_words: int) -> Any:
    """Make `find_partitions` for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def find_partitions(codes, k, m, n_partitions, partitions):
        """Write the partitions (out, uint32 (2 n,)) of the ends of k-mers. One thread per k-mer."""
        for i in range(cuda.grid(1), partitions.size >> 1, cuda.gridsize(1)):
            first, last = _end_partitions_of(load_kmer(codes, i, zero), k, m, n_partitions)
            partitions[2 * i] = last
            partitions[2 * i + 1] = first

    return find_partitions


@guarded
def end_partitions(codes: Array, k: int, n_partitions: int) -> Array:
    """See `KmerOperations.end_partitions`."""
    partitions = xp.empty(2 * codes.shape[1], np.uint32)
    numbers = np.int64(k), np.int64(minimizer_length(k - 1)), np.uint64(n_partitions)
    launch(_find_partitions(codes.shape[0]), codes.shape[1], contiguous(codes), *numbers, partitions)
    return partitions
