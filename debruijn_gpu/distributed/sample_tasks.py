"""The functions that workers run on samples: count some, give ranges of their k-mers, and join such ranges."""

from __future__ import annotations

import pickle
import weakref
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.distributed.context import TaskContext, working
from debruijn_gpu.distributed.exchange import Directory, Offered, pieces
from debruijn_gpu.distributed.held import Shelf, shelf_of, usable
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.samples.engine import JointFunction
from debruijn_gpu.samples.held import HeldCounter
from debruijn_gpu.samples.options import SampleOptions
from debruijn_gpu.samples.sheet import Sample
from debruijn_gpu.samples.store import SampleStore
from debruijn_gpu.sets.joint import over_joined
from debruijn_gpu.sets.source import HeldKmers, SortedKmers


@dataclass(frozen=True)
class RemoteKmers:
    """A set of k-mers on a worker; see `MarkedKmers`."""

    name: str
    k: int
    canonical: bool
    n_kmers: int
    marked: list[tuple[int, int]]

    def __len__(self) -> int:
        return self.n_kmers

    def marks(self) -> list[tuple[int, int]]:
        """See `MarkedKmers.marks`."""
        return self.marked


@dataclass(frozen=True)
class GroupNotes:
    """What the command has to know of counted samples.

    Attributes
    ----------
    sets : list of RemoteKmers
    n_fastq : int
        Number of samples of FASTQ.
    warnings : list of str
    """

    sets: list[RemoteKmers]
    n_fastq: int
    warnings: list[str]


class CountedGroup(Offered):
    """Sorted sets of the k-mers of some samples, on a worker; Dask may move them.

    Parameters
    ----------
    sets : list of SortedKmers
    notes : GroupNotes
    """

    def __init__(self, sets: list[SortedKmers], notes: GroupNotes) -> None:
        self.sets = sets
        self.notes = notes

    def piece(self, which: tuple[int, int]) -> list[KmersOfRange]:
        """Return the k-mers of each sample in a range of codes; see `exchange.Offered`."""
        return [KmersOfRange(one, *which, self) for one in self.sets]

    def __getstate__(self) -> dict[str, Any]:
        tables = [KmerTable(one.k, *one.read(0, 1 << (2 * one.k)), one.canonical) for one in self.sets]
        sets = [HeldKmers(one.name, table) for one, table in zip(self.sets, tables, strict=True)]
        return {"sets": sets, "notes": self.notes}

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(len(one) * _kmer_bytes(one.k) for one in self.sets)


class KmersOfRange:
    """The k-mers of a set in a range of codes: read where they are needed, or where they are sent.

    Parameters
    ----------
    kmers : SortedKmers
    low, high : int
        See `SortedKmers.read`.
    owner : CountedGroup, optional
        Whose memory and scratch space the set is in.
    """

    def __init__(self, kmers: SortedKmers, low: int, high: int, owner: CountedGroup | None = None) -> None:
        self._kmers, self._low, self._high, self._owner = kmers, low, high, owner

    def load(self) -> KmerTable:
        """Return the k-mers, in memory."""
        codes, counts = self._kmers.read(self._low, self._high)
        return KmerTable(self._kmers.k, codes, counts, self._kmers.canonical)

    def moved(self) -> KmersOfRange:
        """Return the k-mers in memory, to be sent."""
        return _received(self._kmers.k, self._kmers.canonical, *self._kmers.read(self._low, self._high))

    def __reduce__(self) -> tuple[Any, ...]:
        table = self.load()
        arrays = np.ascontiguousarray(table.codes), np.ascontiguousarray(table.counts)
        return _received, (table.k, table.canonical, *arrays)


def _received(k: int, canonical: bool, codes: NDArray[np.uint64], counts: NDArray[np.uint32]) -> KmersOfRange:
    table = KmerTable(k, usable(codes), usable(counts), canonical)
    return KmersOfRange(HeldKmers("", table), 0, 1 << (2 * k))


class HeldResult:
    """The result of a function, with its arrays in memory or in a scratch file.

    Parameters
    ----------
    result : object
        Which can be pickled.
    shelf : Shelf
    """

    def __init__(self, result: Any, shelf: Shelf) -> None:
        buffers: list[pickle.PickleBuffer] = []
        self._head = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
        self._held = shelf.hold(*(np.asarray(buffer.raw(), np.uint8) for buffer in buffers))

    def load(self) -> Any:
        """Return the result."""
        return pickle.loads(self._head, buffers=self._held.load())

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + len(self._head) + self._held.__sizeof__()


def _kmer_bytes(k: int) -> int:
    return 8 * words_per_kmer(k) + 4


def count_group(
    samples: Sequence[Sample], options: SampleOptions, of_sequences: tuple[int, bool] | None, context: TaskContext
) -> CountedGroup:
    """Count samples of sequences, or open samples that are sets of k-mers.

    Parameters
    ----------
    samples : sequence of Sample
        All of sequences, or all of sets.
    options : SampleOptions
    of_sequences : (int, bool), optional
        Length of the k-mers and whether they are canonical, if these are sequences.
    context : TaskContext
    """
    with working(context) as place:
        shelf = shelf_of(context.run_id, place.run)
        held_bytes = shelf.reserve()
        store = SampleStore(place.run, place.backend, held_bytes)
        counter = HeldCounter(samples, options, place.run, place.backend, store)
        try:
            if of_sequences is None:
                counter.open_sets()
            else:
                deque(counter.count(*of_sequences), maxlen=0)
        except BaseException:
            counter.close()
            shelf.give_back(held_bytes)
            raise
        shelf.give_back(store.left_bytes)
        sets = counter.sets()
        remote = [RemoteKmers(one.name, one.k, one.canonical, len(one), list(one.marks())) for one in sets]
        messages = log.current_run().record.messages
        warnings = [message.text for message in messages if message.level == "warning"]
        group = CountedGroup(sets, GroupNotes(remote, counter.n_fastq, warnings))
        weakref.finalize(group, _end, store, shelf, held_bytes - store.left_bytes)
        return group


def _end(store: SampleStore, shelf: Shelf, held_bytes: int) -> None:
    store.close()
    shelf.give_back(held_bytes)


def notes_of(group: CountedGroup) -> GroupNotes:
    """Return what the command has to know."""
    return group.notes


def join_range(
    bounds: tuple[int, int],
    groups: Directory,
    function: JointFunction[Any],
    with_counts: bool,
    context: TaskContext,
) -> list[HeldResult]:
    """Join the counts of all samples in a range of codes, and call a function on each part of them."""
    with working(context) as place:
        shelf, backend = shelf_of(context.run_id, place.run), place.backend
        sets = [HeldKmers("", one.load()) for one in pieces(groups, bounds)]
        parts = over_joined(sets, lambda joint: function(joint, backend), place.run, backend, with_counts)
        return [HeldResult(part, shelf) for part in parts]
