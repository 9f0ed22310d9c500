"""One of many copies of a repeat is no error, rare as it is beside what most of them share."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.cleaning import CleanCounts, clean
from debruijn_gpu.assembly.situation import Situation
from tests.assembly.test_cleaning import graph_of, removed, with_error
from tests.helpers import random_sequence

_RNG = np.random.default_rng(31)
ONE, OTHER = (random_sequence(_RNG, 300) for _ in range(2))
DEPTH, SHARED = 30, 700


def of_copies(reads: dict[str, int], backend, **situation) -> dict[str, int]:
    """What cleaning removes where single-copy sequence has a depth of 30."""
    graph = graph_of(reads)[0].moved(backend.to_device)
    counts: CleanCounts = clean(graph, CleanOptions(), backend, Situation(**{"depth": DEPTH, **situation}))[1]
    return removed(counts)


def bubble(n: int, shared: int = SHARED) -> dict[str, int]:
    return {ONE: shared, with_error(ONE, 150): n}


def connection(n: int, shared: int = SHARED) -> dict[str, int]:
    return {ONE: shared, OTHER: shared, ONE[100:150] + OTHER[150:200]: n}


@pytest.mark.parametrize(("n", "two_alleles", "is_kept"), [(15, False, True), (14, False, False), (8, True, True)])
def test_before_the_last_k_a_side_of_half_the_depth_of_a_copy_is_kept(n, two_alleles, is_kept, backend):
    found = of_copies(bubble(n), backend, is_early=True, has_two_alleles=two_alleles)
    assert found == ({} if is_kept else {"bubbles": 1})


def test_at_the_last_k_the_ratio_decides(backend):
    assert of_copies(bubble(60), backend) == {"bubbles": 1}
    assert of_copies(bubble(80), backend) == {}


@pytest.mark.parametrize("is_early", [False, True])
@pytest.mark.parametrize(("n", "two_alleles", "is_kept"), [(15, False, True), (14, False, False), (8, True, True)])
def test_a_connection_of_half_the_depth_of_a_copy_is_kept(n, two_alleles, is_kept, is_early, backend):
    found = of_copies(connection(n), backend, is_early=is_early, has_two_alleles=two_alleles)
    assert found == ({} if is_kept else {"erroneous_connections": 1})


@pytest.mark.parametrize("unknown", [{"depth": 0.0}, {"genomes": (1000, 300), "least_part": 1_001}])
def test_where_the_depth_of_a_copy_is_unknown_the_ratio_decides(unknown, backend):
    assert of_copies(connection(90), backend, **unknown) == {"erroneous_connections": 1}
    assert of_copies(bubble(60), backend, is_early=True, **unknown) == {"bubbles": 1}


@pytest.mark.parametrize(("shared", "is_kept"), [(1_900, True), (2_100, False)])
def test_less_than_a_hundredth_may_be_an_error_that_recurs(shared, is_kept, backend):
    assert of_copies(connection(20, shared), backend) == ({} if is_kept else {"erroneous_connections": 1})
    assert of_copies(bubble(20, shared), backend, is_early=True) == ({} if is_kept else {"bubbles": 1})
