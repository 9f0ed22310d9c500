"""Trim reads: adapters, and poly-G tails of sequencers that read darkness as G.

What is trimmed follows from all reads of a run, or from a sample of them by content, so that the order of the reads
changes nothing. Only the ends of reads are cut off; no read is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_codes
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.reads.adapters import ADAPTER_BP, Adapter, PairedAdapters, single_adapters
from debruijn_gpu.reads.mates import pairs_of
from debruijn_gpu.reads.read_statistics import LengthMeter, ReadLengths
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ReadBackend
    from debruijn_gpu.backends.reads.protocol import ReadStore

#: Single reads in which an adapter is looked for
_SAMPLE = 5_000
#: Bases of a tail of one kind, as in fastp
TAIL_BP = 10
#: Reads with poly-G tails for each read with a tail of another base, and reads with such tails, if they are trimmed
TAILS_RATIO, LEAST_TAILS = 10, 20
#: Bases of an adapter that the end of a single read must hold, and of one whose pair does not overlap
_LEAST_AT_END = 8
_G = 2


@dataclass(frozen=True)
class Trimmed:
    """What trimming removed.

    Attributes
    ----------
    adapters : tuple of str
        The beginning of each adapter that was found: of first mates, second mates, single reads.
    n_reads_adapter, n_bases_adapter : int
        Reads that were cut at an adapter, and bases that were cut off.
    n_reads_poly_g, n_bases_poly_g : int
        The same for poly-G tails.
    """

    adapters: tuple[str, ...] = ()
    n_reads_adapter: int = 0
    n_bases_adapter: int = 0
    n_reads_poly_g: int = 0
    n_bases_poly_g: int = 0

    def sentence(self) -> str:
        """Summarise it for the log."""
        if not self.n_reads_adapter and not self.n_reads_poly_g:
            return "no adapters or poly-G tails found: reads stay as they are"
        adapters = f" ({', '.join(self.adapters)})" if self.adapters else ""
        return (
            f"{self.n_reads_adapter:,} reads lose {self.n_bases_adapter:,} bases of adapters{adapters}, "
            f"{self.n_reads_poly_g:,} lose {self.n_bases_poly_g:,} of poly-G tails"
        )


class Trimmer:
    """Find what is to be trimmed in stored reads, and trim it.

    Parameters
    ----------
    store : ReadStore
    lengths : ReadLengths
        Of its reads.
    longest_bp : int
        Longer sequences are left as they are.
    backend : ReadBackend
    searches_single : bool
        Whether frequent 19-mers of single reads may be adapters; those of amplicons are their own.
    """

    def __init__(
        self,
        store: ReadStore,
        lengths: ReadLengths,
        longest_bp: int,
        backend: ReadBackend,
        searches_single: bool = True,
    ) -> None:
        self._backend = backend
        self._longest_bp = longest_bp
        self._has_longer = lengths.longest > longest_bp
        self._paired: dict[int, PairedAdapters] = {}
        self._tails = np.zeros(4, np.int64)
        self._sampled: list[ReadBatch] = []
        threshold = np.uint64(min((1 << 64) - 1, (_SAMPLE << 64) // max(1, lengths.n_reads)))
        for pairs in pairs_of(self._noted(store, threshold)):
            self._paired.setdefault(pairs.number, PairedAdapters(backend)).add(pairs)
        self._of_pairs = {number: found.adapters() for number, found in sorted(self._paired.items())}
        self._of_single = single_adapters(*_codes(self._sampled)) if searches_single else []
        self._sampled.clear()
        others = int(np.delete(self._tails, _G).max())
        self._has_tails = int(self._tails[_G]) >= max(LEAST_TAILS, TAILS_RATIO * others)
        adapters = [*(one for both in self._of_pairs.values() for one in both), *self._of_single]
        self._names = tuple(dict.fromkeys(str(one) for one in adapters if one is not None))
        self.trimmed = Trimmed(self._names)

    @property
    def finds(self) -> bool:
        """Whether there is something to trim."""
        return bool(self._names) or self._has_tails

    def trim(self, store: ReadStore, meter: LengthMeter, run: RunOptions) -> ReadStore:
        """Store the trimmed reads, which a meter measures; the other store is then empty and closed."""
        try:
            return self._backend.reads.read_store(meter.through(self._cut(store.drained())), run)
        finally:
            store.close()

    def _noted(self, batches: Iterable[ReadBatch], threshold: np.uint64) -> Iterator[ReadBatch]:
        """Count tails and take a sample of single reads on the way."""
        for batch in batches:
            is_single = batch.mates is None
            asks = is_single or self._has_longer  # else no read is too long
            lengths = self._lengths(batch) if asks else np.zeros(batch.n_rows, np.int64)
            whole = batch.is_whole(lengths, self._longest_bp)
            runs = self._backend.reads.trailing_runs(batch)
            tails = runs[(runs >> 2 >= TAIL_BP) & whole] & 3
            self._tails += np.bincount(tails, minlength=4)
            if is_single:
                rows = np.flatnonzero((self._backend.reads.hash_reads(batch) <= threshold) & whole)
                taken = replace(self._backend.reads.take_reads(batch, rows, lengths[rows]), n_repeated=0)
                self._sampled.append(taken.moved(self._backend.to_host))
            yield batch

    def _lengths(self, batch: ReadBatch) -> NDArray[np.int64]:
        lengths: NDArray[np.int64] = np.diff(self._backend.to_host(batch.offsets))
        return lengths

    def _cut(self, batches: Iterable[ReadBatch]) -> Iterator[ReadBatch]:
        """Yield the batches without what is trimmed."""
        for batch in batches:
            lengths = self._lengths(batch)
            short = batch.is_whole(lengths, self._longest_bp)
            kept = np.where(short, self._without_adapter(batch, lengths), lengths)
            n_adapter, n_tail = lengths - kept, np.zeros_like(lengths)
            if self._has_tails:
                runs = self._backend.reads.trailing_runs(batch)
                is_tail = (runs >> 2 >= TAIL_BP) & (runs & 3 == _G) & short
                n_tail = np.where(is_tail, np.maximum(0, kept - (lengths - (runs >> 2))), 0)
                kept = kept - n_tail
            self._count(n_adapter, n_tail)
            rows = np.arange(len(lengths))
            yield batch if (kept == lengths).all() else self._backend.reads.take_reads(batch, rows, kept)

    def _without_adapter(self, batch: ReadBatch, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Bases of each row before an adapter."""
        if batch.mates is None:
            starts = [self._starts(batch, one, _LEAST_AT_END) for one in self._of_single]
            shortest: NDArray[np.int64] = np.minimum.reduce([lengths, *starts])
            return shortest
        adapters = self._of_pairs.get(batch.mates.number, (None, None))
        if None in adapters:
            return lengths
        pairs, mates = batch.mates.pairs(batch.n_reads)
        n_before = len(lengths) - len(pairs)
        inserts = self._paired[batch.mates.number].inserts(pairs).astype(np.int64)
        kept = lengths.copy()
        for mate, adapter in enumerate(adapters):
            assert adapter is not None
            if (mates == mate).any():
                found = self._starts(batch, adapter, ADAPTER_BP)[n_before:]
                own = np.where(inserts > 0, np.minimum(inserts, lengths[n_before:]), found)
                kept[n_before:] = np.where(mates == mate, own, kept[n_before:])
        return kept

    def _starts(self, batch: ReadBatch, adapter: Adapter, least: int) -> NDArray[np.int64]:
        return self._backend.reads.adapter_starts(batch, adapter.word, adapter.n_bases, least)

    def _count(self, n_adapter: NDArray[np.int64], n_tail: NDArray[np.int64]) -> None:
        """Add the bases that were cut off each read."""
        so_far = self.trimmed
        self.trimmed = Trimmed(
            so_far.adapters,
            so_far.n_reads_adapter + int(np.count_nonzero(n_adapter)),
            so_far.n_bases_adapter + int(n_adapter.sum()),
            so_far.n_reads_poly_g + int(np.count_nonzero(n_tail)),
            so_far.n_bases_poly_g + int(n_tail.sum()),
        )


def _codes(batches: Iterable[ReadBatch]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Unpack reads of batches on the host: a base each, and the offsets of the reads."""
    codes, lengths = [np.empty(0, np.uint8)], [np.empty(0, np.int64)]
    for batch in batches:
        codes.append(packed_codes(batch.bases, 0, batch.n_bases))
        lengths.append(np.diff(batch.offsets))
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))))
    return np.concatenate(codes), offsets
