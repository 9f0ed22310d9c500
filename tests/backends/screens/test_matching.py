"""Matching k-mers of reads against indexed sequences, against a slow twin, on every backend at hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.screens.sizes import filter_length, n_filter_words, n_slots, slot_dtype
from tests.helpers import batch_of, n_examples, random_sequence
from tests.naive import screens as naive
from tests.naive.kmers import reverse_complement

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(200),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)


def index_of(backend, sequences, k, filter_bp=None, gap=3):
    """Index sequences with bases of no sequence between them."""
    parts = [one for one in sequences if len(one) >= k]
    batch = batch_of([one + "A" * gap for one in parts])
    starts = batch.offsets.copy()
    stops = starts[:-1] + np.array([len(one) for one in parts], np.int64)
    arrays = map(backend.to_device, (batch.bases, starts, stops))
    return backend.screens.index_sequences(*arrays, k, filter_bp or filter_length(k, int(starts[-1])))


def matched(backend, index, reads):
    """Positions within each read of the k-mers that are in the index."""
    batch = batch_of(reads)
    found = backend.to_host(backend.screens.match_reads(batch.moved(backend.to_device), index))
    assert found.dtype == np.int64
    assert (np.diff(found[0]) > 0).all()
    assert (found[1] > 0).all()
    positions = [first + i for first, n, _at in found.T.tolist() for i in range(n)]
    offsets = batch.offsets.tolist()
    return [
        [position - start for position in positions if start <= position < stop] for start, stop in pairwise(offsets)
    ]


def check(backend, references, reads, k, **options):
    index = index_of(backend, references, k, **options)
    assert matched(backend, index, reads) == [naive.matched_kmers(references, read, k) for read in reads]


texts = st.text("AC", max_size=24) | st.text("ACGT", max_size=24)


@few
@given(references=st.lists(texts, max_size=4), data=st.data(), k=st.integers(1, 8), filter_bp=st.integers(1, 8))
def test_matched_kmers_are_those_of_the_references(backend, references, data, k, filter_bp):
    whole = "".join(references)
    cuts = data.draw(st.lists(st.tuples(st.integers(0, len(whole)), st.integers(0, 20), st.booleans()), max_size=3))
    reads = [whole[start : start + n] for start, n, _strand in cuts]
    reads = [reverse_complement(r) if c[2] else r for r, c in zip(reads, cuts, strict=True)]
    reads += data.draw(st.lists(st.text("ACGTN", max_size=24) | st.text("ACN", max_size=24), max_size=3))
    check(backend, references, reads, k, filter_bp=min(k, filter_bp))


@pytest.mark.parametrize("k", [1, 2, 16, 31, 32, 33, 64, 65, 200, 255])
def test_every_k(backend, k):
    rng = np.random.default_rng(k)
    reference = random_sequence(rng, k + (8 if is_simulated() else 90))
    changed = reference[: k // 2] + "ACGT"["CGTA".index(reference[k // 2])] + reference[k // 2 + 1 :]
    reads = [changed, reverse_complement(reference), reference[:k] + "N" + reference[k + 1 :]]
    if is_simulated():
        reads = reads[:1] if k > 20 else reads
    check(backend, [reference], [*reads, "", reference[: k - 1]], k)


@pytest.mark.parametrize("filter_bp", [1, 4, 9, 14, 15])
def test_matches_do_not_depend_on_the_filter(backend, filter_bp):
    rng = np.random.default_rng(3)
    n = 40 if is_simulated() else 3000
    reference = random_sequence(rng, n)
    letters = np.array(list(reference))
    letters[rng.random(n) < 0.04] = "C"
    reads = ["".join(letters[:n]), reverse_complement("".join(letters)), random_sequence(rng, n)]
    check(backend, [reference], reads[: 1 if is_simulated() else 3], 15, filter_bp=filter_bp)


@pytest.mark.parametrize("k", [4, 6])
def test_palindromes_match(backend, k):
    check(backend, ["ACGTACGTTTAAATTT", "GGGCCC"], ["ACGTACGT", "AAATTT", "GGGCCCC", "TTTAAA"], k)


def test_no_sequences_and_no_reads(backend):
    check(backend, ["ACGTTGCA"], [], 5)
    check(backend, [], ["GGGGGGGGG", ""], 5)
    check(backend, ["", "ACG"], ["ACGGT", "ACG"], 5)


def test_kmers_across_sequences_and_between_them_are_absent(backend):
    check(backend, ["ACCGT", "TTGCA"], ["ACCGTTTGCA", "ACCGTAAATTGCA"], 5, gap=3)
    check(backend, ["ACCGT", "TTGCA"], ["ACCGTTTGCA", "CGTTT"], 5, gap=0)


def test_bases_before_the_first_sequence_are_of_none(backend):
    before, reference = "GGATCCATTACG", "ACCGTTGC"
    batch = batch_of([before + reference])
    starts, stops = np.array([len(before), batch.n_bases], np.int64), np.array([batch.n_bases], np.int64)
    index = backend.screens.index_sequences(*map(backend.to_device, (batch.bases, starts, stops)), 5, 5)
    reads = [before, reference, before + reference]
    assert matched(backend, index, reads) == [naive.matched_kmers([reference], read, 5) for read in reads]
    found = backend.to_host(backend.screens.representatives(index))
    assert found.tolist() == [-1] * 12 + [12, 13, 14, 15] + [-1] * 4


@pytest.mark.slow  # compiles kernels for tables that only large inputs need
def test_slots_of_64_bits(backend):
    """As for more than 2^32 bases."""
    reference = random_sequence(np.random.default_rng(3), 40)
    index = index_of(backend, [reference], 31)
    wide = type(index)(**{**vars(index), "slots": index.slots.astype(np.uint64)})
    assert matched(backend, wide, [reference[2:]]) == [list(range(8 - 1 + 1))[: 38 - 31 + 1]]


def test_sizes_of_tables():
    assert [n_slots(n) for n in (0, 21, 22, 1 << 20)] == [64, 64, 128, (3 << 20) + 64]
    assert [n_filter_words(n) for n in (0, 1, 4, 5, 1 << 20)] == [1, 1, 1, 2, 1 << 18]
    assert (slot_dtype((1 << 32) - 2), slot_dtype((1 << 32) - 1)) == (np.uint32, np.uint64)
    assert [filter_length(31, n) for n in (0, 1, 100, 5_000_000, 1 << 62)] == [3, 3, 7, 15, 31]
    assert filter_length(5, 5_000_000) == 5
