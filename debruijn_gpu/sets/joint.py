"""Join any number of sorted sets of k-mers to a sparse matrix of counts, range by range of codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.ranges import check_alike, over_ranges
from debruijn_gpu.sets.source import SortedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import KmerBackend


def join_sets(sets: Sequence[SortedKmers], run: RunOptions, backend: KmerBackend) -> Iterator[JointCounts]:
    """Join sets to a sparse matrix of counts: a row for each k-mer of any set, a column for each set.

    Parameters
    ----------
    sets : sequence of SortedKmers
        The samples, in the order of their numbers; may be larger than memory.
    run : RunOptions
        Threads and memory change no result.
    backend : KmerBackend

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
    check_alike(sets)
    k = sets[0].k

    def joined(parts: list[tuple[Array, Array]]) -> JointCounts:
        return backend.kmers.join_sets(parts, k).moved(backend.to_host)

    yield from over_ranges(sets, joined, run, backend)
