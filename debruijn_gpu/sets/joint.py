"""Join any number of sorted sets of k-mers to a sparse matrix of counts, range by range of codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.ranges import check_alike, over_ranges
from debruijn_gpu.sets.source import SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import KmerBackend

Result = TypeVar("Result")


def join_sets(
    sets: Sequence[SortedKmers], run: RunOptions, backend: KmerBackend, with_counts: bool = True
) -> Iterator[JointCounts]:
    """Join sets to a sparse matrix of counts: a row for each k-mer of any set, a column for each set.

    Parameters
    ----------
    sets : sequence of SortedKmers
        The samples, in the order of their numbers; may be larger than memory.
    run : RunOptions
        Threads and memory change no result.
    backend : KmerBackend
    with_counts : bool
        Whether `JointCounts.counts` is wanted; it is empty otherwise.

    Yields
    ------
    JointCounts
        In memory of the host; k-mers ascend from part to part. A part may be empty.

    Raises
    ------
    ParameterError
        If the sets differ in k, or only some of them are canonical.
    FormatError
        If one is damaged.
    """
    yield from over_joined(sets, lambda joint: joint.moved(backend.to_host), run, backend, with_counts)


def over_joined(
    sets: Sequence[SortedKmers],
    function: Callable[[JointCounts], Result],
    run: RunOptions,
    backend: KmerBackend,
    with_counts: bool = True,
    in_few: bool = False,
) -> Iterator[Result]:
    """Call a function on the parts of a join, arrays of the backend, in ascending order.

    Parameters as of `join_sets` and `over_ranges`.
    """
    check_alike(sets)
    k = sets[0].k

    def joined(parts: list[tuple[Array, Array]]) -> Result:
        return function(backend.kmers.join_sets(parts, k, with_counts))

    yield from over_ranges(sets, joined, run, backend, in_few)
