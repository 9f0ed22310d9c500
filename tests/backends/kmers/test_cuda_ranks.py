"""Counting by several ranks, on one GPU or in the simulator: the same as by one, whatever they exchange."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.errors import OutOfMemoryError
from tests.backends.kmers.test_kmers import RUN, batches_of, check, some_reads
from tests.helpers import kmers_of, random_sequence
from tests.naive import kmers as naive

pytestmark = pytest.mark.cuda


@pytest.fixture(params=[2, 5])
def ranks(request, tune):
    """Several ranks that share the GPU."""
    tune(ranks_per_gpu=request.param)
    return request.param


@pytest.mark.parametrize(("k", "min_count"), [(1, 1), (3, 2), (31, 1), (32, 1), (33, 2), (97, 1)])
def test_counting_is_independent_of_ranks(cuda, ranks, k, min_count):
    check(cuda, some_reads(k), k, min_count=min_count, n_batches=4)


@pytest.mark.parametrize("reads", [[], [""], ["ACG"]])
def test_ranks_without_kmers(cuda, ranks, reads):
    check(cuda, reads, 5)


@pytest.mark.parametrize("together", [0.3, 3, 1000])  # times the k-mers of a part
@pytest.mark.parametrize(("k", "room"), [(3, 25), (31, 40), (33, 40), (97, 40)])
def test_ranks_in_parts_and_runs(cuda, monkeypatch, tune, k, room, together):
    from debruijn_gpu.backends.kmers.cuda import stores as kmer_stores

    tune(ranks_per_gpu=3)
    monkeypatch.setattr(kmer_stores, "capacity", lambda kind, share, reserved: room)
    monkeypatch.setattr(kmer_stores, "room_to_extract", lambda kind, share, reserved: int(room * together))
    tune(shortest_kmer_run=1)
    check(cuda, some_reads(k), k, min_count=1 + k % 4 // 3, n_batches=3)


def test_one_kmer_for_one_rank(cuda, monkeypatch, tune):
    """All k-mers have one bin: one rank receives them, in runs."""
    from debruijn_gpu.backends.kmers.cuda import stores as kmer_stores

    monkeypatch.setattr(kmer_stores, "capacity", lambda kind, share, reserved: 8)
    tune(shortest_kmer_run=1, ranks_per_gpu=3)
    check(cuda, ["A" * 60, "A" * 30], 9, n_batches=2)


def test_parts_of_ranks_ascend(cuda, ranks):
    store = cuda.kmers.kmer_store(7, False, RUN)
    store.fill(batches_of(cuda, [random_sequence(np.random.default_rng(1), 100)]))
    parts = [kmers_of(cuda.to_host(part.codes), 7) for part in store.counted(1)]
    kmers = [kmer for part in parts for kmer in part]
    assert store.n_parts == len(parts) == ranks
    assert min(map(len, parts)) > 5
    assert kmers == sorted(kmers)


@pytest.mark.parametrize("k", [9, 33])
def test_kmers_of_ranks_are_gathered_by_parts(cuda, monkeypatch, ranks, k):
    from debruijn_gpu.backends.kmers.cuda import stores as kmer_stores

    monkeypatch.setattr(kmer_stores, "capacity", lambda kind, share, reserved: 12)
    monkeypatch.setattr(kmer_stores, "room_to_extract", lambda kind, share, reserved: 200)
    reads = [random_sequence(np.random.default_rng(seed), 50) for seed in range(4)]
    store = cuda.kmers.kmer_store(k, False, RUN)
    store.fill(batches_of(cuda, reads, 3))
    parts = [kmers_of(cuda.to_host(part.codes), k) for part in store.counted(1)]
    assert store.n_parts == len(parts) > ranks
    assert sorted(kmer for part in parts for kmer in part) == sorted(naive.count(reads, k, False))


def test_ranks_without_memory_to_gather_count_in_runs(cuda, monkeypatch, tune):
    from debruijn_gpu.backends.kmers.cuda import ranks, stores as kmer_stores

    tries = []

    def fail(parts, kind):
        tries.append(len(parts))
        raise OutOfMemoryError("no room", "none")

    monkeypatch.setattr(kmer_stores, "capacity", lambda kind, share, reserved: 12)
    monkeypatch.setattr(kmer_stores, "room_to_extract", lambda kind, share, reserved: 200)
    monkeypatch.setattr(ranks, "PartScatter", fail)
    tune(shortest_kmer_run=1, ranks_per_gpu=2)
    check(cuda, some_reads(31), 31, n_batches=2)
    assert max(tries) > 1


def test_runs_of_ranks_get_shorter(cuda, monkeypatch, tune):
    from debruijn_gpu.backends.kmers.cuda import run_counting

    plain, lengths = run_counting.in_groups, []

    def fail_if_long(kmers, n_words):
        lengths.append(kmers.size // n_words)
        if lengths[-1] > 30:
            raise OutOfMemoryError("no room", "none")
        return plain(kmers, n_words)

    monkeypatch.setattr(run_counting, "in_groups", fail_if_long)
    tune(shortest_kmer_run=10, ranks_per_gpu=2)
    check(cuda, some_reads(33), 33)
    assert lengths[0] > 30 >= lengths[-1]
