"""Trails through bidirected graphs."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from debruijn_gpu.euler.bidirected import BidirectedGraph, bidirected_trails
from debruijn_gpu.graph.graph import Walks
from tests.naive import trails as naive

pytestmark = pytest.mark.cuda

Case = tuple[list[tuple[int, int]], list[int]]


@st.composite
def bidirected_graphs(draw: st.DrawFn) -> Case:
    """One edge of each reverse-complement pair, and the reverse complements of vertices; some are palindromes."""
    n_pairs, n_alone = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    reverse_complement = [v ^ 1 for v in range(2 * n_pairs)] + list(range(2 * n_pairs, 2 * n_pairs + n_alone))
    if not reverse_complement:
        return [], []
    vertex = st.integers(0, len(reverse_complement) - 1)
    return draw(st.lists(st.tuples(vertex, vertex), max_size=14)), reverse_complement


def check(backend, pairs: list[tuple[int, int]], reverse_complement: list[int]) -> Walks:
    """Each edge or its reverse complement once, heads meet tails, in as few walks as the formula says, in order."""
    both = [
        edge for tail, head in pairs for edge in ((tail, head), (reverse_complement[head], reverse_complement[tail]))
    ]
    tails, heads = np.array(both, np.uint32).reshape(-1, 2).T.copy()
    walks = bidirected_trails(BidirectedGraph(tails, heads, np.array(reverse_complement, np.uint32)), backend)
    assert sorted((walks.steps >> 1).tolist()) == list(range(len(pairs)))
    for start, stop, circular in zip(walks.offsets[:-1], walks.offsets[1:], walks.circular, strict=True):
        steps = walks.steps[start:stop]
        assert (heads[steps[:-1]] == tails[steps[1:]]).all()
        if circular:
            assert heads[steps[-1]] == tails[steps[0]]
    first = walks.steps[walks.offsets[:-1]].tolist()
    assert first == sorted(first)
    assert len(walks) == naive.fewest_bidirected_trails(pairs, reverse_complement)
    return walks


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bidirected_graphs())
@example(([(0, 1)], [1, 0]))  # an edge to the reverse complement of its tail, beside its own reverse complement
@example(([(0, 1), (0, 1)], [1, 0]))
@example(([(0, 0)], [0]))  # a loop at a palindrome
@example(([(0, 1)], [0, 1]))  # between two of these
@example(([(0, 2), (2, 1)], [1, 0, 2]))  # a hairpin
def test_trails_are_the_fewest(backend, case: Case) -> None:
    check(backend, *case)


def test_no_edges(backend) -> None:
    assert len(check(backend, [], [])) == 0
    assert len(check(backend, [], [1, 0, 2])) == 0


def test_strands_that_meet_are_walked_once(backend) -> None:
    """A line of 6 edges whose inner part can be walked either way, as between inverted repeats."""
    reverse_complement = [v ^ 1 for v in range(10)]
    walks = check(backend, [(0, 2), (2, 4), (4, 6), (6, 5), (5, 3), (3, 8)], reverse_complement)
    assert walks.offsets.tolist() == [0, 6]
    assert not walks.circular[0]


def test_two_rings_that_meet_with_opposite_strands_become_one(backend) -> None:
    walks = check(backend, [(0, 2), (2, 0), (1, 4), (4, 1)], [v ^ 1 for v in range(6)])
    assert walks.offsets.tolist() == [0, 4]
    assert walks.circular[0]


@pytest.mark.parametrize("n_alone", [0, 200])
def test_a_large_graph(backend, n_alone: int) -> None:
    rng = random.Random(n_alone)
    reverse_complement = [v ^ 1 for v in range(2000)] + list(range(2000, 2000 + n_alone))
    check(
        backend,
        [(rng.randrange(len(reverse_complement)), rng.randrange(len(reverse_complement))) for _ in range(4000)],
        reverse_complement,
    )


def test_many_rings_in_a_chain(backend) -> None:
    """Each cycle meets the next in the opposite strand."""
    pairs = []
    for i in range(0, 3000, 2):
        pairs += [(i, i + 2), (i + 2, i)] if i % 4 == 0 else [(i + 1, i + 3), (i + 3, i + 1)]
    walks = check(backend, pairs, [v ^ 1 for v in range(3002)])
    assert walks.circular.tolist() == [True]
