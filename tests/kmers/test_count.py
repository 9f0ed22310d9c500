"""Counting against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debruijn_gpu import backends
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.options import CountOptions, RunOptions
from tests.helpers import batch_of, kmers_of, random_sequence
from tests.naive import kmers as naive

#: one, two, three and four words, and the edges between them
KS = (3, 5, 17, 31, 33, 39, 63, 65, 95, 97, 127)

RUN = RunOptions(backend="cpu", threads=2)


def counted(reads: list[str], options: CountOptions, n_batches: int = 1, run: RunOptions = RUN, **keywords):
    batches = [batch_of(reads[i::n_batches]) for i in range(n_batches)]
    return count_kmers(batches, options, run, backends.load(run), **keywords)


def as_dict(table) -> dict[str, int]:
    return dict(zip(kmers_of(table.codes, table.k), map(int, table.counts), strict=True))


@pytest.fixture
def reads() -> list[str]:
    rng = np.random.default_rng(1)
    genome = random_sequence(rng, 900)
    found = [genome[i : i + 200] for i in rng.integers(0, 700, 30)]
    return [*found, naive.reverse_complement(found[0]), found[1][:90] + "N" + found[1][91:], "A" * 400, "", "ACG", "N"]


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("canonical", [True, False])
def test_counts_are_those_of_a_dictionary(reads, k, canonical):
    result = counted(reads, CountOptions(k=k, canonical=canonical), n_batches=3)
    expected = naive.count(reads, k, canonical)
    assert as_dict(result.table) == expected
    assert kmers_of(result.table.codes, k) == sorted(expected)
    assert result.n_kmers == sum(expected.values()) == int((result.multiplicities * result.numbers).sum())
    assert result.n_reads == len(reads)
    assert result.n_bases == sum(map(len, reads))


@settings(max_examples=60)
@given(
    reads=st.lists(st.text("ACGTN", max_size=60), max_size=12),
    k=st.sampled_from([3, 5, 7, 31, 33]),
    n_batches=st.integers(1, 3),
)
def test_any_reads(reads, k, n_batches):
    result = counted(reads, CountOptions(k=k), n_batches)
    assert as_dict(result.table) == naive.count(reads, k)


def test_min_count_filters_the_table_but_not_the_spectrum(reads):
    result = counted(reads, CountOptions(k=21, min_count=3))
    expected = naive.count(reads, 21)
    assert as_dict(result.table) == {kmer: n for kmer, n in expected.items() if n >= 3}
    assert result.numbers.sum() == len(expected)


@pytest.mark.parametrize("chosen", [1, 2, 4])
def test_min_count_chosen_from_the_spectrum(reads, chosen):
    seen = []

    def choose(multiplicities, numbers):
        seen.append(dict(zip(multiplicities.tolist(), numbers.tolist(), strict=True)))
        return chosen

    result = counted(reads, CountOptions(k=21), choose_min_count=choose)
    expected = naive.count(reads, 21)
    assert as_dict(result.table) == {kmer: n for kmer, n in expected.items() if n >= chosen}
    assert sum(seen[0].values()) == len(expected)


def test_counts_beyond_the_dense_histogram():
    result = counted(["A" * 70_002, "C" * 300], CountOptions(k=3))
    assert as_dict(result.table) == {"AAA": 70_000, "CCC": 298}
    assert result.multiplicities.tolist() == [298, 70_000]


def test_many_distinct_kmers_make_the_tables_grow():
    rng = np.random.default_rng(2)
    reads = [random_sequence(rng, 150_000)]
    assert as_dict(counted(reads, CountOptions(k=33)).table) == naive.count(reads, 33)


def test_a_sample_has_exact_counts_of_some_kmers(reads):
    whole = as_dict(counted(reads, CountOptions(k=21)).table)
    part = as_dict(counted(reads, CountOptions(k=21), sample=0.25).table)
    assert 0 < len(part) < len(whole)
    assert part.items() <= whole.items()


def test_beyond_the_memory_budget_buckets_go_to_disk(reads, tmp_path, monkeypatch):
    monkeypatch.setattr("debruijn_gpu.backends.cpu.kmer_stores._STORE_SHARE", 1e-9)
    run = RunOptions(backend="cpu", threads=2, tmp_dir=tmp_path)
    result = counted(reads, CountOptions(k=21), n_batches=4, run=run)
    assert as_dict(result.table) == naive.count(reads, 21)
    assert list(tmp_path.iterdir()) == []


def test_too_many_distinct_kmers_are_an_error(reads, monkeypatch):
    monkeypatch.setattr("debruijn_gpu.backends.cpu.kmer_stores._TABLE_SHARE", 1e-9)
    with pytest.raises(OutOfMemoryError, match="Out of memory: the distinct k-mers take about"):
        counted(reads, CountOptions(k=21))


def test_a_budget_below_what_the_program_takes_is_an_error(reads):
    run = RunOptions(backend="cpu", threads=1, memory="1K")
    with pytest.raises(OutOfMemoryError, match=r"Out of memory: a budget of 1\.0 KiB"):
        counted(reads, CountOptions(k=21), run=run)


def test_threads_and_batches_change_nothing(reads):
    results = [
        counted(reads, CountOptions(k=31), n_batches, RunOptions(threads=threads)).table
        for n_batches, threads in ((1, 1), (5, 2), (2, 4))
    ]
    for table in results[1:]:
        assert np.array_equal(table.codes, results[0].codes)
        assert np.array_equal(table.counts, results[0].counts)


@pytest.mark.parametrize("n_bases_expected", [0, 10**9, 10**12])
def test_the_number_of_buckets_changes_nothing(reads, n_bases_expected):
    result = counted(reads, CountOptions(k=31), 2, n_bases_expected=n_bases_expected)
    assert as_dict(result.table) == naive.count(reads, 31)
