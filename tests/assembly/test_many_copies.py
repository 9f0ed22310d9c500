"""One of many copies of a repeat is no error, rare as it is beside what most of them share."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.cleaning import CleanCounts, clean
from debruijn_gpu.assembly.situation import Situation
from tests.assembly.test_cleaning import K, graph_of, removed, with_error
from tests.helpers import random_sequence
from tests.naive.kmers import reverse_complement

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


def places(n: int, n_bases: int = 100, depth: int = DEPTH) -> dict[str, int]:
    """Single-copy sequences that the ends of both shared ones lead to: up to three at each of three ends."""
    rng = np.random.default_rng(5)
    ends = [sequence for sequence in (ONE, reverse_complement(ONE), OTHER) for _ in range(3)][:n]
    others = [base + random_sequence(rng, n_bases - 1) for base in "ACG" * 3]
    return {sequence[-(K - 1) :] + other: depth for sequence, other in zip(ends, others, strict=False)}


@pytest.mark.parametrize(("n", "two_alleles", "is_kept"), [(15, False, True), (14, False, False), (8, True, True)])
def test_before_the_last_k_a_side_of_half_the_depth_of_a_copy_is_kept(n, two_alleles, is_kept, backend):
    found = of_copies(bubble(n), backend, is_early=True, has_two_alleles=two_alleles)
    assert found == ({} if is_kept else {"bubbles": 1})


def test_at_the_last_k_the_ratio_decides(backend):
    assert of_copies(bubble(60), backend) == {"bubbles": 1}
    assert of_copies(bubble(80), backend) == {"erroneous_connections": 1}
    assert of_copies(bubble(150), backend) == {}


@pytest.mark.parametrize("is_early", [False, True])
@pytest.mark.parametrize(("n", "two_alleles", "is_kept"), [(15, False, True), (14, False, False), (8, True, True)])
def test_a_connection_of_half_the_depth_of_a_copy_is_kept(n, two_alleles, is_kept, is_early, backend):
    found = of_copies({**connection(n), **places(6)}, backend, is_early=is_early, has_two_alleles=two_alleles)
    assert found == ({} if is_kept else {"erroneous_connections": 1})


@pytest.mark.parametrize(("n_places", "is_early", "is_kept"), [(6, False, True), (5, False, False), (0, True, True)])
def test_at_the_last_k_a_connection_is_a_copy_where_repeats_lead_to_many_places(n_places, is_early, is_kept, backend):
    """A quarter of 700 / 30 copies is six places; a plasmid of as many copies leads to none."""
    found = of_copies({**connection(20), **places(n_places)}, backend, is_early=is_early)
    assert found == ({} if is_kept else {"erroneous_connections": 1})


@pytest.mark.parametrize("place", [{"n_bases": 41}, {"depth": 43}])
def test_short_and_repeated_unitigs_are_no_places(place, backend):
    assert "erroneous_connections" in of_copies({**connection(20), **places(6, **place)}, backend)


@pytest.mark.parametrize("unknown", [{"depth": 0.0}, {"genomes": (1000, 300), "least_part": 1_001}])
def test_where_the_depth_of_a_copy_is_unknown_the_ratio_decides(unknown, backend):
    assert of_copies(connection(90), backend, **unknown) == {"erroneous_connections": 1}
    assert of_copies(bubble(60), backend, is_early=True, **unknown) == {"bubbles": 1}


@pytest.mark.parametrize(("shared", "is_kept"), [(1_900, True), (2_100, False)])
def test_less_than_a_hundredth_may_be_an_error_that_recurs(shared, is_kept, backend):
    assert of_copies(connection(20, shared), backend, is_early=True) == (
        {} if is_kept else {"erroneous_connections": 1}
    )
    assert of_copies(bubble(20, shared), backend, is_early=True) == ({} if is_kept else {"bubbles": 1})
