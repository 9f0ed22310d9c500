"""K-mers by partition: each partition holds what has an end in it, and counting into partitions loses nothing."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.kmers.partitions import HeldPartitions, KmerPartitions
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of, codes_of, kmers_of, random_sequence, table_of
from tests.naive import kmers as naive

RUN = RunOptions(threads=2)
CPU = backends.load(RunOptions(backend="cpu", threads=2))


def as_dict(table, backend=CPU) -> dict[str, int]:
    table = table.moved(backend.to_host)
    return dict(zip(kmers_of(table.codes, table.k), table.counts.tolist(), strict=True))


def expected_in(counts: dict[str, int], k: int, partition: int, n: int, backend) -> dict[str, int]:
    """Those with an end in a partition."""
    if not counts:
        return {}
    ends = backend.to_host(backend.kmers.end_partitions(backend.to_device(codes_of(list(counts))), k, n))
    is_there = (ends.reshape(-1, 2) == partition).any(axis=1)
    return {kmer: count for (kmer, count), there in zip(counts.items(), is_there, strict=True) if there}


@pytest.mark.cuda
@pytest.mark.parametrize("k", [3, 21, 33, 65])
@pytest.mark.parametrize("share", [0.0, 0.25])
def test_each_partition_holds_the_kmers_with_an_end_in_it(backend, k, share, tune):
    tune(partitions_share=share, partitioned_kmers=7)
    rng = np.random.default_rng(k)
    counts = dict(naive.count([random_sequence(rng, k + (12 if is_simulated() else 90))], k))
    table = table_of(counts, k).moved(backend.to_device)
    for n, are_next in ((1, True), (3, True), (5, False)):
        partitions = KmerPartitions(k, n, RUN, backend)
        partitions.add(table.codes, table.counts, are_next=are_next)
        for i in range(n):
            loaded = partitions.load(i)
            assert list(as_dict(loaded, backend)) == sorted(as_dict(loaded, backend))
            assert as_dict(loaded, backend) == expected_in(counts, k, i, n, backend)
        assert len(partitions) == len(counts)
        partitions.close()


@pytest.mark.cuda
def test_partitions_may_be_empty(backend):
    table = table_of({"AAACC": 2}, 5).moved(backend.to_device)
    for codes, counts in ((table.codes, table.counts), (table.codes[:, :0], table.counts[:0])):
        partitions = KmerPartitions(5, 9, RUN, backend)
        partitions.add(codes, counts)
        found = [as_dict(partitions.load(i), backend) for i in range(9)]
        assert found.count({}) >= 9 - 2 * len(counts)
        assert all(one in ({}, {"AAACC": 2}) for one in found)


def counted_in_partitions(reads, k, min_count=1, choose=None, n=3, limit=0):
    batches = [batch_of(reads)]
    return count_kmers(
        batches,
        CountOptions(k=k, min_count=min_count),
        RUN,
        CPU,
        choose_min_count=choose,
        choose_partitions=lambda n_kmers: n if n_kmers > limit else 0,
    )


@pytest.mark.parametrize("least", [1, 2, 3])
@pytest.mark.parametrize("is_chosen", [False, True])
def test_counting_into_partitions_keeps_what_a_table_holds(least, is_chosen):
    """With a chosen minimum count of 1, k-mers are counted twice."""
    rng = np.random.default_rng(least)
    genome = random_sequence(rng, 300)
    reads = [genome[i : i + 60] for i in rng.integers(0, 240, 20)]
    counts = {kmer: count for kmer, count in naive.count(reads, 15).items() if count >= least}
    chosen = (lambda _multiplicity, _frequency: least) if is_chosen else None
    found = counted_in_partitions(reads, 15, least, chosen)
    assert found.table is None
    assert len(found.partitions) == len(counts)
    for i in range(3):
        assert as_dict(found.partitions.load(i)) == expected_in(counts, 15, i, 3, CPU)


def test_few_kmers_make_a_table():
    found = counted_in_partitions(["ACGTTGCATTGCAGT"], 5, limit=100)
    assert found.partitions is None
    assert len(found.table) == len(naive.count(["ACGTTGCATTGCAGT"], 5))


def test_added_kmers_are_not_in_the_partitions_before():
    """Nor are they filtered."""
    found = counted_in_partitions(["ACGTTGCATTGCAGT", "ACGTTGCATTG"], 9, min_count=2).partitions
    before = {kmer: count for i in range(3) for kmer, count in as_dict(found.load(i)).items()}
    more = table_of({"AAAAAAAAC": 1}, 9)
    extended = found.extended([(more.codes, more.counts)], CPU)
    after = {kmer: count for i in range(3) for kmer, count in as_dict(extended.load(i)).items()}
    assert after == {**before, "AAAAAAAAC": 1}
    assert len(extended) == len(found) + 1
    assert before == {kmer: count for i in range(3) for kmer, count in as_dict(found.load(i)).items()}


def test_held_partitions_hold_each_kmer_once():
    rng = np.random.default_rng(5)
    reads = [random_sequence(rng, 200)]
    held = HeldPartitions(counted_in_partitions(reads, 11).partitions)
    tables = list(held.parts(0, CPU))
    assert len(tables) > 1
    assert sum(map(len, tables)) == len(naive.count(reads, 11))
    assert {kmer: count for table in tables for kmer, count in as_dict(table).items()} == naive.count(reads, 11)
