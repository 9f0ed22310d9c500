"""Find the partitions of the ends of k-mers; see `kmers.partition_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array, Codes
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import lean_function, strided_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import with_word
from debruijn_gpu.backends.kmers import partition_scalars
from debruijn_gpu.backends.kmers.cpu.buckets import load_kmer
from debruijn_gpu.backends.kmers.minimizers import minimizer_length

_end_partitions_of = compile_module(
    lean_function, kmer_scalars, partition_scalars, with_word=with_word
).end_partitions_of


@strided_kernel
def _find_partitions(codes, k, m, n_partitions, start, stop, partitions, zero):
    """Write the partitions (out, uint32 (2 n,)) of the ends of k-mers start..stop."""
    for i in range(start, stop):
        first, last = _end_partitions_of(load_kmer(codes, i, zero), k, m, n_partitions)
        partitions[2 * i], partitions[2 * i + 1] = last, first


def end_partitions(codes: Codes, k: int, n_partitions: int) -> Array:
    """See `KmerOperations.end_partitions`."""
    partitions = np.empty(2 * codes.shape[1], np.uint32)
    zero = (np.uint64(0),) * len(codes)
    numbers = k, minimizer_length(k - 1), np.uint64(n_partitions)
    threads.over_ranges(
        codes.shape[1],
        lambda start, stop: _find_partitions(codes, *numbers, start, stop, partitions, zero),
        work=k * codes.shape[1],
    )
    return partitions
