"""Store of the segments of all partitions, in memory up to a limit and beyond it in a scratch file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD, words_per_kmer
from debruijn_gpu.assembly.segments import Segments
from debruijn_gpu.backends.core.array_types import id_dtype
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.spilling import SpillingArrays
from debruijn_gpu.run.tuning import tuning

_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SEAT_BYTES = 22  # of both strands of a segment, and their share of a sublist
_LIST_BYTES = 140  # of an end of a list; measured
_N_GROUPS = 16  # of open ends, by hash of their keys: those of a group are matched at once


class SegmentStore:
    """Segments of all partitions, numbered in order.

    A padding follows the segments of each partition, so that those of the next one begin with a whole word of bases; it
    is numbered as a segment.

    Parameters
    ----------
    k : int
    run : RunOptions
    """

    def __init__(self, k: int, run: RunOptions) -> None:
        self.k = k
        self.n = 0  # segments and paddings
        self._n_words = 0
        self._n_open = 0
        self._n_circular = 0
        self._padding: list[int] = []
        self._circular: list[NDArray[np.int64]] = []
        self._links: list[NDArray[np.int64]] = []
        self._lengths: list[tuple[int, int]] = []  # numbers in the arrays, and sizes
        self._bases: list[tuple[int, int]] = []
        self._counts: list[tuple[int, int]] = []
        self._ends: list[list[tuple[int, int]]] = [[] for _group in range(_N_GROUPS)]
        self._keys: list[list[tuple[int, int]]] = [[] for _group in range(_N_GROUPS)]
        self._arrays = SpillingArrays(int(tuning().partitions_share * memory_left(run.memory)), run.tmp_dir)

    def add(self, segments: Segments) -> None:
        """Add the segments of a partition."""
        first = self.n
        padding = -int(segments.lengths.sum()) % BASES_PER_WORD
        self._lengths.append(self._write(np.append(segments.lengths, padding)))
        self._counts.append(self._write(np.append(segments.kmer_counts, 0)))
        self._bases.append(self._write(segments.bases))
        self._n_words += len(segments.bases)
        self._links.append(np.stack((segments.tails, segments.heads)) + 2 * first)
        self._circular.append(np.flatnonzero(segments.circular) + first)
        self._n_circular += len(self._circular[-1])
        self._add_ends(segments.keys, segments.open_ends + 2 * first)
        self._n_open += len(segments.open_ends)
        self.n += len(segments) + 1
        self._padding.append(self.n - 1)

    def _add_ends(self, keys: NDArray[np.uint64], ends: NDArray[np.int64]) -> None:
        """Add open ends to their groups."""
        groups = keys[-1] * _HASH_FACTOR >> np.uint64(32)
        groups = groups * np.uint64(_N_GROUPS) >> np.uint64(32)
        for group in range(_N_GROUPS):
            chosen = np.flatnonzero(groups == group)
            self._ends[group].append(self._write(ends[chosen]))
            self._keys[group].append(self._write(keys[:, chosen].reshape(-1)))

    def _write(self, array: NDArray[np.int64] | NDArray[np.uint64]) -> tuple[int, int]:
        return self._arrays.add(array), len(array)

    def _read(self, places: list[tuple[int, int]], dtype: Any) -> NDArray[Any]:
        """Concatenate arrays."""
        whole = np.empty(sum(size for _number, size in places), dtype)
        at = 0
        for number, size in places:
            self._arrays.read_into(number, 0, whole[at : at + size])
            at += size
        return whole

    @property
    def glue_bytes(self) -> int:
        """Peak memory of gluing on the CPU, as its arrays add up: while segments are ranked, or their bases merged.

        Both strands of a segment have a number, its turned successor and a seat; both ends of a unitig, and those of a
        padding, are the ends of lists. Two ends that are glued have k bases in common.
        """
        id_bytes = id_dtype(2 * self.n + 1).itemsize
        n_list_ends = 2 * (self.n - self._n_circular) - self._n_open
        ranked = (4 * id_bytes + _SEAT_BYTES) * self.n + _LIST_BYTES * n_list_ends
        n_glued_words = self._n_words - self.k * (self._n_open // 2) // BASES_PER_WORD
        return max(ranked, (id_bytes + 16) * self.n + 8 * (self._n_words + n_glued_words))

    @property
    def is_segment(self) -> NDArray[np.bool_]:
        """Which numbers are those of segments, not of paddings."""
        flags = np.ones(self.n, np.bool_)
        flags[self._padding] = False
        return flags

    @property
    def circular(self) -> NDArray[np.int64]:
        """Numbers of the segments that are cycles."""
        return np.concatenate((np.zeros(0, np.int64), *self._circular))

    @property
    def links(self) -> NDArray[np.int64]:
        """Tails and heads of all links, shape (2, n_links)."""
        return np.concatenate((np.zeros((2, 0), np.int64), *self._links), axis=1)

    def sequences(self) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Offsets and bases of all segments; see `PackedSequences`."""
        offsets = np.zeros(self.n + 1, np.int64)
        np.cumsum(self._read(self._lengths, np.int64), out=offsets[1:])
        return offsets, self._read(self._bases, np.uint64)

    def kmer_counts(self) -> NDArray[np.int64]:
        """Sum of the counts of the k-mers of each segment."""
        return self._read(self._counts, np.int64)

    def open_ends(self) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
        """Yield keys (words, n) and vertices of open ends, in groups by key."""
        n_words = words_per_kmer(self.k)
        for ends, keys in zip(self._ends, self._keys, strict=True):
            parts = [self._read([place], np.uint64).reshape(n_words, -1) for place in keys]
            yield np.concatenate((np.zeros((n_words, 0), np.uint64), *parts), axis=1), self._read(ends, np.int64)

    def close(self) -> None:
        """Free memory and scratch space."""
        self._arrays.close()
