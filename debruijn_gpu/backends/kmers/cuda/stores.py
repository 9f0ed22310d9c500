"""Count the k-mers of reads in parts that fit the memory of the device.

Reads stay as they are, packed; the k-mers of a part are extracted when it is counted. A part is a range of codes: a
run of bins, which are the leading bits of a code. Counting takes several times the memory of the k-mers, so a pass over
all reads extracts those of many parts, side by side, and leaves the k-mers of other bins out. What does not fit
although it is one bin, such as poly-A, is counted in runs, and these are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import Selection, selection_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda import devices, memory
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import free_pool_blocks, to_host, xp
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.cuda.counting import Counted, Tally, counting_bytes
from debruijn_gpu.backends.kmers.cuda.extraction import KmerKind, add_to_bins, extract, keep_bins
from debruijn_gpu.backends.kmers.cuda.parts import Part, PartScatter, in_parts, n_together
from debruijn_gpu.backends.kmers.cuda.run_counting import count_extracted, count_kmers, in_shorter_runs
from debruijn_gpu.backends.kmers.cuda.starts import Sample, batch_bytes, kmer_starts
from debruijn_gpu.backends.reads.cuda.stores import ReadStore, read_store
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuning

ALL_AT_ONCE = 0.9  # of the memory that is left, for counting in one part
SHARE = 0.12  # the same for one of several parts: others are extracted with it, and what they keep needs room too
SHARE_TOGETHER, SHARE_BESIDE_KEPT = 0.7, 0.35  # of it, for parts that are extracted together
MOST_PARTS = 256  # about
_STARTS_SHARE = 0.01  # of the memory budget, for bits that say where k-mers begin
_STARTS_BYTES = 0.16  # of these for each base


def capacity(kind: KmerKind, share: float, reserved_bytes: int) -> int:
    """Compute how many k-mers can be counted in a share of the free memory."""
    return max(1, int((memory.left() - reserved_bytes) * share) // counting_bytes(kind.n_words))


def room_to_extract(kind: KmerKind, share: float, reserved_bytes: int) -> int:
    """Compute how many k-mers a share of the free memory holds before they are counted."""
    return max(1, int((memory.left() - reserved_bytes) * share) // kind.nbytes)


class KmerStore:
    """See `kmers.protocol.KmerStore`.

    Parameters
    ----------
    kind : KmerKind
    sample : Sample or None
        The k-mers to take; None: all.
    run : RunOptions
    """

    def __init__(self, kind: KmerKind, sample: Sample | None, run: RunOptions) -> None:
        self._kind = kind
        self._sample = sample
        self._run = run
        self._reads: ReadStore | None = None
        self._owns_reads = False
        self._n_bases: list[int] = []  # of each batch
        self._batch_bytes = 0  # what a batch takes on the device, at most
        self._parts: list[Part] = []
        self._starts: list[Selection] = []  # of each batch, or of none
        self._starts_fit = True
        self._bins: Array | None = None  # k-mers of each bin, but for those of the first batches
        self._n_unbinned = 0
        self.n_reads = self.n_bases = self.n_kmers = 0

    @property
    def n_parts(self) -> int:
        return len(self._parts)

    def fill(self, batches: Iterable[ReadBatch]) -> None:
        """Keep the reads, unless they are kept already; count how many k-mers they have."""
        if isinstance(batches, ReadStore):
            self._reads = batches
            for batch in batches:
                self._measure(batch)
        else:
            self._owns_reads = True
            self._reads = read_store(map(self._measure, batches), self._run)
        self._parts = self._plan()

    @guarded
    def _measure(self, batch: ReadBatch) -> ReadBatch:
        n_bases = batch.n_bases
        self._n_bases.append(n_bases)
        self._batch_bytes = max(self._batch_bytes, batch.nbytes + batch_bytes(batch))
        self.n_reads += batch.n_reads
        self.n_bases += batch.n_new_bases
        starts = selection_of(kmer_starts(batch, n_bases, self._kind.k, self._sample))
        self.n_kmers += starts.total
        self._keep(starts)
        self._bin(batch, starts)
        return batch

    def _bin(self, batch: ReadBatch, starts: Selection) -> None:
        """Count the k-mers of a batch by bin, if there are too many for one part: the device waits for text anyway."""
        if self._bins is None and self.n_kmers > capacity(self._kind, ALL_AT_ONCE, self._batch_bytes):
            self._bins, self._n_unbinned = xp.zeros(1 << self._kind.bin_bits, np.uint64), len(self._n_bases) - 1
        if self._bins is not None:
            add_to_bins(batch, starts.words.view(np.uint64), self._kind, self._bins)

    def _keep(self, starts: Selection) -> None:
        """Keep where the k-mers of a batch begin, unless that takes too much for all."""
        self._starts_fit = self._starts_fit and _STARTS_BYTES * self.n_bases < memory.budget() * _STARTS_SHARE
        if self._starts_fit:
            self._starts.append(starts)
        else:
            self._starts.clear()

    def _batches(self) -> Iterator[tuple[ReadBatch, Array]]:
        """Each batch and where its k-mers begin."""
        assert self._reads is not None
        for batch, n_bases in zip(self._reads, self._n_bases, strict=True):
            yield batch, kmer_starts(batch, n_bases, self._kind.k, self._sample)

    def _plan(self) -> list[Part]:
        """All bins at once, if they fit, or else runs of them that do."""
        n_bins = 1 << self._kind.bin_bits
        if self.n_kmers <= capacity(self._kind, ALL_AT_ONCE, self._batch_bytes):
            return [Part(0, n_bins, self.n_kmers)]
        most = max(capacity(self._kind, SHARE, self._batch_bytes), self.n_kmers // MOST_PARTS)
        parts = in_parts(self._counted_bins(), most)
        log.logger.info("the k-mers do not fit into GPU memory: counting them in %d parts", len(parts))
        return parts

    @guarded
    def _counted_bins(self) -> NDArray[np.int64]:
        """The k-mers of each bin."""
        if self._bins is None:
            self._bins, self._n_unbinned = xp.zeros(1 << self._kind.bin_bits, np.uint64), len(self._n_bases)
        for batch, starts in islice(self._batches(), self._n_unbinned) if self._n_unbinned else ():
            add_to_bins(batch, starts, self._kind, self._bins)
        counts: NDArray[np.int64] = to_host(self._bins.view(np.int64))
        self._bins = None
        return counts

    def counted(self, min_count: int, are_kept: bool = True) -> Iterator[CountedKmers]:
        """Count one part after another; those that are kept stay on the device, which checks its own memory."""
        n_done = 0
        while n_done < len(self._parts):
            for tally, kept in self._count_together(self._parts[n_done:], min_count, are_kept):
                n_done += 1
                histogram, large_counts = tally.on_host()
                yield CountedKmers(kept.codes, kept.counts, histogram, large_counts)

    def _count_together(self, parts: list[Part], min_count: int, are_kept: bool) -> Iterator[tuple[Tally, Counted]]:
        """Count the first of some parts: as many as can be extracted together."""
        share = SHARE_BESIDE_KEPT if are_kept else SHARE_TOGETHER
        n = n_together(parts, room_to_extract(self._kind, share, self._batch_bytes))
        extracted = self._extract_together(parts[:n])
        if not extracted:
            yield self._count(parts[0], min_count)
        for part in parts[: len(extracted)]:
            yield count_extracted(extracted.pop(0), self._kind, part.n, min_count)

    def _extract_together(self, parts: list[Part]) -> list[Array]:
        """Extract the k-mers of some parts, or of the first of them where memory does not suffice; none of a single
        one."""
        while len(parts) > 1:
            with suppress(OutOfMemoryError):
                return self._extract_all(parts)
            parts = parts[: len(parts) // 2]
            free_pool_blocks()
        return []

    @guarded
    def _extract_all(self, parts: list[Part]) -> list[Array]:
        """Extract the k-mers of some parts in one pass over the reads: those of each, k-mer i at i * words."""
        self._starts.clear()
        scatter, low, high = PartScatter(parts, self._kind), parts[0].low, parts[-1].high
        for batch, starts in self._batches():
            if high - low < 1 << self._kind.bin_bits:
                keep_bins(batch, starts, self._kind, low, high)
            scatter.add(batch, starts)
        return scatter.result()

    def _count(self, part: Part, min_count: int) -> tuple[Tally, Counted]:
        """Count a part at once, if it fits, or else in runs: these get shorter where memory does not suffice."""
        n_fitting = capacity(self._kind, ALL_AT_ONCE, self._batch_bytes)
        length = part.n if part.n <= n_fitting else max(n_fitting // 2, tuning().shortest_kmer_run)
        return in_shorter_runs(lambda n: self._count_in_runs(part, n, min_count), length, part.n, free_pool_blocks)

    def _count_in_runs(self, part: Part, length: int, min_count: int) -> tuple[Tally, Counted]:
        return count_kmers(self._runs(part, length), self._kind, part.n, part.n <= length, min_count)

    def _runs(self, part: Part, length: int) -> Iterator[Array]:
        """The k-mers of a part, at most ``length`` at once, in memory that may be overwritten: k-mer i at i * words."""
        n_words = self._kind.n_words
        kmers = xp.empty(min(length, part.n) * n_words, np.uint64)
        n = 0
        for batch, selection in self._selected(part):
            first = 0
            while first < selection.total:
                taken = min(selection.total - first, length - n)
                extract(batch, selection, self._kind, first, taken, kmers, n)
                n, first = n + taken, first + taken
                if n == length:
                    yield kmers
                    n = 0
        if n:
            yield kmers[: n * n_words]

    def _selected(self, part: Part) -> Iterator[tuple[ReadBatch, Selection]]:
        """Each batch and where the k-mers of a part begin in it."""
        is_whole = part.low == 0 and part.high == 1 << self._kind.bin_bits
        if is_whole and self._starts:
            assert self._reads is not None
            yield from zip(self._reads, self._starts, strict=True)
            return
        self._starts.clear()
        for batch, starts in self._batches():
            if not is_whole:
                keep_bins(batch, starts, self._kind, part.low, part.high)
            yield batch, selection_of(starts)

    def close(self) -> None:
        """Give memory and scratch space back."""
        self._starts.clear()
        if self._reads is not None and self._owns_reads:
            self._reads.close()
        self._reads = None


def kmer_store(k: int, canonical: bool, run: RunOptions, sample: float = 1.0, n_bases_expected: int = 0) -> KmerStore:
    """See `KmerOperations.kmer_store`."""
    kind, chosen = KmerKind(k, canonical), Sample.of(k, sample, n_bases_expected)
    if len(devices.ranks()) == 1:
        return KmerStore(kind, chosen, run)
    from debruijn_gpu.backends.kmers.cuda.group_stores import GroupKmerStore  # which derives from this store

    return GroupKmerStore(kind, chosen, run)
