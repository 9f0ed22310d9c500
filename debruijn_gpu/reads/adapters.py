"""Find adapters: in pairs behind inserts shorter than the reads, in single reads as frequent 19-mers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.reads.mates import MateRows

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ReadBackend

#: Bases by which an adapter is known, as in SKESA (Souvorov et al. 2018)
ADAPTER_BP = 19
_SHIFT = np.uint64(64 - 2 * ADAPTER_BP)
#: Short inserts that show an adapter, and the share of them behind which the commonest 19-mer is. Inserts that only
#: seem short, by tandem repeats or hairpins, are followed by many sequences.
LEAST_INSERTS, LEAST_SHARE = 20, 0.3
#: Share of single reads that hold an adapter, as in SKESA
COMMON = 0.05
#: Bases before a 19-mer that are looked at, and the most common ones' share of them if it is an adapter: deep parts of
#: a genome have one or few sequences there.
BEFORE_BP, MOST_BEFORE = 6, 0.1
#: Most common base right before an adapter, which is no part of it
MOST_PRECEDING = 0.7
#: Bases from the beginning of the 19-mer that follow in one agreeing way, and the share of reads that agree
FOLLOWING_BP, LEAST_FOLLOWING = 32, 0.75
_ALL = (1 << 64) - 1
#: Fibonacci hashing to 2^16 values (Knuth 1973)
_HASH_FACTOR, _HASH_BITS = np.uint32(0x9E3779B1), 16
#: Bases of one kind in a 19-mer of low complexity
_ONE_KIND = 14


@dataclass(frozen=True, order=True)
class Adapter:
    """Beginning of an adapter: its bases in the highest bits of a word, first base first, at most 32."""

    word: int
    n_bases: int

    def __str__(self) -> str:
        return "".join("ACGT"[self.word >> 62 - 2 * i & 3] for i in range(self.n_bases))


class PairedAdapters:
    """Short inserts of one paired input, and the 19-mers behind them."""

    def __init__(self, backend: ReadBackend) -> None:
        self._backend = backend
        self._inserts = np.zeros(1, np.int32)
        self._tails: tuple[Counter[int], Counter[int]] = (Counter(), Counter())

    def add(self, pairs: MateRows[ReadBatch]) -> None:
        """Measure the inserts of further pairs."""
        (first, second), (first_rows, second_rows) = pairs.batches, pairs.rows
        inserts = self._backend.reads.short_inserts(first, first_rows, second, second_rows)
        stop = pairs.first_pair + len(inserts)
        while stop > len(self._inserts):
            self._inserts = np.append(self._inserts, np.zeros_like(self._inserts))
        self._inserts[pairs.first_pair : stop] = inserts
        short = inserts > 0
        if not short.any():
            return
        for batch, rows, tails in zip(pairs.batches, pairs.rows, self._tails, strict=True):
            offsets = self._backend.to_host(batch.offsets)
            starts = offsets[rows[short]] + inserts[short]
            starts = starts[starts + ADAPTER_BP <= offsets[rows[short] + 1]]
            found, numbers = np.unique(self._backend.reads.words_at(batch, starts) >> _SHIFT, return_counts=True)
            tails.update(dict(zip(found.tolist(), numbers.tolist(), strict=True)))

    def adapters(self) -> tuple[Adapter | None, Adapter | None]:
        """Return the adapters of first and second mates."""
        return _commonest(self._tails[0]), _commonest(self._tails[1])

    def inserts(self, pairs: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the short inserts of pairs; 0 where the insert is not short."""
        found: NDArray[np.int32] = self._inserts[pairs]
        return found


def _commonest(tails: Counter[int]) -> Adapter | None:
    """The 19-mer behind most inserts, ties by code, if it is behind enough of them."""
    n = tails.total()
    if n < LEAST_INSERTS:
        return None
    code, number = min(tails.items(), key=lambda item: (-item[1], item[0]))
    return Adapter(code << int(_SHIFT), ADAPTER_BP) if number >= LEAST_SHARE * n else None


