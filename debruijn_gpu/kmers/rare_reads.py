"""Find reads of the rare parts of a sample, which subsampling by the depth of the whole sample would lose.

A read is of a rare part if most of its k-mers are rare in all of the reads. The k-mers of one base do not suffice, as
an error that recurs makes them rare. The decision depends on the read and on counts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD, packed_words
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.protocol import KmerIndex
from debruijn_gpu.backends.screens.sizes import filter_length, index_bytes
from debruijn_gpu.kmers.depth_limit import FEW_BASES
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.room import least_left, make_room

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Rare k-mers, at most, so that their index is small: more are errors in reads of a large genome.
_MOST_KMERS = 1 << 22
_FIX = "allow more memory (-m, or --gpu-memory on a GPU), or keep all reads (--max-depth 0)"
_KMERS_AT_ONCE = BASES_PER_WORD << 10  # their bases fill words


class RareReads:
    """Finds reads most of whose k-mers are rare.

    Parameters
    ----------
    index : KmerIndex
        Of rare k-mers, in arrays of the backend.
    parts : int
        One of so many distinct k-mers was counted.
    backend : AssemblyBackend
    """

    def __init__(self, index: KmerIndex, parts: int, backend: AssemblyBackend) -> None:
        self._index, self._parts, self._backend = index, parts, backend
        self.n_found = 0

    def find(self, batch: ReadBatch) -> NDArray[np.bool_]:
        """Find the rows of a batch more than half of whose k-mers are rare, and not only those of one base."""
        offsets = self._backend.to_host(batch.offsets)
        matches = self._backend.to_host(self._backend.screens.match_reads(batch, self._index))
        starts, n_words = matches[:2]
        rows = np.searchsorted(offsets, starts, side="right") - 1
        n_rare, first, last = np.zeros(batch.n_rows, np.int64), offsets[1:].copy(), offsets[:-1].copy()
        np.add.at(n_rare, rows, n_words)
        np.minimum.at(first, rows, starts)
        np.maximum.at(last, rows, starts + n_words - 1)
        n_kmers = np.diff(offsets) - self._index.k + 1
        is_most = 2 * self._parts * n_rare > n_kmers
        found: NDArray[np.bool_] = is_most & (last - first >= self._index.k)
        self.n_found += int(np.count_nonzero(found))
        return found


def rare_reads(
    reads: Iterable[ReadBatch], n_bases: int, k: int, counts: range, run: RunOptions, backend: AssemblyBackend
) -> RareReads | None:
    """Count the k-mers of all reads, and index those that are rare.

    Parameters
    ----------
    reads : iterable of ReadBatch
        In arrays of the backend.
    n_bases : int
        Of all reads.
    k : int
        At most 32.
    counts : range
        Those of a rare k-mer; less often errors occur.
    run : RunOptions
    backend : AssemblyBackend

    Returns
    -------
    RareReads or None
        None if no k-mer is rare, or too many are.

    Raises
    ------
    OutOfMemoryError
        If the index does not fit.
    """
    parts = 1 + (n_bases > FEW_BASES)  # counting all takes longer, and of a quarter too few are in a read
    with log.stage("look for rare parts", unit="rare k-mers") as stage:
        codes = _rare_kmers(reads, n_bases, k, parts, counts, run, backend)
        stage.items = len(codes)
    if not 0 < len(codes) <= _MOST_KMERS:
        return None
    n = k * len(codes)
    needed = index_bytes(len(codes), n, n)
    make_room(needed, f"the index of {len(codes):,} rare k-mers", lambda: least_left(run, backend), _FIX)
    packed = np.concatenate([packed_words(_bases(some, k).ravel()) for some in _blocks(codes)])
    starts = np.arange(0, n + 1, k, dtype=np.int64)
    bases, begins, ends = map(backend.to_device, (packed, starts, starts[1:]))
    return RareReads(backend.screens.index_sequences(bases, begins, ends, k, filter_length(k, n)), parts, backend)


def _rare_kmers(
    reads: Iterable[ReadBatch],
    n_bases: int,
    k: int,
    parts: int,
    counts: range,
    run: RunOptions,
    backend: AssemblyBackend,
) -> NDArray[np.uint64]:
    """Count k-mers; return the codes of rare ones, up to somewhat more than can be indexed."""
    found = [np.empty(0, np.uint64)]
    with closing(backend.kmers.kmer_store(k, True, run, 1.0 / parts, n_bases)) as store:
        store.fill(reads)
        for part in store.counted(counts.start, are_kept=False) if store.n_kmers else ():
            n_times = backend.to_host(part.counts)
            is_rare = (n_times >= counts.start) & (n_times < counts.stop)
            found.append(backend.to_host(part.codes)[0][is_rare])
            if sum(map(len, found)) > _MOST_KMERS:
                break
    codes: NDArray[np.uint64] = np.concatenate(found)
    return codes


def _blocks(codes: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
    """Yield some k-mers at a time."""
    for start in range(0, len(codes), _KMERS_AT_ONCE):
        yield codes[start : start + _KMERS_AT_ONCE]


def _bases(codes: NDArray[np.uint64], k: int) -> NDArray[np.uint8]:
    """Unpack the two-bit codes (n, k) of k-mers of one word."""
    shifts = np.arange(2 * k - 2, -1, -2, dtype=np.uint64)
    found: NDArray[np.uint8] = (codes[:, np.newaxis] >> shifts & np.uint64(3)).astype(np.uint8)
    return found
