"""Match batches of reads against references."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.protocol import KmerIndex, MatchRule, MatchTally
from debruijn_gpu.backends.screens.sizes import filter_length, index_bytes
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.screening.sequences import ReferenceSequences
from debruijn_gpu.screening.sets import reference_sets

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ScreenBackend

Longs = NDArray[np.int64]
Item = TypeVar("Item")

_SET_BYTES = 80  # per base of several references, while the sets of references are computed


@dataclass(frozen=True)
class FoundMatches:
    """Matches of the reads of a batch, in memory of the host.

    Attributes
    ----------
    offsets, ambiguous_positions : ndarray, dtype=int64
        See `ReadBatch`.
    matches : ndarray, dtype=int64, shape=(3, n_matches)
        See `ScreenOperations.match_reads`.
    """

    offsets: Longs
    ambiguous_positions: Longs
    matches: Longs


@dataclass(frozen=True)
class MatchedReads:
    """Reads of a batch and their matches, in memory of the host.

    Attributes
    ----------
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        See `ReadBatch`.
    matches : ndarray, dtype=int64, shape=(3, n_matches)
        See `ScreenOperations.match_reads`.
    tally : MatchTally
    is_matched : ndarray, dtype=bool, shape=(n,)
    """

    offsets: Longs
    matches: Longs
    tally: MatchTally
    is_matched: NDArray[np.bool_]


class Screener:
    """References with the index of their k-mers.

    Parameters
    ----------
    sequences : ReferenceSequences
    rule : MatchRule
    run : RunOptions
    backend : ScreenBackend
        Finds the matches, on each device of the run; the CPU counts them.
    """

    def __init__(self, sequences: ReferenceSequences, rule: MatchRule, run: RunOptions, backend: ScreenBackend) -> None:
        self._backend = backend
        self._rule = rule
        self.k = sequences.k
        self.n_references = len(sequences.names)
        with log.stage("index references", unit="bases") as stage:
            stage.items = sequences.n_bases
            _check_memory(sequences, run, backend)
            bases, starts, stops = map(backend.to_device, (sequences.bases, sequences.starts, sequences.stops))
            filter_bp = filter_length(sequences.k, sequences.n_bases)
            self._index = backend.screens.index_sequences(bases, starts, stops, sequences.k, filter_bp)
            self._references = reference_sets(sequences, self._index, backend)
        self._copies = {backend.current_device(): self._index}  # by device
        self._copying = threading.Lock()

    def find(self, batch: ReadBatch) -> FoundMatches:
        """Find the matches of a batch, which is in arrays of the backend, on the device of this thread."""
        to_host, own = self._backend.to_host, batch.moved(self._backend.here)
        with log.cpu_time("match"):
            matches = to_host(self._backend.screens.match_reads(own, self._own_index()))
        return FoundMatches(to_host(own.offsets), to_host(own.ambiguous_positions), matches)

    def find_each(
        self, items: Iterable[Item], batch_of: Callable[[Item], ReadBatch]
    ) -> Iterator[tuple[Item, FoundMatches]]:
        """Yield items, each with the matches of its batch; all devices of the run find them."""
        return self._backend.spread(lambda item: (item, self.find(batch_of(item))), items)

    def _own_index(self) -> KmerIndex:
        """Return the index on the device of this thread, where it is copied to when first needed."""
        device = self._backend.current_device()
        with self._copying:
            if device not in self._copies:
                self._copies[device] = self._index.moved(self._backend.here)
            return self._copies[device]

    def judge(self, found: FoundMatches) -> MatchedReads:
        """Count the matches of a batch, and decide which reads match."""
        with log.cpu_time("tally"):
            tally = backends.host().screens.tally_matches(
                found.offsets, found.ambiguous_positions, self.k, found.matches, self._references, self._rule
            )
        is_matched = tally.n_matched >= self._rule.needed(tally.n_kmers)
        return MatchedReads(found.offsets, found.matches, tally, is_matched)


def _check_memory(sequences: ReferenceSequences, run: RunOptions, backend: ScreenBackend) -> None:
    """Raise an error if the memory that is left does not suffice for an index."""
    needed = index_bytes(sequences.n_kmers, sequences.n_bases, int(sequences.starts[-1]))
    needed += _SET_BYTES * int(sequences.starts[-1]) if len(sequences.names) > 1 else 0
    left = backend.memory_left(run)
    if needed > left:
        raise OutOfMemoryError(
            f"Out of memory: the index of {sequences.n_bases:,} bases of references takes about "
            f"{format_bytes(needed)}, and {format_bytes(left)} are left for it",
            "allow more memory (-m, or --gpu-memory on a GPU), or screen against one reference after another",
        )
