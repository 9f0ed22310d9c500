"""Counting with little memory, and what large numbers of k-mers do, on inputs that are small."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned
from tests.backends.kmers.test_kmers import RUN, batches_of, check, counted, some_reads
from tests.helpers import codes_of, kmers_of, random_sequence
from tests.naive import kmers as naive

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize("together", [1, 3, 1000])  # times the k-mers of a part
@pytest.mark.parametrize(("k", "room"), [(3, 40), (31, 20), (33, 30), (97, 25)])
def test_parts_and_runs(cuda, monkeypatch, tune, k, room, together):
    from debruijn_gpu.backends.kmers.cuda import stores as kmer_stores

    monkeypatch.setattr(kmer_stores, "capacity", lambda kind, share, reserved: room)
    monkeypatch.setattr(kmer_stores, "room_to_extract", lambda kind, share, reserved: room * together)
    tune(shortest_kmer_run=1)
    check(cuda, some_reads(k), k, min_count=1 + k % 4 // 3, n_batches=2)


def test_parts_without_room_to_extract_them_together(cuda, monkeypatch):
    from debruijn_gpu.backends.kmers.cuda import stores as kmer_stores

    tries, plain = [], kmer_stores.PartScatter

    def fail_if_many(parts, kind):
        tries.append(len(parts))
        if len(parts) > 3:
            raise OutOfMemoryError("no room", "none")
        return plain(parts, kind)

    monkeypatch.setattr(kmer_stores, "capacity", lambda kind, share, reserved: 20)
    monkeypatch.setattr(kmer_stores, "PartScatter", fail_if_many)
    check(cuda, some_reads(31), 31, n_batches=2)
    assert max(tries) > 3 >= tries[-1] > 1


@pytest.mark.parametrize("n_batches", [1, 2, 5])
def test_bins_are_counted_when_kmers_do_not_fit_any_more(cuda, monkeypatch, n_batches):
    """The first batches are counted after the last, the others when they come."""
    from debruijn_gpu.backends.kmers.cuda import stores as kmer_stores

    monkeypatch.setattr(kmer_stores, "capacity", lambda kind, share, reserved: 60)
    reads = [random_sequence(np.random.default_rng(seed), 40) for seed in range(10)]
    check(cuda, reads, 9, n_batches=n_batches)


def test_parts_ascend(cuda, monkeypatch):
    from debruijn_gpu.backends.kmers.cuda import stores as kmer_stores

    monkeypatch.setattr(kmer_stores, "capacity", lambda kind, share, reserved: 20)
    monkeypatch.setattr(kmer_stores, "room_to_extract", lambda kind, share, reserved: 50)
    store = cuda.kmers.kmer_store(7, False, RUN)
    store.fill(batches_of(cuda, [random_sequence(np.random.default_rng(1), 100)]))
    parts = [kmers_of(cuda.to_host(part.codes), 7) for part in store.counted(1)]
    kmers = [kmer for part in parts for kmer in part]
    assert len(parts) > 3
    assert kmers == sorted(kmers)


def test_runs_get_shorter_where_memory_does_not_suffice(cuda, monkeypatch):
    from debruijn_gpu.backends.kmers.cuda import run_counting

    plain, lengths = run_counting.in_groups, []

    def fail_if_long(kmers, n_words):
        lengths.append(kmers.size // n_words)
        if lengths[-1] > 30:
            raise OutOfMemoryError("no room", "none")
        return plain(kmers, n_words)

    monkeypatch.setattr(run_counting, "in_groups", fail_if_long)
    with tuned(shortest_kmer_run=10):
        check(cuda, some_reads(33), 33)
    assert lengths[0] > 30 >= lengths[-1]
    with tuned(shortest_kmer_run=1000), pytest.raises(OutOfMemoryError):
        check(cuda, some_reads(33), 33)


def test_runs_do_not_get_shorter_for_ever(cuda, monkeypatch):
    from debruijn_gpu.backends.kmers.cuda import run_counting

    tries = []

    def fail(kmers, n_words):
        tries.append(kmers.size)
        raise OutOfMemoryError("no room", "none")

    monkeypatch.setattr(run_counting, "in_groups", fail)
    with tuned(shortest_kmer_run=1), pytest.raises(OutOfMemoryError):
        check(cuda, some_reads(33), 33)
    assert len(tries) == run_counting._MOST_TRIES


@pytest.mark.parametrize("k", [33, 95, 127, 129, 255])
@pytest.mark.parametrize("mask", [0, 1, 1 << 63])
def test_different_kmers_with_one_hash(cuda, k, mask):
    with tuned(hash_mask=mask):
        check(cuda, some_reads(k), k)


@pytest.mark.parametrize("k", [33, 63, 127, 129, 255])
def test_one_sort_by_hash_is_enough(cuda, monkeypatch, k):
    from debruijn_gpu.backends.kmers.cuda import grouping

    monkeypatch.setattr(grouping, "sorted_codes", None)
    check(cuda, some_reads(k), k)


def counted_kmers(cuda, counts, k):
    from debruijn_gpu.backends.kmers.cuda.counting import Counted

    codes = codes_of(sorted(counts))
    numbers = np.array([counts[kmer] for kmer in sorted(counts)], np.uint32)
    return Counted(cuda.to_device(codes), cuda.to_device(numbers))


@pytest.mark.parametrize("k", [5, 33])
def test_merged_counts_saturate(cuda, k):
    from debruijn_gpu.backends.kmers.cuda.counting import Tally, count_runs, merged

    a, b, c, d = (letter * k for letter in "ACGT")
    first = counted_kmers(cuda, {a: 2**32 - 2, b: 1, d: 70_000}, k)
    second = counted_kmers(cuda, {a: 1, b: 2**32 - 1, c: 3, d: 1}, k)
    both = merged(first, second)
    assert kmers_of(cuda.to_host(both.codes), k) == [a, b, c, d]
    assert cuda.to_host(both.counts).tolist() == [2**32 - 1, 2**32 - 1, 3, 70_001]
    tally = Tally(3 * 2**16)
    kept = count_runs(both.codes, both.counts, 4, tally)
    assert kmers_of(cuda.to_host(kept.codes), k) == [a, b, d]
    histogram, large = tally.on_host()
    assert (np.flatnonzero(histogram).tolist(), histogram[3]) == ([3], 1)
    assert large.tolist() == [70_001, 2**32 - 1, 2**32 - 1]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 40, 300, 1100])
def test_long_runs_between_others(cuda, n):
    from debruijn_gpu.backends.kmers.cuda.counting import Tally, count_runs

    codes = np.array([[0, *[5] * n, 6, 7, 7]], np.uint64)
    tally = Tally(codes.size)
    found = count_runs(cuda.to_device(codes), None, 1, tally)
    assert cuda.to_host(found.codes).tolist() == [[0, 5, 6, 7]]
    assert cuda.to_host(found.counts).tolist() == [1, n, 1, 2]
    assert np.array_equal(tally.on_host()[0], np.bincount([1, n, 1, 2], minlength=1 << 16))


@pytest.mark.parametrize("share", [0.0, 1e-7])
def test_reads_beyond_the_device_stay_outside(cuda, tune, tmp_path, share):
    reads = some_reads(31)
    tune(device_reads_share=share, reads_share=1e-8)
    run = RunOptions(backend="cpu", threads=2, tmp_dir=tmp_path)
    batches = batches_of(cuda, reads, 4)
    store = cuda.reads.read_store(batches, run)
    assert counted(cuda, store, 31)[0] == naive.count(reads, 31)
    for one, other in zip(store, batches, strict=True):
        assert np.array_equal(cuda.to_host(one.bases), cuda.to_host(other.bases))
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_is_an_error(cuda, monkeypatch):
    from debruijn_gpu.backends.kmers.cuda import run_counting

    def fail(kmers, n_words):
        raise MemoryError

    monkeypatch.setattr(run_counting, "in_groups", fail)
    with pytest.raises(OutOfMemoryError, match="Out of GPU memory: count_kmers needs more than there is"):
        check(cuda, some_reads(31), 31)
