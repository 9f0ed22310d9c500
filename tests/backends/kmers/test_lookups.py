"""Counts looked up in tables of k-mers, on each backend, against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core.detection import is_simulated
from tests.helpers import codes_of, n_examples, random_sequence, table_of
from tests.naive import kmers as naive

pytestmark = pytest.mark.cuda


def check(backend, counts, k, wanted):
    """Compare with the dictionary."""
    table = table_of(counts, k)
    codes = codes_of(wanted) if wanted else np.zeros((words_per_kmer(k), 0), np.uint64)
    table, codes = table.moved(backend.to_device), backend.to_device(codes)
    found = backend.kmers.look_up_counts(table.codes, table.counts, k, codes)
    assert found.dtype == np.uint32
    assert backend.to_host(found).tolist() == naive.look_up(counts, wanted)


@pytest.mark.parametrize("k", [1, 2, 3, 13, 31, 32, 33, 63, 64, 65, 96, 97, 127])
def test_counts_of_every_k(backend, k):
    rng = np.random.default_rng(k)
    counts = dict(naive.count([random_sequence(rng, k + 30)], k))
    others = [naive.canonical(random_sequence(rng, k)) for _ in range(8)]
    near = [kmer[:-1] + "ACGT"["TGCA".index(kmer[-1])] for kmer in list(counts)[:6]]
    check(backend, counts, k, [*counts, *others, *near, *list(counts)[:3], "A" * k, "T" * k])


@settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    counts=st.dictionaries(st.text("ACGT", min_size=4, max_size=4), st.integers(1, 2**32 - 1), max_size=20),
    wanted=st.lists(st.text("ACGT", min_size=4, max_size=4), max_size=20),
)
def test_any_kmers(backend, counts, wanted):
    check(backend, counts, 4, wanted)


def test_an_empty_table_holds_no_kmers(backend):
    check(backend, {}, 5, ["ACGTA", "AAAAA"])
    check(backend, {}, 33, [])


def test_counts_are_independent_of_threads(backend, tune):
    tune(least_work=1)
    rng = np.random.default_rng(1)
    counts = dict(naive.count([random_sequence(rng, 60)], 5))
    check(backend, counts, 5, [*counts, *("".join(rng.choice(list("ACGT"), 5)) for _ in range(40))])
