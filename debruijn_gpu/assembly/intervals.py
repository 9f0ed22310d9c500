"""Intervals of packed sequences, and where their words occur in reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD, packed_codes, packed_words
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.protocol import KmerIndex
from debruijn_gpu.backends.screens.sizes import filter_length, index_bytes
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.resources import calling_threads
from debruijn_gpu.run.room import least_left, make_room

if TYPE_CHECKING:
    from debruijn_gpu.assembly.unitig_graph import UnitigGraph
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]

_BASES_AT_ONCE = 1 << 20
_MOST_COUNTED = 1 << 30  # of a word, so that sums stay within 32 bits
#: Of matches, counts and representatives of a base, beside the index; and with that, at most
_COUNTED_BYTES, INDEXED_BYTES = 40, 64


def bases_at(bases: NDArray[np.uint64], at: Longs) -> NDArray[np.uint8]:
    """Take the two-bit codes at positions of packed bases."""
    shifts = (62 - 2 * (at % BASES_PER_WORD)).astype(np.uint64)
    found: NDArray[np.uint8] = (bases[at // BASES_PER_WORD] >> shifts).astype(np.uint8) & np.uint8(3)
    return found


def last_bases(graph: UnitigGraph, vertices: Longs, n_bases: Longs) -> NDArray[np.uint8]:
    """Take the two-bit codes of the last bases of vertices of a graph in NumPy arrays, a number of each."""
    offsets, is_reverse = graph.sequences.offsets, vertices & 1 == 1
    first = np.where(is_reverse, offsets[vertices >> 1] + n_bases - 1, offsets[(vertices >> 1) + 1] - n_bases)
    step = np.where(is_reverse, -1, 1)
    along = np.arange(int(n_bases.sum())) - np.repeat(np.cumsum(n_bases) - n_bases, n_bases)
    codes = bases_at(graph.sequences.bases, np.repeat(first, n_bases) + np.repeat(step, n_bases) * along)
    found: NDArray[np.uint8] = np.where(np.repeat(is_reverse, n_bases), np.uint8(3) - codes, codes)
    return found


def gathered(bases: NDArray[np.uint64], bounds: Longs) -> NDArray[np.uint64]:
    """Pack intervals (n, 2) of packed bases one after another, some at once."""
    words: list[NDArray[np.uint64]] = []
    rest = np.empty(0, np.uint8)
    for first, last in _merged(bounds):
        for start in range(first, last, _BASES_AT_ONCE):
            rest = np.concatenate((rest, packed_codes(bases, start, min(last, start + _BASES_AT_ONCE))))
            n = len(rest) // BASES_PER_WORD * BASES_PER_WORD
            words.append(packed_words(rest[:n]))
            rest = rest[n:]
    return np.concatenate([*words, packed_words(rest)])


def _merged(bounds: Longs) -> list[tuple[int, int]]:
    """Merge intervals that follow each other without a gap."""
    if not len(bounds):
        return []
    splits = np.flatnonzero(bounds[1:, 0] != bounds[:-1, 1]) + 1
    firsts, lasts = np.append(0, splits), np.append(splits, len(bounds)) - 1
    return list(zip(bounds[firsts, 0].tolist(), bounds[lasts, 1].tolist(), strict=True))


def index_intervals(
    bases: NDArray[np.uint64],
    bounds: Longs,
    word_bp: int,
    what: str,
    run: RunOptions,
    backend: AssemblyBackend,
) -> KmerIndex:
    """Index the words of intervals of packed bases, which are packed one after another.

    Parameters
    ----------
    bases : ndarray, dtype=uint64
    bounds : ndarray, dtype=int64, shape=(n, 2)
        Each interval has at least a word.
    word_bp : int
    what : str
        What memory is needed for, see `make_room`.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays those of the index are.

    Raises
    ------
    OutOfMemoryError
        If the index does not fit.
    """
    starts = np.append(0, np.cumsum(bounds[:, 1] - bounds[:, 0]))
    n_bases = int(starts[-1])
    needed = index_bytes(n_bases, n_bases, n_bases) + _COUNTED_BYTES * n_bases
    make_room(needed, what, lambda: least_left(run, backend))
    packed, begins, ends = map(backend.to_device, (gathered(bases, bounds), starts, starts[1:]))
    return backend.screens.index_sequences(packed, begins, ends, word_bp, filter_length(word_bp, n_bases))


def matches_in_reads(
    index: KmerIndex, reads: Iterable[ReadBatch], run: RunOptions, backend: AssemblyBackend
) -> Iterator[Longs]:
    """Yield the matches of each batch of reads, in NumPy arrays; see `ScreenOperations.match_reads`."""
    threads = calling_threads(run.threads, backend.is_sequential)
    return ordered_map(_matcher(index, backend), reads, threads)


def _matcher(index: KmerIndex, backend: AssemblyBackend) -> Callable[[ReadBatch], Longs]:
    def match(batch: ReadBatch) -> Longs:
        with log.cpu_time("match"):
            found: Longs = backend.to_host(backend.screens.match_reads(batch, index))
        return found

    return match


def word_counts(
    index: KmerIndex, reads: Iterable[ReadBatch], run: RunOptions, backend: AssemblyBackend
) -> NDArray[np.int32]:
    """Count the occurrences in reads of the words of indexed sequences, in either strand.

    Parameters
    ----------
    index : KmerIndex
        In arrays of the backend.
    reads : iterable of ReadBatch
        In arrays of the backend.
    run : RunOptions
    backend : AssemblyBackend

    Returns
    -------
    ndarray, dtype=int32, shape=(n_bases,)
        Of the word that begins at each base, at all of its places; 0 where none begins.
    """
    n_bases = int(index.starts[-1])
    n_begun = np.zeros(n_bases + 1, np.int32)  # change of the number of matches from base to base
    for _in_read, n_words, at in matches_in_reads(index, reads, run, backend):
        first = np.where(at < 0, -at - n_words, at)
        np.add.at(n_begun, first, 1)
        np.subtract.at(n_begun, first + n_words, 1)
    at_each = np.cumsum(n_begun, out=n_begun)[:-1]
    same: Longs = backend.to_host(backend.screens.representatives(index))
    is_word = same >= 0
    counts = np.zeros(n_bases, np.int64)
    np.add.at(counts, same[is_word], at_each[is_word])
    found: NDArray[np.int32] = np.where(is_word, np.minimum(counts, _MOST_COUNTED).astype(np.int32)[same], 0)
    return found
