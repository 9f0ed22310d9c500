"""Place reads on a unitig graph by k-mers that occur once in it, and gather what pairs tell about it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.needs import BYTES_PER_PAIR
from debruijn_gpu.assembly.rounds import make_room_for_index
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import Mates, ReadBatch
from debruijn_gpu.backends.unitigs.sizes import ANCHOR_MARK_BITS
from debruijn_gpu.pairs.agreement import AgreementCounter
from debruijn_gpu.pairs.insert_counts import InsertCounts
from debruijn_gpu.pairs.placed_reads import BEYOND_BP, END_BP, LoosePairs, PlacedLibrary, PlacedReads, distinct_columns
from debruijn_gpu.pairs.unique_ends import repeated_ends
from debruijn_gpu.pairs.within import Coordinates, packed_anchors
from debruijn_gpu.reads.mates import MateRows, pairs_of
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Length of the k-mers by which reads are placed: unique in a genome, and rarely hit by an error
ANCHOR_BP = 31
_BLOCK = 1 << 15  # pairs that are looked at together, so that what is computed of them stays in caches
#: Pairs around the ends of a unitig are kept where it is so many times as long as the bases at both ends
LEAST_TURNS = 3
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Anchors:
    """Where the reads of a batch lie, by their first and their last k-mer that occurs once in the graph.

    Attributes
    ----------
    mates : Mates or None
    n_reads : int
        Number of reads that begin in the batch.
    number : int
        Of the batch, from 0.
    rows : ndarray, dtype=int64, shape=(4, n_rows)
        See `UnitigOperations.place_anchors`.
    lengths : ndarray, dtype=int64, shape=(n_rows,)
    """

    mates: Mates | None
    n_reads: int
    number: int
    rows: Longs
    lengths: Longs

    @property
    def n_rows(self) -> int:
        return int(self.rows.shape[1])


def place_reads(
    graph: UnitigGraph,
    reads: Iterable[ReadBatch],
    n_inputs: int,
    run: RunOptions,
    backend: AssemblyBackend,
    n_reads: int = 0,
    margin_bp: int = 0,
) -> PlacedReads:
    """Place reads on the unitigs of a graph.

    Parameters
    ----------
    graph : UnitigGraph
    reads : iterable of ReadBatch
        In arrays of the backend.
    n_inputs : int
        Number of paired inputs; 0: mates are taken as single reads.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays the graph's are.
    n_reads : int
        Reads move to a scratch file where so many and the index would not fit into memory.
    margin_bp : int
        Of the `Agreement` of reads and unitigs; 0 if that is not wanted.
    """
    gathered = _Gathered(graph, n_inputs, backend)
    counter = AgreementCounter(graph, margin_bp, backend) if margin_bp else None
    with log.stage("place reads and pairs", unit="reads") as stage:
        slots, threads = _index(graph, run, backend, n_reads)
        repeated_bp = repeated_ends(graph, ANCHOR_BP, slots, backend)
        anchors = gathered.through(_anchors(graph, reads, slots, threads, backend, counter))
        if n_inputs:
            for pairs in pairs_of(anchors):
                gathered.add_pairs(pairs)
        else:  # mates are taken as single reads
            deque(anchors, maxlen=0)
        stage.items = gathered.n_reads
    return replace(gathered.placed(), agreement=counter.found() if counter else None, repeated_bp=repeated_bp)


def _index(graph: UnitigGraph, run: RunOptions, backend: AssemblyBackend, n_reads: int = 0) -> tuple[Array, int]:
    """Index the anchors of unitigs; return how many threads there is room for, too."""
    offsets, bases = graph.sequences.offsets, graph.sequences.bases
    n_bytes = BYTES_PER_PAIR * n_reads // 2
    n_slots, threads = make_room_for_index(int(offsets[-1]), run, backend, ANCHOR_MARK_BITS, n_bytes)
    return backend.unitigs.index_anchors(offsets, bases, ANCHOR_BP, n_slots), threads


def _anchors(
    graph: UnitigGraph,
    reads: Iterable[ReadBatch],
    slots: Array,
    threads: int,
    backend: AssemblyBackend,
    counter: AgreementCounter | None,
) -> Iterator[Anchors]:
    """Yield the anchors of each batch."""
    offsets, bases = graph.sequences.offsets, graph.sequences.bases

    def place(numbered: tuple[int, ReadBatch]) -> Anchors:
        number, batch = numbered
        with log.cpu_time("place"):
            rows = backend.unitigs.place_anchors(batch, ANCHOR_BP, offsets, bases, slots)
            if counter is not None:
                counter.add(batch, rows)
        lengths = np.diff(backend.to_host(batch.offsets))
        return Anchors(batch.mates, batch.n_reads, number, backend.to_host(rows), lengths)

    return ordered_map(place, enumerate(reads), threads)


class _Mates:
    """First or second mates of some pairs: views of their columns where these are evenly spaced."""

    def __init__(self, batch: Anchors, rows: Longs) -> None:
        self._number, self._rows = batch.number, rows
        steps = np.diff(rows)
        is_even = len(steps) > 0 and steps[0] > 0 and (steps == steps[0]).all()
        some = slice(int(rows[0]), int(rows[-1]) + 1, int(steps[0])) if is_even else rows
        self.anchors, self.lengths = batch.rows[:, some], batch.lengths[some]

    def places(self, chosen: Longs) -> Longs:
        """Batch and row of chosen ones."""
        return np.stack((np.full(len(chosen), self._number), self._rows[chosen]))


def _columns(first: Longs, second: Longs, chosen: Longs) -> Longs:
    """Copy the anchors of chosen pairs."""
    return np.concatenate((first[:, chosen], second[:, chosen]))


class _Gathered:
    """Gathers what `PlacedReads` has."""

    def __init__(self, graph: UnitigGraph, n_inputs: int, backend: AssemblyBackend) -> None:
        self._lengths = np.diff(backend.to_host(graph.sequences.offsets))
        self._turns = np.where(backend.to_host(graph.circular), backend.to_host(graph.n_kmers), 0)
        self._at = Coordinates(self._lengths, self._turns)
        self._k = graph.k
        self._starts = np.zeros(len(graph), np.int64)
        self._end_starts = np.zeros(2 * len(graph), np.int64)
        self._beyond = np.zeros(2 * len(graph), np.int64)
        self._stops = np.append(np.repeat(self._lengths + BEYOND_BP, 2), np.iinfo(np.int64).max)
        self._n_bases = 0
        self._before_shared = np.append(np.repeat(self._lengths - graph.k, 2), -1)  # the last one for vertex -1
        self._spans: list[Longs] = []
        self._inserts = [InsertCounts() for _ in range(n_inputs)]
        self._apart: list[list[Longs]] = [[np.empty((8, 0), np.int64)] for _ in range(n_inputs)]
        self._around: list[list[Longs]] = [[np.empty((8, 0), np.int64)] for _ in range(n_inputs)]
        self._loose: list[list[tuple[Longs, Longs, Longs]]] = [[] for _ in range(n_inputs)]
        self._within: list[list[Longs]] = [[np.empty(0, np.int64)] for _ in range(n_inputs)]
        self._n_pairs = [0] * n_inputs
        self.n_reads = self.n_short = 0

    def through(self, batches: Iterable[Anchors]) -> Iterator[Anchors]:
        """Count the reads of batches on their way."""
        for batch in batches:
            first, last = batch.rows[0], batch.rows[2]
            self._starts += np.bincount((first >> 1) + 1, minlength=len(self._starts) + 1)[1:]
            self._spans.append(batch.rows[:, np.flatnonzero((first ^ last).view(np.uint64) > 1)])
            before_shared = self._before_shared[first] - batch.rows[1]
            near_ends = np.flatnonzero((before_shared - 1).view(np.uint64) < END_BP)
            near_ends = near_ends[first[near_ends] >= 0]
            self._end_starts += np.bincount(first[near_ends], minlength=len(self._end_starts))
            self._add_beyond(batch)
            self.n_reads += batch.n_reads
            self.n_short += int(np.count_nonzero(batch.lengths[batch.n_rows - batch.n_reads :] < ANCHOR_BP))
            yield batch

    def _add_beyond(self, batch: Anchors) -> None:
        """Count the reads that run beyond the ends of the unitigs of their anchors."""
        first, starts, last, last_starts = batch.rows
        ahead = np.flatnonzero(last_starts + batch.lengths > self._stops[last])
        behind = np.flatnonzero((first >= 0) & (starts < -BEYOND_BP))
        for vertices in (last[ahead], first[behind] ^ 1):
            self._beyond += np.bincount(vertices, minlength=len(self._beyond))
        self._n_bases += int(batch.lengths[batch.n_rows - batch.n_reads :].sum())

    def add_pairs(self, pairs: MateRows[Anchors]) -> None:
        """Take pairs in."""
        n = len(pairs.rows[0])
        self._n_pairs[pairs.number] += n
        for start in range(0, n, _BLOCK):
            first, second = (
                _Mates(batch, rows[start : start + _BLOCK])
                for batch, rows in zip(pairs.batches, pairs.rows, strict=True)
            )
            self._add(pairs.number, first, second)

    def _add(self, number: int, first: _Mates, second: _Mates) -> None:
        """Take pairs in: those within one unitig by their insert sizes, others and those that reach beyond whole."""
        vertex, other_vertex = first.anchors[0], second.anchors[0]
        differs = (vertex ^ first.anchors[2]) | (vertex ^ other_vertex) | (vertex ^ second.anchors[2])
        together = (differs.view(np.uint64) < 2) & (vertex >= 0)
        within = np.flatnonzero(together)
        both = np.concatenate((first.anchors[:2, within], second.anchors[:2, within]))
        unitigs = both[0] >> 1
        lengths, turns = self._lengths[unitigs], self._turns[unitigs]
        self._inserts[number].add(both, lengths, turns)
        self._within[number].append(packed_anchors(both, self._at))
        near_ends = within[(turns == 0) & _are_near_both_ends(both, lengths)]
        self._around[number].append(_columns(first.anchors, second.anchors, near_ends))
        is_apart = ~together & (vertex >= 0) & (other_vertex >= 0)
        self._apart[number].append(_columns(first.anchors, second.anchors, np.flatnonzero(is_apart)))
        shared = self._k - 1
        is_beyond = (both[1] < shared) | (both[3] < shared)
        is_beyond |= both[1] + first.lengths[within] > lengths - shared
        is_beyond |= both[3] + second.lengths[within] > lengths - shared
        is_loose = ~together & ((vertex >= 0) | (other_vertex >= 0))
        is_loose[within[is_beyond & (turns == 0)]] = True
        chosen = np.flatnonzero(is_loose)
        self._loose[number].append(
            (
                _columns(first.anchors, second.anchors, chosen),
                np.stack((first.lengths[chosen], second.lengths[chosen])),
                np.concatenate((first.places(chosen), second.places(chosen))),
            )
        )

    def placed(self) -> PlacedReads:
        """Return what was gathered."""
        gathered = zip(self._n_pairs, self._inserts, self._apart, self._loose, self._within, self._around, strict=True)
        libraries = [
            PlacedLibrary(
                n_pairs,
                inserts,
                distinct_columns(apart),
                sum(part.shape[1] for part in apart),
                _joined(loose),
                np.concatenate(within),
                distinct_columns(around),
            )
            for n_pairs, inserts, apart, loose, within, around in gathered
        ]
        spans = np.concatenate([np.empty((4, 0), np.int64), *self._spans], axis=1)
        numbers = self.n_reads, self.n_short, int(self._starts.sum())
        mean_bp = self._n_bases // max(1, self.n_reads)
        return PlacedReads(
            *numbers, self._starts, self._end_starts, spans, libraries, beyond=self._beyond, mean_bp=mean_bp
        )


def _are_near_both_ends(both: Longs, lengths: Longs) -> NDArray[np.bool_]:
    """Whether mates on one unitig are near its two ends: vertex and start of first and second mates."""
    places = np.where(both[2] == both[0], both[3], lengths - 1 - both[3])
    near: NDArray[np.bool_] = LEAST_TURNS * np.abs(places - both[1]) >= (LEAST_TURNS - 1) * lengths
    return near


def _joined(parts: list[tuple[Longs, Longs, Longs]]) -> LoosePairs:
    """Concatenate loose pairs."""
    none = tuple(np.empty((n_rows, 0), np.int64) for n_rows in (8, 2, 4))
    return LoosePairs(*(np.concatenate(column, axis=1) for column in zip(none, *parts, strict=True)))
