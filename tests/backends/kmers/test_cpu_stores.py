"""Memory of stores of k-mers on the CPU."""

from __future__ import annotations

from contextlib import closing

import numpy as np

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.kmers.cpu import stores
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of, random_sequence

RUN = RunOptions(backend="cpu", threads=2)


def test_memory_is_measured_when_reads_are_split(monkeypatch):
    """What was allocated since the store was made, as an index of unitigs, is not promised twice."""
    left = [1 << 30]
    monkeypatch.setattr(stores, "memory_left", lambda text: left[0])
    with closing(CPU.kmers.kmer_store(33, True, RUN)) as store:
        left[0] = 0
        store.fill([batch_of([random_sequence(np.random.default_rng(1), 1000)])])
        assert store._buckets.held_bytes == 0
        left[0] = 1 << 30
        assert sum(len(part.counts) for part in store.counted(1)) == 968
