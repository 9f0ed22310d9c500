"""Filters and prevalence of joint counts, against loops over rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.errors import OptionValueError, ParameterError
from debruijn_gpu.sets.matrix_filters import MatrixFilters, filter_counts
from debruijn_gpu.sets.prevalence import Prevalence, PrevalenceCounter
from tests.helpers import kmers_of, table_of
from tests.naive import samples as naive

K, N = 3, 4
SAMPLES = st.lists(
    st.dictionaries(st.text("ACGT", min_size=K, max_size=K), st.integers(1, 5), max_size=20), min_size=N, max_size=N
)


def joined(samples):
    tables = [table_of(counts, K) for counts in samples]
    return backends.host().kmers.join_sets([(table.codes, table.counts) for table in tables], K)


def rows_of(joint):
    entries = list(zip(joint.samples.tolist(), joint.counts.tolist(), strict=True))
    ptr = joint.row_ptr.tolist()
    kmers = kmers_of(joint.kmers, K)
    return {kmer: entries[ptr[i] : ptr[i + 1]] for i, kmer in enumerate(kmers)}


@given(SAMPLES, st.integers(1, 5), st.integers(1, N), st.integers(0, N))
def test_filters_equal_loops(samples, soft_min, recurrence_min, share_min):
    rows = naive.joined(samples, [1] * N)
    filters = MatrixFilters(soft_min=soft_min, recurrence_min=recurrence_min, share_min=share_min)
    found = rows_of(filter_counts(joined(samples), filters))
    assert found == naive.filtered(rows, [soft_min] * N, recurrence_min, share_min)


@given(SAMPLES, st.lists(st.integers(1, 5), min_size=N, max_size=N), st.integers(1, N), st.integers(0, N))
def test_samples_have_their_own_minimum(samples, soft_mins, recurrence_min, share_min):
    filters = MatrixFilters(soft_mins=tuple(soft_mins), recurrence_min=recurrence_min, share_min=share_min)
    found = rows_of(filter_counts(joined(samples), filters))
    assert found == naive.filtered(naive.joined(samples, [1] * N), soft_mins, recurrence_min, share_min)


@given(SAMPLES)
def test_prevalence_and_growth_equal_those_of_all_subsets(samples):
    rows = naive.joined(samples, [1] * N)
    counter = PrevalenceCounter(N)
    joint = joined(samples)
    counter.add(joint)
    found = counter.result()
    assert found.n_kmers.tolist() == naive.prevalence(rows, N)
    pangenome, core = found.growth()
    for n in range(1, N + 1):
        any_of, all_of = naive.growth(rows, N, n)
        assert abs(pangenome[n - 1] - any_of) <= 0.5
        assert abs(core[n - 1] - all_of) <= 0.5


def test_growth_of_many_samples_is_exact_to_one_kmer():
    rng = np.random.default_rng(1)
    n_kmers = rng.integers(0, 10**7, 200)
    pangenome, core = Prevalence(n_kmers).growth()
    for n in (1, 2, 77, 199, 200):
        weights = [(int(number), i) for i, number in enumerate(n_kmers, 1)]
        subsets = math.comb(200, n)
        in_all = sum(number * math.comb(i, n) for number, i in weights) / subsets
        in_any = sum(number * (subsets - math.comb(200 - i, n)) for number, i in weights) / subsets
        assert abs(core[n - 1] - in_all) < 1
        assert abs(pangenome[n - 1] - in_any) < 1
    assert pangenome[-1] == n_kmers.sum()
    assert core[-1] == n_kmers[-1]


def test_options_out_of_range_are_refused():
    for options in ({"soft_min": 0}, {"recurrence_min": 0}, {"share_min": -1}):
        with pytest.raises(OptionValueError):
            MatrixFilters(**options)
    for filters in (MatrixFilters(recurrence_min=3), MatrixFilters(share_min=3), MatrixFilters(soft_mins=(1,))):
        with pytest.raises(ParameterError, match="2 samples"):
            filters.check_samples(2)
