"""Unitigs split into pieces."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.pairs.splitting import places_of_parts, split_unitigs
from tests.helpers import unpack
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import random_bases
from tests.pairs.test_closing import K, spelled, unitigs_of

GENOME = random_bases(900, 4)
#: A, a repeat, B; and another neighbour on each side of the repeat, by its reverse complement
PARTS = GENOME[:300], GENOME[300 - K + 1 : 500], GENOME[500 - K + 1 : 700]
OTHER = random_bases(200, 5) + PARTS[1][: K - 1], PARTS[1][-K + 1 :] + random_bases(200, 6)


def example():
    texts = PARTS[0], PARTS[1], PARTS[2], OTHER[0], reverse_complement(OTHER[1])
    return unitigs_of(*texts, edges={(0, 2), (2, 4), (6, 2), (2, 9)})


def edges_of(graph):
    tails = np.repeat(np.arange(graph.graph.n_vertices), np.diff(graph.graph.row_ptr))
    return set(zip(tails.tolist(), graph.graph.col.tolist(), strict=True))


@pytest.mark.parametrize("cuts", [[1], [60], [199], [50, 120], [1, 2, 3, 150]])
def test_walks_over_pieces_spell_the_same(cuts):
    graph = example()
    split = split_unitigs(graph, {1: cuts})
    for walk in ([0, 2, 4], [6, 2, 9], [5, 3, 1], [8, 3, 7]):
        assert spelled(split.graph, split.steps(walk)) == spelled(graph, walk)
    n = len(cuts) + 1
    assert len(split.graph) == len(graph) + n - 1
    assert split.graph.n_kmers[split.pieces[1]].sum() == graph.n_kmers[1]
    assert split.graph.kmer_counts[split.pieces[1]].sum() == graph.kmer_counts[1]
    assert np.diff(split.graph.sequences.offsets).tolist() == (split.graph.n_kmers + K - 1).tolist()
    edges = edges_of(split.graph)
    assert len(edges) == 8 + 2 * (n - 1)
    assert all((head ^ 1, tail ^ 1) in edges for tail, head in edges)
    assert split.parents == [1] * (n - 1)


def test_first_steps_are_the_bases_behind_a_vertex():
    graph = example()
    parts = [([], (2, 50)), ([], (3, 70)), ([8], None)]
    cuts = places_of_parts(parts, graph.n_kmers)
    assert cuts == {1: {50, 130}}
    split = split_unitigs(graph, cuts)
    assert spelled(split.graph, [0, *split.first_steps(2, 50)]) == GENOME[:350]
    assert spelled(split.graph, [5, *split.first_steps(3, 70)]) == reverse_complement(GENOME[400:700])
    assert len(split.first_steps(2, 130)) == 2


def test_places_are_those_of_the_piece():
    split = split_unitigs(example(), {1: [50, 120]})
    assert split.place(0, 5, 9) == (0, 5, 9)
    assert split.place(1, 49, 60) == (1, 49, 60)
    assert split.place(1, 50, 60) == (5, 0, 10)
    assert split.place(1, 125, 130) == (6, 5, 10)
    last = 200 + K - 1
    assert split.place(1, last, last) == (6, last - 120, last - 120)


def test_nothing_is_split_without_cuts():
    graph = example()
    split = split_unitigs(graph, {})
    assert unpack(split.graph.sequences) == unpack(graph.sequences)
    assert edges_of(split.graph) == edges_of(graph)
    assert split.parents == []
