"""Split the codes of several sets into ranges that are combined one by one, in bounded memory."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run import progress
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import in_background, ordered_map
from debruijn_gpu.run.resources import calling_threads, memory_left
from debruijn_gpu.run.tuning import tuning
from debruijn_gpu.sets.source import DeviceKmers, MarkedKmers, SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.core.protocol import CoreOperations

Result = TypeVar("Result")

_COPIES = 4  # of each k-mer of a range: read, concatenated, combined, waiting to be written
_KMERS_OF_SET = 1 << 14  # of a range, of each of many sets: finding a range takes as long as merging thousands
_RANGES_OF_BLOCK = 8  # on a GPU, so that it has worked on a part when the host begins
_HOST_SHARE = 0.125  # of the memory that is left, for the results of a range on a GPU
_RESULT_BYTES = 20  # of each k-mer beside its code: row pointer, sample, count or colour set
_WAITING = 3  # ranges for each thread: under way, and done


def check_alike(sets: Sequence[MarkedKmers]) -> None:
    """Raise ParameterError unless all sets have one k, and k-mers that are all canonical, or none."""
    first = sets[0]
    for other in sets[1:]:
        if other.k != first.k:
            raise ParameterError(
                f"{other.name}: k is {other.k}, and that of {first.name} is {first.k}", "combine sets of one k"
            )
        if other.canonical != first.canonical:
            kinds = [
                f"{s.name} holds {'canonical k-mers' if s.canonical else 'k-mers as read'}" for s in (first, other)
            ]
            raise ParameterError(
                ", and ".join(kinds),
                "count both with --canonical, or both with --forward; these options also read text",
            )


def range_kmers(
    sets: Sequence[SortedKmers], run: RunOptions, backend: CoreOperations, threads: int, in_few: bool = False
) -> int:
    """k-mers of a range, about: as many as is fast, or fewer where memory is short."""
    n_bytes = (8 * words_per_kmer(sets[0].k) + 4) * _COPIES * _WAITING * threads
    wanted = max(tuning().range_kmers, len(sets) * _KMERS_OF_SET)
    if not backend.is_sequential:
        room = int(_HOST_SHARE * memory_left(run.memory)) // (8 * words_per_kmer(sets[0].k) + _RESULT_BYTES)
        wanted = max(wanted, min(room, backend.block_items // (1 if in_few else _RANGES_OF_BLOCK)))
    return max(1, min(wanted, backend.memory_left(run) // 2 // n_bytes))


def split_codes(sets: Sequence[MarkedKmers], n_kmers: int) -> list[tuple[int, int]]:
    """Cut the codes 0..4^k into ranges in which the sets together hold about ``n_kmers``."""
    bounds, n_since = [0], 0
    for code, n in heapq.merge(*(one.marks() for one in sets)):
        if n_since >= n_kmers and code > bounds[-1]:
            bounds.append(code)
            n_since = 0
        n_since += n
    return list(pairwise([*bounds, 1 << (2 * sets[0].k)]))


def over_ranges(
    sets: Sequence[SortedKmers],
    function: Callable[[list[tuple[Array, Array]]], Result],
    run: RunOptions,
    backend: CoreOperations,
    in_few: bool = False,
) -> Iterator[Result]:
    """Call a function on the k-mers of each range of codes, in ascending order.

    Parameters
    ----------
    sets : sequence of SortedKmers
        Of one k; see `check_alike`.
    function : callable
        Takes codes and counts of each set, arrays of the backend.
    run : RunOptions
    backend : CoreOperations
    in_few : bool
        Whether results of ranges are combined, so that a GPU should take large ones.
    """
    threads = calling_threads(run.threads, backend.is_sequential)

    def work(interval: tuple[int, int]) -> Result:
        return function([_on_device(one, interval, backend) for one in sets])

    ranges = split_codes(sets, range_kmers(sets, run, backend, threads, in_few))
    results = ordered_map(work, ranges, threads)
    if not backend.is_sequential:  # the GPU combines the next range while the caller works on this one
        results = in_background(results, ahead=True)
    with closing(results):
        for done, result in enumerate(results, 1):
            yield result
            progress.update(done, len(ranges), "ranges of k-mers")


def _on_device(kmers: SortedKmers, interval: tuple[int, int], backend: CoreOperations) -> tuple[Array, Array]:
    """Codes and counts of a range, arrays of the backend."""
    if isinstance(kmers, DeviceKmers):
        codes, counts = kmers.slices(*interval)
        return backend.here(codes), backend.here(counts)
    codes, counts = kmers.read(*interval)
    return backend.to_device(codes), backend.to_device(counts)