def single_adapters(codes: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[Adapter]:
    """Find the adapters of a sample of single reads, the most common one first.

    Each begins with a 19-mer in more than 5 % of the reads that other bases precede from read to read, and the same
    follow.

    Parameters
    ----------
    codes : ndarray, dtype=uint8, shape=(n_bases,)
        A base each, 0 to 3.
    offsets : ndarray, dtype=int64, shape=(n_reads + 1,)
    """
    least = max(LEAST_INSERTS, int(COMMON * (len(offsets) - 1)) + 1)
    kmers, positions, read_of = _common_windows(codes, offsets, least)
    order = _stable_order(kmers)
    kmers = kmers[order]
    starts = np.concatenate(([0], np.flatnonzero(kmers[1:] != kmers[:-1]) + 1, [len(kmers)]))
    numbers = np.diff(starts)
    runs = np.flatnonzero(numbers >= least)
    runs = runs[~_are_simple(kmers[starts[runs]])]
    judged = []
    for run in runs[_precede_variably(codes, positions[order], offsets[read_of[order]], starts[runs], numbers[runs])]:
        places = order[starts[run] : starts[run + 1]]
        at, reads = positions[places], read_of[places]
        judged.append((len(places), _judged(codes, at, offsets[reads], offsets[reads + 1])))
    kept = [(-number, adapter) for number, adapter in judged if adapter is not None]
    return _distinct([adapter for _number, adapter in sorted(kept)])


def _stable_order(kmers: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Sort 19-mers, equal ones in order; with their numbers in the same words where there is room, ten times faster."""
    n_bits = 64 - 2 * ADAPTER_BP
    if len(kmers) >> n_bits:
        return np.argsort(kmers, kind="stable")
    words = np.sort(kmers << np.uint64(n_bits) | np.arange(len(kmers), dtype=np.uint64))
    return (words & np.uint64((1 << n_bits) - 1)).view(np.int64)


def _are_simple(kmers: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which 19-mers are of low complexity: mostly of one base."""
    bases = kmers[:, None] >> np.arange(0, 2 * ADAPTER_BP, 2, dtype=np.uint64) & np.uint64(3)
    numbers = np.array([np.count_nonzero(bases == kind, axis=1) for kind in range(4)])
    are_simple: NDArray[np.bool_] = numbers.max(axis=0) >= _ONE_KIND
    return are_simple


def _precede_variably(
    codes: NDArray[np.uint8],
    positions: NDArray[np.int64],
    read_starts: NDArray[np.int64],
    starts: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return which runs of one 19-mer have other bases right before them from read to read.

    Parameters
    ----------
    codes : ndarray, dtype=uint8
    positions, read_starts : ndarray, dtype=int64, shape=(n,)
        Of each 19-mer, and of its read.
    starts, numbers : ndarray, dtype=int64, shape=(runs,)
        First 19-mer of each run, and 19-mers in it.
    """
    first = np.cumsum(numbers) - numbers
    places = np.repeat(starts - first, numbers) + np.arange(numbers.sum())
    is_preceded = positions[places] - read_starts[places] >= BEFORE_BP
    run_of = np.repeat(np.arange(len(numbers)), numbers)[is_preceded]
    before = codes[positions[places[is_preceded]] - 1]
    counts = np.bincount(4 * run_of + before, minlength=4 * len(numbers)).reshape(-1, 4)
    varies: NDArray[np.bool_] = counts.max(axis=1) <= MOST_PRECEDING * counts.sum(axis=1)
    return varies


def _distinct(adapters: list[Adapter]) -> list[Adapter]:
    """Leave out adapters that are a more common one preceded by bases of reads."""
    kept: list[Adapter] = []
    for adapter in adapters:
        tails = [(2 * n, adapter.word & _ALL >> 2 * n) for n in range(1, ADAPTER_BP)]
        if not any(one.word >> n_bits == tail for one in kept for n_bits, tail in tails):
            kept.append(adapter)
    return kept


def _common_windows(
    codes: NDArray[np.uint8], offsets: NDArray[np.int64], least: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Find 19-mers of reads that may occur ``least`` times or more.

    The hash of their first 16 bases occurs that often. Sorting the other 19-mers too would take most of the time.

    Returns
    -------
    kmers, positions, read_of
        All occurrences of each such 19-mer within a read: its code, where it begins, and in which read.
    """
    windows = codes.astype(np.uint32)
    for size in (1, 2, 4, 8):
        windows = windows[: max(0, len(windows) - size)] << np.uint32(2 * size) | windows[size:]
    hashes = (windows * _HASH_FACTOR >> np.uint32(32 - _HASH_BITS)).astype(np.intp)
    positions = np.flatnonzero((np.bincount(hashes, minlength=1 << _HASH_BITS) >= least)[hashes])
    read_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[positions]
    is_within = positions + ADAPTER_BP <= offsets[read_of + 1]
    positions, read_of = positions[is_within], read_of[is_within]
    n_rest = ADAPTER_BP - 16
    rest = windows[positions + n_rest] & np.uint32((1 << 2 * n_rest) - 1)
    return windows[positions].astype(np.uint64) << np.uint64(2 * n_rest) | rest, positions, read_of


def _judged(
    codes: NDArray[np.uint8], at: NDArray[np.int64], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> Adapter | None:
    """Return the adapter that begins with a 19-mer at these places of reads, if one does."""
    preceded = at[at - starts >= BEFORE_BP]
    if len(preceded) < LEAST_INSERTS or 2 * len(preceded) < len(at):
        return None
    before = np.zeros(len(preceded), np.int64)
    for i in range(BEFORE_BP):
        before = 4 * before + codes[preceded - BEFORE_BP + i]
    if np.bincount(before).max() > MOST_BEFORE * len(preceded):
        return None
    word = 0
    for i in range(FOLLOWING_BP):
        following = codes[at[at + i < stops] + i]
        if len(following) < LEAST_INSERTS:
            return None
        numbers = np.bincount(following, minlength=4)
        base = int(numbers.argmax())
        if numbers[base] < LEAST_FOLLOWING * len(following):
            return None
        word |= base << 62 - 2 * i
    return Adapter(word, FOLLOWING_BP)
