"""Combining and comparing sets of k-mers, against dictionaries."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.kmers.set_programs import RULES, SetProgram, apply, load, over_all
from tests.helpers import kmers_of, table_of
from tests.naive import kmer_sets as naive

pytestmark = pytest.mark.cuda

K = 3
KMERS = ["".join(letters) for letters in itertools.product("ACGT", repeat=K)]
COUNTS = st.one_of(st.integers(1, 5), st.sampled_from([255, 2**31, 2**32 - 1]))
SETS = st.lists(st.dictionaries(st.sampled_from(KMERS), COUNTS, max_size=20), min_size=1, max_size=4)


def on_device(backend, counts, k=K):
    table = table_of(counts, k)
    return backend.to_device(table.codes), backend.to_device(table.counts)


def combined(backend, sets, program, k=K):
    codes, counts = backend.kmers.combine_sets([on_device(backend, one, k) for one in sets], k, program)
    kmers = kmers_of(np.asarray(backend.to_host(codes)), k)
    assert kmers == sorted(kmers)
    return dict(zip(kmers, backend.to_host(counts).tolist(), strict=True))


@given(SETS, st.sampled_from(sorted(RULES)), st.integers(1, 4), st.integers(1, 4), st.sampled_from([1, 2, 300]))
def test_sets_are_combined_by_rule_and_number_of_sets(backend, sets, rule, least, most, min_count):
    program = SetProgram((over_all(rule, least, most),), len(sets), min_count)
    assert combined(backend, sets, program) == naive.over_all(sets, rule, least, most, min_count)


@given(SETS, st.data())
def test_programs_of_two_operands_equal_dictionaries(backend, sets, data):
    steps, expected = [load(0)], sets[0]
    for i, other in enumerate(sets[1:], 1):
        operation = data.draw(st.sampled_from(["union", "intersect", "subtract", "difference"]))
        rule = data.draw(st.sampled_from(sorted(RULES)))
        steps += [load(i), apply(operation, rule)]
        expected = naive.apply(operation, rule, expected, other)
    assert combined(backend, sets, SetProgram(tuple(steps), len(sets))) == naive.capped(expected)


@given(SETS)
def test_shared_kmers_are_counted_for_each_pair(backend, sets):
    shared = backend.kmers.count_shared([on_device(backend, one) for one in sets], K)
    assert shared.tolist() == [[len(a.keys() & b.keys()) for b in sets] for a in sets]


@pytest.mark.parametrize("k", [1, 31, 32, 33, 64, 101])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (3, 0), (1, 1), (20, 17), (9, 0, 12), (7, 8, 9)])
def test_kmers_of_any_length_are_merged(backend, k, sizes):
    rng = random.Random(k)
    pool = sorted({"".join(rng.choices("ACGT", k=k)) for _ in range(30)})
    sets = [{kmer: rng.randint(1, 9) for kmer in rng.sample(pool, min(n, len(pool)))} for n in sizes]
    for least in (1, len(sets)):
        program = SetProgram((over_all("sum", least, len(sets)),), len(sets))
        assert combined(backend, sets, program, k) == naive.over_all(sets, "sum", least, len(sets))


@pytest.mark.parametrize("limits", [(1, 2**32 - 1), (2, 3), (4, 4)])
@pytest.mark.parametrize("operation", ["union", "intersect", "subtract", "difference"])
def test_limits_hold_for_counts_of_the_result(backend, operation, limits):
    sets = [{"AAA": 1, "AAC": 4, "TTT": 9}, {"AAC": 2, "CCC": 3, "TTT": 5}]
    program = SetProgram((load(0), load(1), apply(operation, "sum")), 2, *limits)
    whole = naive.apply(operation, "sum", *sets)
    expected = {kmer: count for kmer, count in sorted(whole.items()) if limits[0] <= count <= limits[1]}
    assert combined(backend, sets, program) == expected
