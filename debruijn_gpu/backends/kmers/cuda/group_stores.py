"""Count the k-mers of reads on several GPUs.

Reads stay on the first one. In each pass, batches of them are dealt out to the ranks, which extract k-mers, scatter
them by range of codes, and send each range to the rank that counts it. The ranges hold about as many k-mers each. What
the ranks have counted follows each other in ascending order, as the parts of one GPU do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import numpy as np

from debruijn_gpu.backends.core.cuda.devices import here
from debruijn_gpu.backends.core.cuda.group import group
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import free_pool_blocks, xp
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.cuda import stores
from debruijn_gpu.backends.kmers.cuda.counting import counting_bytes
from debruijn_gpu.backends.kmers.cuda.extraction import KmerKind
from debruijn_gpu.backends.kmers.cuda.parts import Part, in_parts
from debruijn_gpu.backends.kmers.cuda.ranks import Exchange, Found, Hand, RankCounter, SharedPart
from debruijn_gpu.backends.kmers.cuda.run_counting import in_shorter_runs
from debruijn_gpu.backends.kmers.cuda.starts import Sample
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuning

Result = TypeVar("Result")

_HANDS = 4  # from which the k-mers of a run come, at least
_UNEVEN_RANKS = 1.1  # times as many k-mers as on average may be those of a rank
_SHARE_UNDER_WAY = 0.25  # of the memory that is left, for k-mers that are gathered, but not at their places yet
_UNEVEN = 2  # times as many k-mers of a part as on average may be in a hand; more need shorter runs


class GroupKmerStore(stores.KmerStore):
    """K-mers that all GPUs of a run count; see `kmers.protocol.KmerStore`. Parameters are those of the base."""

    def __init__(self, kind: KmerKind, sample: Sample | None, run: RunOptions) -> None:
        super().__init__(kind, sample, run)
        self._group = group()
        self._shared: list[SharedPart] = []
        self._starts_fit = False  # each rank finds where k-mers begin
        self._bins = xp.zeros(1 << kind.bin_bits, np.uint64)  # of all batches, as ranks divide bins in any case

    @property
    def n_parts(self) -> int:
        return sum(part.n_counted for part in self._shared)

    def _capacity(self, share: float) -> int:
        """Compute how many k-mers can be counted in a share of the free memory of each GPU."""
        return min(self._group.each(lambda _rank: stores.capacity(self._kind, share, self._batch_bytes)))

    def _room_to_extract(self) -> int:
        """Compute how many k-mers each GPU can gather before it counts them."""
        share = stores.SHARE_BESIDE_KEPT
        return min(self._group.each(lambda _rank: stores.room_to_extract(self._kind, share, self._batch_bytes)))

    def _plan(self) -> list[Part]:
        """All bins at once, if they fit, or else runs of them that do; the ranks divide each of these parts."""
        n_ranks, n_bins = len(self._group), 1 << self._kind.bin_bits
        sizes, most, room = self._counted_bins(), self._capacity(stores.ALL_AT_ONCE), self._room_to_extract()
        parts = [Part(0, n_bins, self.n_kmers)]
        if self.n_kmers > n_ranks * most:
            most = self._capacity(stores.SHARE)
            parts = in_parts(sizes, max(int(n_ranks * room / _UNEVEN_RANKS), self.n_kmers // stores.MOST_PARTS))
            log.logger.info("the k-mers do not fit into GPU memory: counting them in %d parts", len(parts))
        self._shared = [SharedPart.of(part, sizes, n_ranks, most, room) for part in parts]
        log.logger.debug("  %d ranks exchange k-mers by %s", n_ranks, self._group.links.name)
        return parts

    def _dealt(self, most_bases: int) -> Iterator[list[Hand]]:
        """Deal out all batches: to each rank at a time some that have at most so many bases, or one."""
        assert self._reads is not None
        hands: list[Hand] = [[] for _rank in self._group.ranks]
        held = [0] * len(hands)
        for batch, n_bases in zip(self._reads, self._n_bases, strict=True):
            rank = held.index(min(held))
            if hands[rank] and held[rank] + n_bases > most_bases:
                yield hands
                hands, held, rank = [[] for _hand in hands], [0] * len(held), 0
            hands[rank].append((batch, n_bases))
            held[rank] += n_bases
        yield hands

    def _for_each(self, hands: list[Hand], function: Callable[[int, Hand], Result]) -> list[Result]:
        """Call a function of each rank and its hand."""
        return self._group.each(lambda rank: function(rank, hands[rank]))

    def counted(self, min_count: int, are_kept: bool = True) -> Iterator[CountedKmers]:
        """Count one part after another; what a rank has counted moves to the first GPU when it is asked for."""
        for number in range(len(self._shared)):
            found = self._count_shared(number, min_count)
            while found:
                yield _moved(found.pop(0))

    def _count_shared(self, number: int, min_count: int) -> list[Found]:
        """Count a part in one run, if it fits, or by parts of ranks, or in several runs: these get shorter where memory
        does not suffice."""

        def give_back() -> None:
            self._group.each(lambda _rank: free_pool_blocks())

        part = self._shared[number]
        if part.are_gathered:
            with suppress(OutOfMemoryError):
                return self._count_shared_in_runs(part, self._capacity(_SHARE_UNDER_WAY), min_count)
            give_back()
            part = self._shared[number] = replace(part, are_gathered=False)
        n_fitting, most = self._capacity(stores.ALL_AT_ONCE), max(part.totals)
        length = most if most <= n_fitting else max(n_fitting // 2, tuning().shortest_kmer_run)
        return in_shorter_runs(lambda n: self._count_shared_in_runs(part, n, min_count), length, most, give_back)

    def _count_shared_in_runs(self, part: SharedPart, length: int, min_count: int) -> list[Found]:
        """Count a part in runs, or gather its k-mers before; a rank gets at most ``length`` at once."""
        kind, sample = self._kind, self._sample
        ranks = self._group.each(lambda rank: RankCounter(rank, kind, sample, part, min_count))
        exchange = Exchange(self._group, ranks, kind.n_words, length)
        n_all, n = max(1, self.n_kmers), max(1, part.bins.n)
        hand_bp = max(length // _HANDS * n_all // n, max(self._n_bases, default=0))
        at_once = min(hand_bp, _UNEVEN * hand_bp * n // n_all)  # K-mers of the part in a hand, about
        room = length * counting_bytes(kind.n_words) // (2 * kind.nbytes)  # as extracted, and scattered
        n_waiting = 0
        for hands in self._dealt(hand_bp):
            if n_waiting and n_waiting + at_once > room:
                exchange.run(is_last=False)
            n_waiting = max(self._for_each(hands, lambda rank, hand: ranks[rank].extract(hand)))
        exchange.run(is_last=True)
        found = self._group.each(lambda rank: ranks[rank].result())
        return [found_there for of_rank in found for found_there in of_rank]


@guarded
def _moved(found: Found) -> CountedKmers:
    """What a rank has counted, on the current GPU."""
    histogram, large_counts, kept = found
    return CountedKmers(here(kept.codes), here(kept.counts), histogram, large_counts)
