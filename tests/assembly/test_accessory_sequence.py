"""Genomes of a mixture, and accessory sequence of the strains or haplotypes of one genome."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.accessory_sequence import without_accessory_sequence
from debruijn_gpu.assembly.local_depth import Chains, find_chains
from tests.assembly.test_rarer_genomes import sizes
from tests.assembly.test_single_copy_bubbles import graph_from, in_both_strands


def chains_of(*groups, links=()):
    """Chains given as number, k-mers, depth and number of bubbles, with links between vertices of chains."""
    n_bubbles = np.concatenate([np.full(n, bubbles) for n, _kmers, _depth, bubbles in groups])
    n_kmers, counts = sizes(*(group[:3] for group in groups))
    tails, heads = np.array(sorted(in_both_strands(links)), np.int64).reshape(-1, 2).T
    return Chains(np.arange(len(n_kmers)), n_kmers, counts / n_kmers, n_bubbles, tails, heads)


def linked(rare, kmers=12_000, bubbles=1, deep=30, n_linked=6, n_plain=5, to=0, rare_kmers=600):
    """Six chains with bubbles, five without, and ten short rare ones; a few of these lead to the first of all."""
    groups = (6, kmers, deep, bubbles), (n_plain, 12_000, 30, 0), (10, rare_kmers, rare, 0)
    links = [(2 * to, 2 * (6 + n_plain + i)) for i in range(n_linked)]
    return chains_of(*groups, links=links)


@pytest.mark.parametrize("rare", [3, 6, 15, 18])
def test_what_most_sequence_with_bubbles_leads_to_is_no_genome(rare):
    assert without_accessory_sequence((1000, round(1000 * rare / 30)), 30.0, linked(rare)) == ()


@pytest.mark.parametrize(
    "other",
    [
        {"bubbles": 0},
        {"n_plain": 6},  # half of the sequence has no bubbles
        {"kmers": 499},
        {"deep": 18},  # the chains with bubbles are of another depth
        {"deep": 48},
        {"n_linked": 5},
        {"to": 6},  # a chain without bubbles, as a repeat of the rarer genome is
        {"rare_kmers": 661},  # more than a twentieth
        {"n_linked": 0},
    ],
)
def test_other_sequence_is_of_a_rarer_genome(other):
    assert without_accessory_sequence((1000, 500), 30.0, linked(15, **other)) == (1000, 500)


@pytest.mark.parametrize(("deep", "found"), [(19, ()), (47, ())])
def test_depths_within_a_factor_are_of_the_genome(deep, found):
    assert without_accessory_sequence((1000, 500), 30.0, linked(15, deep=deep)) == found


def test_each_genome_is_compared_with_the_next_deeper_one_that_is_left():
    """The chains of a depth of 15 are accessory sequence of those of 30, and so are those of 6."""
    groups = (6, 12_000, 30, 1), (5, 600, 15, 1), (5, 600, 6, 0), (5, 600, 300, 0), (5, 600, 1, 0)
    links = [(0, 2 * i) for i in range(6, 16)]
    found = without_accessory_sequence((10_000, 1000, 500, 200, 33), 30.0, chains_of(*groups, links=links))
    assert found == (10_000, 1000, 33)


def test_no_genomes_stay_none():
    assert without_accessory_sequence((), 30.0, linked(15)) == ()


def test_bubbles_are_counted_once_in_each_chain(backend):
    """Two bubbles in a row, and a unitig without."""
    edges = in_both_strands([(0, 2), (0, 4), (2, 6), (4, 6), (6, 8), (6, 11), (8, 12), (11, 12)])
    n_kmers = np.full(8, 100, np.int64)
    found = find_chains(graph_from(edges, 8), n_kmers, 10 * n_kmers, backend)
    assert found.n_bubbles.tolist() == [2, 0]
    assert found.n_kmers.tolist() == [500, 100]
