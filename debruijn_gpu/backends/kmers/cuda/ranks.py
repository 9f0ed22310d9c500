"""What each rank of several GPUs does when k-mers are counted: extract, scatter, exchange, count.

Methods of a rank run in a thread whose current GPU is that of the rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import selection_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.devices import here
from debruijn_gpu.backends.core.cuda.group import DeviceGroup
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import to_device, xp
from debruijn_gpu.backends.kmers.cuda.counting import Counted, Tally
from debruijn_gpu.backends.kmers.cuda.extraction import KmerKind, extract, keep_bins
from debruijn_gpu.backends.kmers.cuda.parts import MOST_TOGETHER, Part, PartScatter, in_parts
from debruijn_gpu.backends.kmers.cuda.run_counting import RunCounter, count_extracted
from debruijn_gpu.backends.kmers.cuda.scattering import scattered
from debruijn_gpu.backends.kmers.cuda.starts import Sample, kmer_starts
from debruijn_gpu.backends.reads.protocol import ReadBatch

#: Histogram and large counts, as in `CountedKmers`, and the k-mers that are kept
Found = tuple[NDArray[np.int64], NDArray[np.uint32], Counted]

#: Batches, and the number of bases of each
Hand = list[tuple[ReadBatch, int]]


@dataclass(frozen=True)
class SharedPart:
    """A part that ranks divide among them.

    Attributes
    ----------
    bins : Part
    ends : tuple of int
        Bin behind the last one of each rank.
    totals : tuple of int
        K-mers of each rank.
    parts : tuple of list of Part
        Parts of each rank, none of more k-mers than it can count at once, but for those of one bin.
    are_gathered : bool
        Whether each rank gathers its k-mers by these parts before it counts any.
    """

    bins: Part
    ends: tuple[int, ...]
    totals: tuple[int, ...]
    parts: tuple[list[Part], ...]
    are_gathered: bool

    @classmethod
    def of(cls, part: Part, sizes: NDArray[np.int64], n_ranks: int, most: int, room: int) -> SharedPart:
        """Divide a part into ranges of about as many k-mers.

        Parameters
        ----------
        part : Part
        sizes : ndarray, dtype=int64, shape=(n_bins,)
            K-mers of each bin.
        n_ranks : int
        most, room : int
            K-mers that a rank can count at once, and that it can gather before.
        """
        up_to = np.cumsum(sizes[part.low : part.high])
        total = int(up_to[-1])
        wanted = [-(-total * i // n_ranks) for i in range(1, n_ranks)]
        ends = (*(part.low + 1 + np.searchsorted(up_to, wanted)).tolist(), part.high)
        before = np.array([0, *up_to[np.array(ends) - part.low - 1]])
        ranges = pairwise((part.low, *ends))
        parts = tuple(in_parts(sizes[low:high], most, low) for low, high in ranges)
        totals = tuple(np.diff(before).tolist())
        are_gathered = most < max(totals) <= room and max(map(len, parts)) <= MOST_TOGETHER
        return cls(part, ends, totals, parts, are_gathered)

    @property
    def n_counted(self) -> int:
        """Number of parts that are counted one after another."""
        return sum(map(len, self.parts)) if self.are_gathered else len(self.ends)


class RankCounter:
    """Extracts k-mers of a part from the batches of a rank, and counts those in the bins of the rank.

    Parameters
    ----------
    rank : int
    kind : KmerKind
    sample : Sample or None
    part : SharedPart
    min_count : int
    """

    def __init__(self, rank: int, kind: KmerKind, sample: Sample | None, part: SharedPart, min_count: int) -> None:
        self._kind = kind
        self._sample = sample
        self._part = part.bins
        self._ends = to_device(np.array(part.ends, np.uint64))
        self._n = part.totals[rank]
        self._min_count = min_count
        self._extracted: list[Array] = []
        self._counter: RunCounter | None = None
        self._parts = part.parts[rank]
        self._are_gathered = part.are_gathered
        self._gathered = PartScatter(self._parts, kind) if part.are_gathered and self._parts else None

    @guarded
    def extract(self, hand: Hand) -> int:
        """Extract the k-mers of some batches; return how many are waiting to be scattered."""
        kind, part = self._kind, self._part
        for batch, n_bases in hand:
            own = batch.moved(here)
            starts = kmer_starts(own, n_bases, kind.k, self._sample)
            if part.high - part.low < 1 << kind.bin_bits:
                keep_bins(own, starts, kind, part.low, part.high)
            selection = selection_of(starts)
            if selection.total:
                kmers = xp.empty(selection.total * kind.n_words, np.uint64)
                extract(own, selection, kind, 0, selection.total, kmers, 0)
                self._extracted.append(kmers)
        return sum(int(kmers.size) for kmers in self._extracted) // kind.n_words

    @guarded
    def scatter(self) -> list[Array]:
        """Bring what was extracted together by the rank that counts it."""
        return scattered(self._extracted, self._kind, self._ends)

    @guarded
    def count(self, received: list[Array], rank: int, at_once: bool) -> None:
        """Count the k-mers that a rank has received: a run of several, or all ``at_once``. Takes them off the list."""
        kmers, received[rank] = received[rank], xp.empty(0, np.uint64)
        if self._are_gathered:
            if self._gathered is not None:
                self._gathered.add_kmers(kmers)
            return
        if self._counter is None:
            self._counter = RunCounter(self._kind, self._n, at_once, self._min_count)
        if kmers.size:
            self._counter.add(kmers)

    @guarded
    def result(self) -> list[Found]:
        """What was found: of all k-mers, or of those of each part where they were gathered."""
        if not self._are_gathered:
            assert self._counter is not None
            return [_found(*self._counter.result())]
        extracted, self._gathered = self._gathered.result() if self._gathered is not None else [], None
        counted = (count_extracted(extracted.pop(0), self._kind, part.n, self._min_count) for part in self._parts)
        return [_found(*found) for found in counted]


def _found(tally: Tally, kept: Counted) -> Found:
    return *tally.on_host(), kept


class Exchange:
    """Sends extracted k-mers to the ranks that count them, in runs of limited length.

    Parameters
    ----------
    group : DeviceGroup
    ranks : list of RankCounter
    n_words : int
        Of a k-mer.
    length : int
        K-mers of a run that a rank receives, at most.
    """

    def __init__(self, group: DeviceGroup, ranks: list[RankCounter], n_words: int, length: int) -> None:
        self._group = group
        self._ranks = ranks
        self._n_words = n_words
        self._length = length
        self._is_first = True

    def run(self, is_last: bool) -> None:
        """Exchange and count what the ranks have extracted; ``is_last``: nothing follows."""
        sends = self._group.each(lambda rank: self._ranks[rank].scatter())
        sizes = np.array([[array.size for array in row] for row in sends]) // self._n_words
        step = int(sizes.max(initial=0))
        if sizes.sum(axis=0).max(initial=0) > self._length:
            step = max(1, self._length // len(sends))
        starts = range(0, max(1, int(sizes.max(initial=0))), max(1, step))
        at_once = self._is_first and is_last and len(starts) == 1
        self._is_first = False
        for start in starts:
            pieces = [[array[start * self._n_words : (start + step) * self._n_words] for array in row] for row in sends]
            if start == starts[-1]:
                sends.clear()
            self._count(pieces, at_once)

    def _count(self, pieces: list[list[Array]], at_once: bool) -> None:
        """Exchange some k-mers, forget the senders' memory, and count them."""
        received = self._group.exchange(pieces)
        pieces.clear()
        self._group.each(lambda rank: self._ranks[rank].count(received, rank, at_once))
