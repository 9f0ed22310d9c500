"""Chains of joins, and wrong joins between unitigs."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.pairs.chains import Chains
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.within import Coordinates
from debruijn_gpu.pairs.wrong_joins import CheckedUnitigs, check_joins
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import pairs_of, random_bases
from tests.pairs.planted import fragments_on, graph_of, placed_on, texts_of

GAP_BP = 40
PARTS = [random_bases(4000, seed) for seed in range(1, 5)]


def joined(tail, head, gap_bp=GAP_BP, path=None):
    """A join in both strands."""
    back = None if path is None else tuple(vertex ^ 1 for vertex in reversed(path))
    ahead, behind = (Link(*ends, 9, float(gap_bp), 5.0, 1.0, 9.0, ()) for ends in ((tail, head), (head ^ 1, tail ^ 1)))
    return {tail: Join(ahead, path), head ^ 1: Join(behind, back)}


def ends_of(graph):
    return LinkGraph(graph.k, np.repeat(np.diff(graph.sequences.offsets), 2), np.diff(graph.graph.row_ptr) > 0)


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """Unitigs of two chromosomes, each of two parts and a gap, and the vertices of the parts."""
    place = tmp_path_factory.mktemp("parts")
    graph = graph_of(PARTS, place)
    texts = texts_of(graph)
    vertices = [
        2 * texts.index(part) if part in texts else 2 * texts.index(reverse_complement(part)) + 1 for part in PARTS
    ]
    gap = random_bases(GAP_BP, 9)
    pairs = pairs_of(PARTS[0] + gap + PARTS[1], 30) + pairs_of(PARTS[2] + gap + PARTS[3], 30, seed=2)
    return graph, vertices, fragments_on(graph, placed_on(graph, place, pairs))


@pytest.mark.parametrize("cuts", [True, False])
def test_wrong_joins_are_taken_back_and_right_ones_are_not(cuts, case):
    graph, (a, b, c, d), (fragments, at) = case
    ends, checked = ends_of(graph), CheckedUnitigs(cuts, [], fragments, at)
    right = joined(a, b) | joined(c, d)
    assert check_joins(right, ends, checked) == (right, [])
    wrong = joined(a, d) | joined(c, b)
    kept, suspects = check_joins(wrong, ends, checked)
    assert kept == ({} if cuts else wrong)
    assert [(one.kind, one.found.is_wrong, one.is_cut) for one in suspects] == [("join", True, cuts)] * 2
    assert [len(one.places) for one in suspects] == [1 + cuts] * 2
    both = {(a >> 1, d >> 1), (c >> 1, b >> 1)}
    if cuts:
        assert {tuple(place[0] for place in one.places) for one in suspects} <= both | {pair[::-1] for pair in both}


def test_suspects_within_unitigs_are_kept(case):
    graph, (a, b, _c, _d), (fragments, at) = case
    checked = CheckedUnitigs(True, [], fragments, at)
    assert check_joins({}, ends_of(graph), checked) == ({}, [])
    assert check_joins(joined(a, b), ends_of(graph), CheckedUnitigs(True, [], [], at))[1] == []
    assert len(checked.fragments) == 1


def test_chains_place_unitigs_of_gaps_and_paths():
    ends = LinkGraph(31, np.repeat([500, 100, 700, 900], 2), np.zeros(8, np.bool_))
    found = joined(0, 5, -30, (2,)) | joined(5, 6, 50)
    chains = Chains(found, ends)
    assert chains.lengths.tolist() == [500 + 40 + 700 + 50 + 900]
    assert chains.sequence.tolist() == [0] * 4
    assert chains.start.tolist() == [0, 470, 540, 1290]
    assert chains.turned.tolist() == [0, 0, 1, 0]
    assert chains.join_at(0, 520, 530, 30).link.head == 5
    assert chains.join_at(0, 1260, 1270, 30).link.head == 6
    assert chains.join_at(0, 800, 900, 30) is None


def test_repeats_in_several_places_are_in_no_chain():
    ends = LinkGraph(31, np.repeat([500, 100, 700, 900, 800], 2), np.zeros(10, np.bool_))
    chains = Chains(joined(0, 4, path=(2,)) | joined(6, 8, path=(2,)), ends)
    assert chains.sequence.tolist() == [0, -1, 0, 1, 1]


def test_circles_of_joins_are_cut_open():
    ends = LinkGraph(31, np.repeat([500, 700], 2), np.zeros(4, np.bool_))
    chains = Chains(joined(0, 2) | joined(2, 0), ends)
    assert chains.lengths.tolist() == [500 + GAP_BP + 700]


def test_reads_moved_outside_of_a_unitig_are_at_its_end():
    at = Coordinates(np.array([100, 50]))
    assert at.offsets.tolist() == [0, 112, 176]
    assert at.place(np.array([0, 1, 2, 3]), np.array([-5, 10, 60, 0])).tolist() == [0, 89, 161, 161]
    around = Coordinates(np.array([130]), np.array([100]))
    assert around.place(np.array([0, 0]), np.array([-5, 120])).tolist() == [95, 20]
