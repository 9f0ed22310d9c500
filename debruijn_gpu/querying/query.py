"""Count the k-mers of batches of records by sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.containers import ColorTally, KmerValues, SampleSets
from debruijn_gpu.backends.screens.protocol import MatchRule
from debruijn_gpu.querying.colored_kmers import ColoredKmers, ColoredParts, parts_of
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Bytes, Counts, Longs
    from debruijn_gpu.backends.protocol import ScreenBackend

_PART_SHARE = 0.5  # of the memory that is left, for the index of a part; the rest is for records and what is found


@dataclass(frozen=True)
class FoundColors:
    """Colour sets of the k-mers of a batch, in memory of the host.

    Attributes
    ----------
    offsets, ambiguous_positions : ndarray, dtype=int64
        See `ReadBatch`.
    values : ndarray, dtype=uint32, shape=(n_bases,)
        See `ScreenOperations.look_up_reads`.
    """

    offsets: Longs
    ambiguous_positions: Longs
    values: Counts


class ColorQuery:
    """Samples with the index of their k-mers.

    Parameters
    ----------
    colored : ColoredKmers
    run : RunOptions
    backend : ScreenBackend
        Looks the k-mers up; the CPU counts them.

    Attributes
    ----------
    n_parts : int
        Parts of the k-mers, one after another indexed, if the index of all does not fit into the memory that is left.
    """

    def __init__(self, colored: ColoredKmers, run: RunOptions, backend: ScreenBackend) -> None:
        self._backend = backend
        self.k = colored.k
        self.names = colored.names
        self._sets = colored.sets
        self._parts = _choose_parts(colored, run, backend)
        self._table: KmerValues | None = None
        self.n_parts = len(self._parts)

    def load(self, part: int) -> None:
        """Index a part of the k-mers, in place of the one before; the k-mers are closed after the last one.

        Raises
        ------
        FormatError
            If the k-mers are damaged.
        """
        self._table = None  # before, as both may not fit
        with log.stage("index k-mers", unit="k-mers") as stage:
            own = self._parts[part]
            stage.items = len(own)
            self._table = self._backend.screens.index_table(own, self.k, own.colored.canonical)
        if part == self.n_parts - 1:
            self.close()

    def close(self) -> None:
        """Close the k-mers; what is indexed can still be looked up."""
        for part in self._parts[:1]:
            part.colored.kmers.close()
        self._parts = []

    def find(self, batch: ReadBatch) -> FoundColors:
        """Look up the k-mers of a batch, which is in arrays of the backend, in the part that is indexed."""
        assert self._table is not None
        to_host = self._backend.to_host
        with log.cpu_time("look up"):
            values = to_host(self._backend.screens.look_up_reads(batch, self._table))
        return FoundColors(to_host(batch.offsets), to_host(batch.ambiguous_positions), values)

    def tally(self, found: FoundColors, rule: MatchRule) -> ColorTally:
        """Count the k-mers of each record by sample, for samples that have enough of them."""
        with log.cpu_time("tally"):
            return backends.host().screens.tally_colors(*self._place(found), rule)

    def runs(self, found: FoundColors, tally: ColorTally) -> tuple[Bytes, Longs]:
        """Write which k-mers of its record each hit has; see `HostScreenOperations.position_runs`."""
        with log.cpu_time("positions"):
            return backends.host().screens.position_runs(*self._place(found), tally)

    def _place(self, found: FoundColors) -> tuple[Longs, Longs, int, Counts, SampleSets]:
        return found.offsets, found.ambiguous_positions, self.k, found.values, self._sets


class FileTally:
    """K-mers of all records of a file by sample.

    Parameters
    ----------
    n_samples : int
    """

    def __init__(self, n_samples: int) -> None:
        self._n_matched: NDArray[np.int64] = np.zeros(n_samples, np.int64)
        self._n_kmers = self._n_indexed = 0

    def add(self, tally: ColorTally) -> None:
        """Add the records of a batch, whose hits are all samples with a k-mer of theirs."""
        self._n_kmers += int(tally.n_kmers.sum())
        self._n_indexed += int(tally.n_indexed.sum())
        np.add.at(self._n_matched, tally.samples, tally.n_matched)

    def total(self, rule: MatchRule) -> ColorTally:
        """Return the k-mers of the file as those of one record."""
        n_kmers = np.array([self._n_kmers])
        samples = np.flatnonzero(self._n_matched >= rule.needed(n_kmers)[0])
        hit_ptr = np.array([0, len(samples)])
        return ColorTally(n_kmers, np.array([self._n_indexed]), hit_ptr, samples, self._n_matched[samples])


def _choose_parts(colored: ColoredKmers, run: RunOptions, backend: ScreenBackend) -> list[ColoredParts]:
    """Cut the k-mers into as many parts as the memory that is left asks for."""
    threads = run.n_threads
    largest = max(0, len(colored.sets) - 1)
    needed, left = backend.screens.table_bytes(len(colored), largest, colored.k), backend.memory_left(run)
    n_parts = tuning().query_parts or (1 if needed <= left else math.ceil(needed / (_PART_SHARE * left)))
    parts = parts_of(colored, n_parts, threads)
    if len(parts) > 1:
        log.logger.info(
            "the index takes %s, and %s are left: it is queried in %d parts",
            format_bytes(needed),
            format_bytes(left),
            len(parts),
        )
    return parts
