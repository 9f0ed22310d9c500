"""Count k-mers that come in runs, as many as the memory of the device allows, and merge what was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import free_pool_blocks, xp
from debruijn_gpu.backends.kmers.cuda.counting import Counted, Tally, count_runs, merged
from debruijn_gpu.backends.kmers.cuda.extraction import KmerKind
from debruijn_gpu.backends.kmers.cuda.grouping import in_groups
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.tuning import tuning

Result = TypeVar("Result")

_MOST_TRIES = 4  # with runs half as long each: what is kept may be too much, and that does not change


class RunCounter:
    """Counts k-mers that come in runs; those rarer than ``min_count`` are only tallied.

    Parameters
    ----------
    kind : KmerKind
    n : int
        K-mers of all runs.
    at_once : bool
        Whether they come in one.
    min_count : int
    """

    def __init__(self, kind: KmerKind, n: int, at_once: bool, min_count: int) -> None:
        self._n_words = kind.n_words
        self._at_once = at_once
        self._min_count = min_count
        self._tally = Tally(n)
        self._found = Counted(xp.empty((kind.n_words, 0), np.uint64), xp.empty(0, np.uint32))

    def add(self, kmers: Array) -> None:
        """Count a run: k-mer i at i * words, in memory that may be overwritten."""
        least, tally = (self._min_count, self._tally) if self._at_once else (1, None)
        distinct = count_runs(in_groups(kmers, self._n_words), None, least, tally)
        self._found = merged(self._found, distinct) if self._found.counts.size else distinct

    def result(self) -> tuple[Tally, Counted]:
        """All counts, and the k-mers that are frequent enough."""
        found = self._found
        if not self._at_once:
            found = count_runs(found.codes, found.counts, self._min_count, self._tally)
        return self._tally, found


@guarded
def count_kmers(runs: Iterable[Array], kind: KmerKind, n: int, at_once: bool, min_count: int) -> tuple[Tally, Counted]:
    """Count n k-mers that come in runs, or in one (``at_once``); see `RunCounter`."""
    counter = RunCounter(kind, n, at_once, min_count)
    for kmers in runs:
        counter.add(kmers)
    return counter.result()


def count_extracted(kmers: Array, kind: KmerKind, n: int, min_count: int) -> tuple[Tally, Counted]:
    """Count n k-mers, k-mer i at i * words, at once, or in shorter runs where memory does not suffice."""

    def count(length: int) -> tuple[Tally, Counted]:
        step = length * kind.n_words
        runs = (kmers[start : start + step] for start in range(0, kmers.size, step))
        return count_kmers(runs, kind, n, n <= length, min_count)

    return in_shorter_runs(count, n, n, free_pool_blocks)


def in_shorter_runs(count: Callable[[int], Result], length: int, n: int, give_back: Callable[[], object]) -> Result:
    """Count n k-mers in runs of a length, and in shorter ones where memory does not suffice.

    ``give_back`` frees memory in between.
    """
    for _ in range(_MOST_TRIES - 1):
        try:
            return count(length)
        except OutOfMemoryError:
            if length <= tuning().shortest_kmer_run:
                raise
        length = min(length, n) // 2
        log.logger.debug("  too little GPU memory: counting in runs of %d k-mers", length)
        give_back()
    return count(length)
