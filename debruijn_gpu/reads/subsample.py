"""Keep a share of pairs and single reads, chosen by a hash of their content.

Whether a pair is kept depends on both of its reads and on which copy of identical pairs it is: of n such pairs, as many
are kept as of the copies 0 to n - 1. So the multiset of kept pairs does not depend on the order of the reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.arithmetic.distinct import sorted_distinct
from debruijn_gpu.backends.core.scalars import mix
from debruijn_gpu.backends.reads.protocol import TURNS, Mates, ReadBatch
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ReadBackend
    from debruijn_gpu.backends.reads.protocol import ReadStore

#: What the hash of a read is changed by as a single read, a first mate, and a second one
_SINGLE, _ROLES = np.uint64(3), np.array([1, 2], np.uint64)
_LEAST_ROOM = 1 << 12


def subsample(
    store: ReadStore,
    kept: int,
    of: int,
    longest_bp: int,
    meter: LengthMeter,
    run: RunOptions,
    backend: ReadBackend,
    find_others: Callable[[ReadBatch], NDArray[np.bool_]] | None = None,
) -> ReadStore:
    """Store a share of the pairs and single reads of a store, which is then empty and closed.

    Parameters
    ----------
    store : ReadStore
    kept, of : int
        The share is ``kept / of``, below 1.
    longest_bp : int
        Longer reads are kept whatever their hash, with their mates, and so are those in several batches.
    meter : LengthMeter
        Measures the reads that are kept.
    run : RunOptions
    backend : ReadBackend
    find_others : callable or None
        Finds rows of a batch that are kept as well, with their mates.
    """
    choice = _Choice(longest_bp, backend, find_others)
    for batch in store:
        choice.add(batch)
    choice.choose((kept << 64) // of)
    try:
        return backend.reads.read_store(meter.through(choice.kept(store.drained())), run)
    finally:
        store.close()


def copies(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Count for each item the equal ones before it."""
    found = np.zeros(len(hashes), np.uint64)
    ordered = np.sort(hashes)
    repeated = sorted_distinct(ordered[1:][ordered[1:] == ordered[:-1]])
    if len(repeated):
        places = np.flatnonzero(np.isin(hashes, repeated))
        places = places[np.argsort(hashes[places], kind="stable")]
        values = hashes[places]
        starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
        lengths = np.diff(np.append(starts, len(values)))
        found[places] = np.arange(len(values)) - np.repeat(starts, lengths)
    return found


class _Group:
    """Hashes of the pairs of one input, or of all single reads, in the order in which they are read."""

    def __init__(self) -> None:
        self._hashes = np.zeros(_LEAST_ROOM, np.uint64)
        self._always = np.zeros(_LEAST_ROOM, np.bool_)
        self.n = 0
        self.kept_before = np.zeros(1, np.int64)  # number of kept ones before each, once chosen

    @property
    def hashes(self) -> NDArray[np.uint64]:
        return self._hashes[: self.n]

    @property
    def always(self) -> NDArray[np.bool_]:
        """Which of them are kept whatever their hash."""
        return self._always[: self.n]

    def add(self, items: NDArray[np.int64], words: NDArray[np.uint64], always: NDArray[np.bool_]) -> None:
        """Add the words of reads to the hashes of their items, ascending: a sum does not depend on the order."""
        if not len(items):
            return
        self.n = max(self.n, int(items[-1]) + 1)
        while self.n > len(self._hashes):
            self._hashes = np.append(self._hashes, np.zeros_like(self._hashes))
            self._always = np.append(self._always, np.zeros_like(self._always))
        np.add.at(self._hashes, items, words)
        np.logical_or.at(self._always, items, always)


class _Choice:
    """The choice of pairs and single reads.

    Parameters
    ----------
    longest_bp, backend, find_others
        See `subsample`.
    """

    def __init__(
        self, longest_bp: int, backend: ReadBackend, find_others: Callable[[ReadBatch], NDArray[np.bool_]] | None
    ) -> None:
        self._longest_bp, self._find_others = longest_bp, find_others
        self._backend = backend
        self._groups: dict[int | None, _Group] = {}  # by paired input, None for single reads
        self._last: dict[Mates | None, NDArray[np.int64]] = {}  # item of the last read of each file so far

    def add(self, batch: ReadBatch) -> None:
        """Take the hashes of the reads of a batch."""
        key, file = _group_key(batch), _file_key(batch)
        group = self._groups.setdefault(key, _Group())
        is_continued = bool(batch.n_repeated)
        if is_continued:  # neither the rest of a read nor its beginning may be left out
            group.add(self._last[file], np.zeros(1, np.uint64), np.ones(1, np.bool_))
        items, roles = _items(batch, group.n)
        always = np.diff(self._backend.to_host(batch.offsets)) > self._longest_bp
        if self._find_others is not None:
            always |= self._find_others(batch)
        hashes = self._backend.reads.hash_reads(batch)[is_continued:]
        group.add(items, mix(hashes ^ roles), always[is_continued:])
        if len(items):
            self._last[file] = items[-1:]

    def choose(self, threshold: int) -> None:
        """Choose the items whose hash, with their copy number, is below a threshold (at most 2^64)."""
        groups = list(self._groups.values())
        hashes = np.concatenate([np.empty(0, np.uint64), *(group.hashes for group in groups)])
        chosen = mix(mix(hashes) ^ copies(hashes)) < np.uint64(min(threshold, (1 << 64) - 1))
        at = 0
        for group in groups:
            kept = chosen[at : at + group.n] | group.always
            at += group.n
            group.kept_before = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept)))

    def kept(self, batches: Iterable[ReadBatch]) -> Iterator[ReadBatch]:
        """Yield the chosen reads of the same batches in the same order."""
        n_single = 0
        for batch in batches:
            before = self._groups[_group_key(batch)].kept_before
            items, _roles = _items(batch, n_single)
            if batch.mates is None:
                n_single += len(items)
            is_kept = before[items + 1] > before[items]
            rows = np.flatnonzero(np.concatenate((np.ones(int(batch.n_repeated > 0), np.bool_), is_kept)))
            lengths = np.diff(self._backend.to_host(batch.offsets))[rows]
            taken = self._backend.reads.take_reads(batch, rows, lengths)
            yield replace(taken, mates=_renumbered(batch.mates, before))


def _group_key(batch: ReadBatch) -> int | None:
    return None if batch.mates is None else batch.mates.number


def _file_key(batch: ReadBatch) -> Mates | None:
    return None if batch.mates is None else replace(batch.mates, first=0)


def _items(batch: ReadBatch, n_single: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Compute the pair, or the single read, that each read belongs to that begins in a batch, and its role."""
    if batch.mates is None:
        return np.arange(n_single, n_single + batch.n_reads), np.full(batch.n_reads, _SINGLE)
    pairs, mates = batch.mates.pairs(batch.n_reads)
    return pairs, _ROLES[mates]


def _renumbered(mates: Mates | None, before: NDArray[np.int64]) -> Mates | None:
    """Number the first read of a batch among the kept ones."""
    if mates is None:
        return None
    if mates.mate != TURNS:
        return replace(mates, first=int(before[mates.first]))
    pair, is_second = divmod(mates.first, 2)
    if is_second and before[pair + 1] > before[pair]:
        return replace(mates, first=2 * int(before[pair]) + 1)
    return replace(mates, first=2 * int(before[pair + is_second]))
