"""Counting against a dictionary."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.errors import NothingToAssembleError, OutOfMemoryError, ParameterError
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.options import COUNT_MAX, CountOptions
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned
from tests.helpers import batch_of, codes_of, first_quick, kmers_of, n_examples, random_sequence, with_operations
from tests.naive import kmers as naive

#: One to eight words and the edges between them; 28 and each 32 more fill the words of a super-k-mer.
KS = (
    1,
    2,
    3,
    4,
    5,
    17,
    28,
    31,
    32,
    33,
    39,
    60,
    63,
    64,
    65,
    92,
    95,
    96,
    97,
    124,
    126,
    127,
    129,
    188,
    191,
    193,
    224,
    255,
)
#: Among which Hypothesis chooses
ANY_K = st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8, 28, 31, 32, 33, 60, 63, 64, 65])


@st.composite
def reads_with_palindromes(draw):
    """Reads, some of them followed by their own reverse complement."""
    found = []
    for read in draw(st.lists(st.text("ACGTN", max_size=70), max_size=8)):
        half = draw(st.text("ACGT", max_size=40))
        found.append(read + half + naive.reverse_complement(half))
    return found


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
    palindrome = genome[:80] + naive.reverse_complement(genome[:80])
    broken = found[1][:90] + "N" + found[1][91:]
    return [*found, naive.reverse_complement(found[0]), broken, palindrome, palindrome, "A" * 400, "", "ACG", "N"]


@pytest.mark.slow
@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("canonical", [True, False])
def test_counts_are_those_of_a_dictionary(reads, k, canonical):
    result = counted(reads, CountOptions(k=k, canonical=canonical), n_batches=3)
    expected = naive.count(reads, k, canonical)
    assert as_dict(result.table) == expected
    assert kmers_of(result.table.codes, k) == sorted(expected)
    assert result.n_kmers == sum(expected.values()) == int((result.multiplicity * result.frequency).sum())
    assert result.n_reads == len(reads)
    assert result.n_bases == sum(map(len, reads))


@pytest.mark.slow
@settings(max_examples=n_examples(300))
@given(
    reads=reads_with_palindromes(),
    k=ANY_K,
    canonical=st.booleans(),
    min_count=st.integers(1, 3),
    n_batches=st.integers(1, 3),
    on_disk=st.booleans(),
)
def test_any_reads_at_any_k(reads, k, canonical, min_count, n_batches, on_disk):
    options = CountOptions(k=k, canonical=canonical, min_count=min_count)
    expected = naive.count(reads, k, canonical)
    with tuned(super_kmers_share=1e-9) if on_disk else nullcontext():
        if max(map(len, reads), default=0) < k:
            has_bases = bool(set("".join(reads).upper()) & set("ACGT"))
            with pytest.raises(ParameterError if has_bases else NothingToAssembleError):
                counted(reads, options, n_batches)
            return
        result = counted(reads, options, n_batches)
    assert as_dict(result.table) == {kmer: n for kmer, n in expected.items() if n >= min_count}
    assert kmers_of(result.table.codes, k) == sorted(as_dict(result.table))
    occurrences = Counter(expected.values())
    assert dict(zip(result.multiplicity.tolist(), result.frequency.tolist(), strict=True)) == occurrences
    assert result.n_kmers == sum(expected.values())


@pytest.mark.parametrize("as_iterator", [True, False])
@pytest.mark.parametrize("n_batches", [1, 2, 3])
def test_reads_shorter_than_k_are_an_error(as_iterator, n_batches):
    batches = [batch_of(reads) for reads in (["ACG", ""], ["ACGTACGTAC"], ["NNNNNNN"])[:n_batches]]
    longest = 3 if n_batches == 1 else 10
    with pytest.raises(ParameterError, match=f"^k is 11, but the longest read has {longest} bases$"):
        count_kmers(iter(batches) if as_iterator else batches, CountOptions(k=11), RUN, backends.load(RUN))


def test_no_reads_are_an_error():
    with pytest.raises(NothingToAssembleError, match="the input holds no reads"):
        count_kmers(iter([batch_of([])]), CountOptions(k=11), RUN, backends.load(RUN))


def test_reads_of_ambiguous_bases_have_an_empty_table():
    result = counted(["N" * 40, "ACGTNACG"], CountOptions(k=5))
    assert (len(result.table), result.n_kmers, result.n_reads) == (0, 0, 2)


def test_min_count_filters_the_table_but_not_the_spectrum(reads):
    result = counted(reads, CountOptions(k=21, min_count=3))
    expected = naive.count(reads, 21)
    assert as_dict(result.table) == {kmer: n for kmer, n in expected.items() if n >= 3}
    assert result.frequency.sum() == len(expected)


@pytest.mark.parametrize("chosen", [1, 2, 4])
def test_min_count_chosen_from_the_spectrum(reads, chosen):
    seen = []

    def choose(multiplicity, frequency):
        seen.append(dict(zip(multiplicity.tolist(), frequency.tolist(), strict=True)))
        return chosen

    result = counted(reads, CountOptions(k=21), choose_min_count=choose)
    expected = naive.count(reads, 21)
    assert as_dict(result.table) == {kmer: n for kmer, n in expected.items() if n >= chosen}
    assert sum(seen[0].values()) == len(expected)


def test_counts_beyond_the_dense_histogram():
    result = counted(["A" * 70_002, "C" * 300], CountOptions(k=3))
    assert as_dict(result.table) == {"AAA": 70_000, "CCC": 298}
    assert result.multiplicity.tolist() == [298, 70_000]


@pytest.mark.slow
def test_many_distinct_kmers_make_the_tables_grow():
    rng = np.random.default_rng(2)
    reads = [random_sequence(rng, 150_000)]
    assert as_dict(counted(reads, CountOptions(k=33)).table) == naive.count(reads, 33)


def test_a_sample_has_exact_counts_of_some_kmers(reads):
    whole = as_dict(counted(reads, CountOptions(k=21)).table)
    part = as_dict(counted(reads, CountOptions(k=21), sample=0.25).table)
    assert 0 < len(part) < len(whole)
    assert part.items() <= whole.items()


@tuned(super_kmers_share=1e-9)
def test_beyond_the_memory_budget_buckets_go_to_disk(reads, tmp_path):
    run = RunOptions(backend="cpu", threads=2, tmp_dir=tmp_path)
    result = counted(reads, CountOptions(k=21), n_batches=4, run=run)
    assert as_dict(result.table) == naive.count(reads, 21)
    assert list(tmp_path.iterdir()) == []


@tuned(distinct_kmers_share=1e-9)
def test_too_many_distinct_kmers_are_an_error(reads):
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


class _Counted:
    """A store whose counts are given."""

    n_reads, n_bases, n_kmers, n_parts = 1, 1 << 40, 1 << 40, 1

    def __init__(self, part):
        self._part = part

    def fill(self, batches):
        """Read nothing."""

    def counted(self, _min_count, are_kept=True):
        yield self._part

    def close(self):
        """Nothing is held."""


@pytest.mark.parametrize(("n_saturated", "said"), [(0, ""), (1, "1 k-mer occurs at least"), (2, "2 k-mers occur at")])
def test_counts_that_saturate_are_reported(caplog, n_saturated, said):
    backend = backends.load(RUN)
    counts = np.array([5, 70_000, *[COUNT_MAX] * n_saturated], np.uint32)
    part = CountedKmers(codes_of(["AC", "AG", "CC", "GA"][: len(counts)]), counts, np.bincount([5]), counts[1:])
    other = with_operations(backend, "kmers", kmer_store=lambda *_args: _Counted(part))
    found = count_kmers([], CountOptions(k=2), RUN, other)
    assert found.table.counts.tolist() == counts.tolist()
    assert found.multiplicity.tolist() == [5, 70_000, COUNT_MAX][: 2 + bool(n_saturated)]
    assert found.frequency[-1] == max(1, n_saturated)
    assert [said in message for message in caplog.messages if "2^32 - 1 = 4294967295" in message] == [True] * bool(said)


@pytest.mark.parametrize("k", [5, 33])
def test_merged_counts_saturate(k):
    a, b, c, d = (letter * k for letter in "ACGT")
    parts = [{a: COUNT_MAX - 1, b: 1, d: 70_000}, {a: 1, b: COUNT_MAX, c: 3, d: 1}]
    merged = backends.load(RUN).kmers.merge_kmers(
        [(codes_of(list(part)), np.array(list(part.values()), np.uint32)) for part in parts], k
    )
    assert kmers_of(merged[0], k) == [a, b, c, d]
    assert merged[1].tolist() == [COUNT_MAX, COUNT_MAX, 3, 70_001]


@pytest.mark.parametrize("min_count", first_quick([2, 1, 40, 70_000]))
def test_output_is_as_large_as_the_distinct_kmers(tune, min_count):
    """Where there are too many occurrences to promise room for as many distinct k-mers."""
    rng = np.random.default_rng(1)
    reads = ["A" * 70_020, *(random_sequence(rng, 300) for _ in range(20)), "ACGGT" * 100]
    tune(sorted_bases=0)
    found = []
    for promised in (1 << 26, 0):
        tune(promised_kmers=promised)
        backend = backends.load(RUN)
        found.append(count_kmers([batch_of(reads)], CountOptions(k=21, min_count=min_count), RUN, backend))
    one, other = found
    assert one.table.codes.tolist() == other.table.codes.tolist()
    assert one.table.counts.tolist() == other.table.counts.tolist()
    assert one.multiplicity.tolist() == other.multiplicity.tolist()
    assert one.frequency.tolist() == other.frequency.tolist()
