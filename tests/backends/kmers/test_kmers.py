"""Stores of reads and of k-mers, on each backend, against a dictionary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned, tuning
from tests.helpers import batch_of, first_quick, kmers_of, random_sequence
from tests.naive import kmers as naive

pytestmark = pytest.mark.cuda

#: one to eight words, and the edges between them
KS = (1, 2, 3, 4, 21, 28, 31, 32, 33, 63, 64, 65, 95, 96, 97, 126, 127, 128, 129, 191, 193, 255)
RUN = RunOptions(backend="cpu", threads=2)
DENSE = 1 << 16


def batches_of(backend, reads, n_batches=1):
    return [batch_of(reads[i::n_batches]).moved(backend.to_device) for i in range(n_batches)]


def counted(backend, batches, k, *, canonical=True, min_count=1, kept_from=1, **keywords):
    """The concatenated k-mers as a dictionary in their order, the histogram, the large counts, and the closed store."""
    store = backend.kmers.kmer_store(k, canonical, RUN, **keywords)
    store.fill(batches)
    parts = list(store.counted(min_count))
    assert len(parts) == store.n_parts
    histogram = np.zeros(DENSE, np.int64)
    for part in parts:
        histogram[: len(part.histogram)] += part.histogram
    large = np.concatenate([part.large_counts for part in parts])
    store.close()
    codes, counts = map(backend.to_host, backend.kmers.concatenate_counted(parts, k, kept_from))
    assert (codes.dtype, counts.dtype) == (np.uint64, np.uint32)
    assert not parts
    return dict(zip(kmers_of(codes, k), map(int, counts), strict=True)), histogram, large, store


def check(backend, reads, k, **settings):
    for sorted_bases in {0, tuning().sorted_bases if backend.is_sequential else 0}:
        with tuned(sorted_bases=sorted_bases):
            check_one_way(backend, reads, k, **settings)


def check_one_way(backend, reads, k, *, canonical=True, min_count=1, n_batches=1):
    expected = naive.count(reads, k, canonical)
    batches = batches_of(backend, reads, n_batches)
    found, histogram, large, store = counted(
        backend, batches, k, canonical=canonical, min_count=min_count, kept_from=min_count
    )
    kept = {kmer: n for kmer, n in expected.items() if n >= min_count}
    assert found == kept
    assert list(found) == sorted(kept)
    low = [n for n in expected.values() if n < DENSE]
    assert np.array_equal(histogram, np.bincount(low, minlength=DENSE))
    assert sorted(large) == sorted(n for n in expected.values() if n >= DENSE)
    assert (store.n_reads, store.n_bases) == (len(reads), sum(map(len, reads)))
    assert store.n_kmers == sum(expected.values())


def some_reads(k, seed=1):
    """Reads that overlap, in both strands, with an ambiguous base, some too short, and poly-A."""
    rng = np.random.default_rng(seed)
    genome = random_sequence(rng, k + 40)
    reads = [genome[: k + 15], naive.reverse_complement(genome[5 : k + 20]), genome[10:], genome[:k], genome[: k - 1]]
    palindrome = genome[:k] + naive.reverse_complement(genome[:k])
    return [*reads, genome[: k + 3] + "N" + genome[2 : k + 9], palindrome, "A" * (k + 20), "", "N", "ACG"]


@pytest.mark.slow
@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("canonical", [True, False])
def test_counts_are_those_of_a_dictionary(backend, k, canonical):
    check(backend, some_reads(k), k, canonical=canonical, n_batches=2)


@pytest.mark.parametrize("k", [5, 63])
@pytest.mark.parametrize("min_count", [2, 3, 2**32 - 1])
def test_rare_kmers_are_only_in_the_histogram(backend, k, min_count):
    check(backend, some_reads(k), k, min_count=min_count)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    reads=st.lists(st.text("ACGTN", max_size=30), max_size=6),
    k=st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8, 21]),
    n_batches=st.integers(1, 3),
    canonical=st.booleans(),
)
def test_any_reads(backend, reads, k, n_batches, canonical):
    check(backend, reads, k, canonical=canonical, n_batches=n_batches)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 31, 32, 33, 63, 64, 65, 255, 256, 257, 300])
def test_any_number_of_kmers(backend, n):
    reads = [random_sequence(np.random.default_rng(n), n + 4)]
    check(backend, reads, 5)
    check(backend, [reads[0][:n]] * 2, 5)


@pytest.mark.parametrize("reads", [[], [""], ["", "", "ACGTACG"], ["NNNN", "ACGTACG"], ["ACGTACG", ""], ["ACNGT"] * 9])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_odd_reads(backend, reads, k):
    check(backend, reads, k)


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("k", first_quick([32, 7, 12, 31]))
def test_sorting_counts_as_hash_tables_do(k, canonical):
    """Buckets of few, many and equal k-mers, and cells that are sorted alone."""
    rng = np.random.default_rng(k)
    unit = random_sequence(rng, 3000)
    alike = "".join(unit[:20] + random_sequence(rng, 15) for _ in range(300))
    reads = [random_sequence(rng, 60_000), unit * 3, alike, "A" * 70_000, "AC" * 30_000, "N", unit[::-1] + "N" + unit]
    found = []
    for sorted_bases in (0, 1 << 20):
        with tuned(sorted_bases=sorted_bases):
            found.append(
                counted(backends.host(), batches_of(backends.host(), reads, 3), k, canonical=canonical, min_count=2)[:3]
            )
    (kmers, histogram, large), (other_kmers, other_histogram, other_large) = found
    assert list(kmers.items()) == list(other_kmers.items())
    assert histogram.tolist() == other_histogram.tolist()
    assert sorted(large) == sorted(other_large)
    assert len(large) > 0


def test_no_batches(backend):
    found, histogram, large, store = counted(backend, [], 31)
    assert (found, histogram.sum(), large.size, store.n_kmers) == ({}, 0, 0, 0)


def test_counting_again_and_joining_with_another_smallest_count(backend):
    reads = some_reads(33)
    expected = naive.count(reads, 33)
    store = backend.kmers.kmer_store(33, True, RUN)
    store.fill(batches_of(backend, reads, 2))
    for min_count, kept_from in ((2, 3), (1, 1), (1, 2)):
        codes, counts = map(
            backend.to_host, backend.kmers.concatenate_counted(list(store.counted(min_count)), 33, kept_from)
        )
        kept = {kmer: n for kmer, n in expected.items() if n >= kept_from}
        assert kmers_of(codes, 33) == sorted(kept)
        assert counts.tolist() == [kept[kmer] for kmer in sorted(kept)]
    store.close()


@pytest.mark.parametrize("k", [15, 21, 32, 41])
def test_a_sample_is_the_same_on_every_backend(backend, k):
    from debruijn_gpu.backends.cpu import CPU

    reads = some_reads(k, seed=k)
    for n_bases_expected in (0, 10**10):
        options = {"sample": 0.3, "n_bases_expected": n_bases_expected}
        found, histogram, _, store = counted(backend, batches_of(backend, reads), k, **options)
        expected, expected_histogram, _, expected_store = counted(CPU, batches_of(CPU, reads), k, **options)
        assert found == expected
        assert 0 < len(found) < len(naive.count(reads, k))
        assert np.array_equal(histogram, expected_histogram)
        assert store.n_kmers == expected_store.n_kmers


def test_reads_are_kept_in_order_and_given_again(backend):
    batches = batches_of(backend, some_reads(21), 3)
    store = backend.reads.read_store(iter(batches), RUN)
    for _ in range(2):
        found = list(store)
        assert len(found) == 3
        for one, other in zip(found, batches, strict=True):
            for name in ("bases", "offsets", "ambiguous_positions"):
                assert np.array_equal(*(backend.to_host(getattr(batch, name)) for batch in (one, other)))
    assert counted(backend, store, 21)[0] == naive.count(some_reads(21), 21)
    assert len(list(store)) == 3  # whoever made the store closes it
    store.close()


def split_batches(backend, reads, n_repeated, length):
    """Reads in batches of some bases; a read that continues in the next batch repeats its last bases there."""
    batches = []
    for read in reads:
        start = 0
        while start == 0 or start + n_repeated < len(read):
            repeated = n_repeated if start else 0
            batches.append(replace(batch_of([read[start : start + length]]), n_repeated=repeated))
            start += length - n_repeated
    return [batch.moved(backend.to_device) for batch in batches]


@pytest.mark.parametrize(("k", "n_repeated"), [(5, 4), (5, 20), (21, 20), (3, 64), (3, 66), (3, 70)])
def test_reads_split_between_batches_count_once(backend, k, n_repeated):
    reads = [random_sequence(np.random.default_rng(k), 90), "ACGTA", "ACGNN" * 16]
    batches = split_batches(backend, reads, n_repeated, n_repeated + 8)
    assert len(batches) > len(reads)
    store = backend.reads.read_store(iter(batches), RUN)
    for source in (batches, store):
        found, _, _, counts = counted(backend, source, k)
        assert found == naive.count(reads, k)
        assert (counts.n_reads, counts.n_bases) == (len(reads), sum(map(len, reads)))
    store.close()
