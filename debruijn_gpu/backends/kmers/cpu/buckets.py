"""Store super-k-mers by bucket, in memory or, beyond the budget, in a scratch file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.kmers.cpu.superkmers import SuperKmers
from debruijn_gpu.backends.kmers.minimizers import group_size, n_used_buckets
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes, return_free_memory
from debruijn_gpu.run.scratch import ScratchArray, ScratchFile


@dataclass(frozen=True)
class BucketGroup:
    """Records of adjacent buckets, gathered from all batches.

    Attributes
    ----------
    words : ndarray, dtype=uint64
    starts : ndarray, dtype=int64, shape=(n_batches, n_buckets_in_group + 1)
        Bucket b of batch i is ``words[starts[i, b]:starts[i, b + 1]]``.
    """

    words: NDArray[np.uint64]
    starts: NDArray[np.int64]


class BucketStore:
    """Collects the super-k-mers of batches and gives them back by groups of buckets.

    Parameters
    ----------
    bits : int
        There are ``2 ** bits`` buckets.
    sample : float
        Share of the buckets to use.
    memory_bytes : int
        What may stay in memory.
    tmp_dir : Path or None
        Where the scratch file goes; None: the system's place.
    """

    def __init__(self, bits: int, sample: float, memory_bytes: int, tmp_dir: Path | None) -> None:
        self.bits = bits
        self._group_size = group_size(bits)
        self.n_used_buckets = n_used_buckets(bits, sample)
        self.n_kmers = 0
        self._memory_bytes = memory_bytes
        self._tmp_dir = tmp_dir
        self._held_bytes = 0
        self._words: list[NDArray[np.uint64] | ScratchArray] = []
        self._bucket_ptrs: list[NDArray[np.int64] | NDArray[np.uint32]] = []
        self._scratch: ScratchFile | None = None

    def add(self, batch: SuperKmers) -> None:
        """Keep the super-k-mers of one batch."""
        self.n_kmers += batch.n_kmers
        ptr = batch.bucket_ptr
        self._bucket_ptrs.append(ptr.astype(np.uint32) if ptr[-1] < 1 << 32 else ptr)
        if self._held_bytes + batch.words.nbytes <= self._memory_bytes:
            self._held_bytes += batch.words.nbytes
            self._words.append(batch.words)
            return
        if self._scratch is None:
            self._scratch = ScratchFile(self._tmp_dir)
            log.logger.info(
                "k-mers take more than %s: the rest goes to a temporary file", format_bytes(self._memory_bytes)
            )
        self._words.append(self._scratch.write(batch.words))

    @property
    def groups(self) -> range:
        """First bucket of each group."""
        return range(0, self.n_used_buckets, self._group_size)

    def gather(self, first_bucket: int) -> BucketGroup:
        """The records of one group; safe to call from several threads."""
        last_bucket = first_bucket + self._group_size
        cuts = [ptr[first_bucket : last_bucket + 1].astype(np.int64) for ptr in self._bucket_ptrs]
        edges = np.cumsum([0] + [int(cut[-1] - cut[0]) for cut in cuts])
        words = np.empty(edges[-1], np.uint64)
        starts = np.zeros((len(cuts), self._group_size + 1), np.int64)
        for i, cut in enumerate(cuts):
            target = words[edges[i] : edges[i + 1]]
            source = self._words[i]
            if isinstance(source, ScratchArray):
                assert self._scratch is not None
                self._scratch.read_into(source, int(cut[0]), target)
            else:
                target[:] = source[cut[0] : cut[-1]]
            starts[i] = cut - cut[0] + edges[i]
        return BucketGroup(words, starts)

    def close(self) -> None:
        """Give memory and scratch space back."""
        self._words.clear()
        if self._scratch is not None:
            self._scratch.close()
        return_free_memory()
