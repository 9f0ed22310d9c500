"""Combine any number of sorted sets of k-mers in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.kmers.set_programs import SetProgram
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.ranges import check_alike, over_ranges
from debruijn_gpu.sets.source import SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array, Codes, Counts
    from debruijn_gpu.backends.protocol import KmerBackend


def combine_sets(
    sets: Sequence[SortedKmers], program: SetProgram, run: RunOptions, backend: KmerBackend
) -> Iterator[tuple[Codes, Counts]]:
    """Combine sets by a program, range by range of codes; sets may be larger than memory.

    Parameters
    ----------
    sets : sequence of SortedKmers
    program : SetProgram
    run : RunOptions
        Threads and memory change no result.
    backend : KmerBackend

    Yields
    ------
    (ndarray of uint64 and shape (words, n), ndarray of uint32 and shape (n,))
        Codes, ascending from part to part, and counts; a part may be empty.

    Raises
    ------
    ParameterError
        If the sets differ in k, or only some of them are canonical.
    FormatError
        If one is damaged.
    """
    check_alike(sets)
    k = sets[0].k

    def combined(parts: list[tuple[Array, Array]]) -> tuple[Codes, Counts]:
        codes, counts = backend.kmers.combine_sets(parts, k, program)
        return backend.to_host(codes), backend.to_host(counts)

    yield from over_ranges(sets, combined, run, backend)


def shared_kmers(sets: Sequence[SortedKmers], run: RunOptions, backend: KmerBackend) -> NDArray[np.int64]:
    """Count the k-mers that each two sets share: shape (sets, sets), with the sizes of the sets in the diagonal."""
    check_alike(sets)
    shared = np.zeros((len(sets), len(sets)), np.int64)
    for part in over_ranges(sets, lambda parts: backend.kmers.count_shared(parts, sets[0].k), run, backend):
        shared += part
    return shared


def count_frequencies(kmers: SortedKmers, run: RunOptions, backend: KmerBackend) -> dict[int, int]:
    """Count the k-mers of each count: a dictionary in ascending order, without zeros."""

    def counted(parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        values, numbers = backend.arrays.distinct_counts(parts[0][1])
        return backend.to_host(values), backend.to_host(numbers)

    found: dict[int, int] = {}
    for values, numbers in over_ranges([kmers], counted, run, backend):
        for value, number in zip(values.tolist(), numbers.tolist(), strict=True):
            found[value] = found.get(value, 0) + number
    return dict(sorted(found.items()))
