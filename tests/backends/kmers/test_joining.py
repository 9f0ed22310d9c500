"""Joining sets of k-mers to a matrix of counts, against dictionaries."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from tests.backends.kmers.test_sets import SETS, K, on_device
from tests.helpers import kmers_of

pytestmark = pytest.mark.cuda


def joined(backend, sets, k=K):
    found = backend.kmers.join_sets([on_device(backend, one, k) for one in sets], k).moved(backend.to_host)
    kmers = kmers_of(np.asarray(found.kmers), k)
    assert kmers == sorted(set(kmers))
    assert len(found) == len(kmers)
    assert [array.dtype for array in (found.row_ptr, found.samples, found.counts)] == [np.int64, np.uint32, np.uint32]
    entries = list(zip(found.samples.tolist(), found.counts.tolist(), strict=True))
    edges = found.row_ptr.tolist()
    assert (edges[0], edges[-1]) == (0, len(entries))
    return {kmer: entries[start:end] for kmer, (start, end) in zip(kmers, pairwise(edges), strict=True)}


def expected(sets):
    kmers = sorted(set().union(*sets))
    return {kmer: [(s, one[kmer]) for s, one in enumerate(sets) if kmer in one] for kmer in kmers}


@given(SETS)
def test_rows_equal_dictionaries(backend, sets):
    assert joined(backend, sets) == expected(sets)


@pytest.mark.parametrize("k", [1, 31, 32, 33, 64, 101])
@pytest.mark.parametrize("sizes", [(0,), (0, 0, 0), (5,), (0, 3), (3, 0), (20, 17), (9, 0, 12), (7, 8, 9, 1, 7)])
def test_kmers_of_any_length_are_joined(backend, k, sizes):
    rng = random.Random(k)
    pool = sorted({"".join(rng.choices("ACGT", k=k)) for _ in range(30)} | {"A" * k, "T" * k})
    sets = [{kmer: rng.choice([1, 7, 2**32 - 1]) for kmer in rng.sample(pool, min(n, len(pool)))} for n in sizes]
    assert joined(backend, sets, k) == expected(sets)


@given(SETS)
def test_rows_without_counts_are_the_same(backend, sets):
    parts = [on_device(backend, one, K) for one in sets]
    with_counts, without = (
        backend.kmers.join_sets(list(parts), K, flag).moved(backend.to_host) for flag in (True, False)
    )
    assert without.counts.size == 0
    for name in ("kmers", "row_ptr", "samples"):
        assert getattr(without, name).tolist() == getattr(with_counts, name).tolist()


def test_more_sets_than_kmers_are_joined(backend):
    sets = [{"ACG": s + 1} if s % 3 else {} for s in range(40)]
    assert joined(backend, sets) == expected(sets)
