"""Tandem arrays whose number of copies is certain."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.unrolled_arrays import UnrolledArrays
from debruijn_gpu.pipeline import assemble
from tests.pairs.examples import RUN, contigs_of, is_part, random_bases
from tests.pairs.few_links import FewLinks
from tests.pairs.layouts import graph_of
from tests.pairs.test_single_reads import reads_of, write
from tests.pairs.test_walks import joins_of
from tests.pairs.windows import even_windows

K = 61
BEFORE, BEHIND, REPEAT, UNIT, OTHER = 0, 2, 4, 6, 8  # before - repeat - unit - repeat - behind, and elsewhere
EDGES = {(BEFORE, REPEAT), (REPEAT, UNIT), (UNIT, REPEAT), (REPEAT, BEHIND)}
LOOP = {(BEFORE, REPEAT), (REPEAT, REPEAT), (REPEAT, BEHIND)}
LENGTHS = (3000, 3000, 260, 260, 3000)
COPIES = (1.0, 1.0, 2.0, 1.0, 1.0)
LINKED = {(BEFORE, REPEAT): 5, (REPEAT, BEHIND): 2}


def unrolled(
    joins=(),
    edges=EDGES,
    lengths=LENGTHS,
    copies=COPIES,
    numbers=LINKED,
    others=(),
    known=None,
    rate=0.4,
    shares=None,
    expected=None,
    windows=None,
):
    """Joins along arrays: tail, head and path of one strand."""
    graph = graph_of(edges, len(lengths))
    ends = LinkGraph(K, np.repeat(lengths, 2), np.diff(graph.row_ptr) > 0)
    shares = np.ones(len(lengths)) if shares is None else np.array(shares)
    expected = rate * shares * (np.array(lengths) - K + 1) if expected is None else np.array(expected)
    numbers_of = CopyNumbers(rate, np.array(copies), expected, shares)
    windows = windows or even_windows(len(lengths))
    arrays = UnrolledArrays(graph, ends, numbers_of, FewLinks(numbers, others, known), PairOptions(), windows)
    found = arrays.with_paths(joins_of(*joins))
    for tail, join in found.items():
        back = found[join.link.head ^ 1]
        assert back.link.head == tail ^ 1
        assert (back.path is None) == (join.path is None)
        assert join.path is None or back.path == tuple(vertex ^ 1 for vertex in reversed(join.path))
    return {(tail, join.link.head, join.path) for tail, join in found.items() if tail <= join.link.head ^ 1}


GAP = 2 * 200 + 200 - 60.0
TWICE = {(BEFORE, BEHIND, (REPEAT, UNIT, REPEAT))}


def test_array_of_two_copies_is_unrolled():
    assert unrolled() == TWICE


def test_array_of_three_copies_is_unrolled_where_reads_are_many():
    three = (1.0, 1.0, 3.0, 2.0, 1.0)
    assert unrolled(copies=three, rate=2.0) == {(BEFORE, BEHIND, (REPEAT, UNIT, REPEAT, UNIT, REPEAT))}
    assert unrolled(copies=three, rate=0.05) == set()


def test_array_of_whole_copies_is_one_unitig_that_follows_itself():
    assert unrolled(edges=LOOP) == {(BEFORE, BEHIND, (REPEAT, REPEAT))}


def test_strand_of_the_array_does_not_matter():
    turned = {(BEFORE, REPEAT ^ 1), (REPEAT ^ 1, UNIT), (UNIT, REPEAT ^ 1), (REPEAT ^ 1, BEHIND)}
    numbers = {(BEFORE, REPEAT ^ 1): 5, (REPEAT ^ 1, BEHIND): 2}
    assert unrolled(edges=turned, numbers=numbers) == {(BEFORE, BEHIND, (REPEAT ^ 1, UNIT, REPEAT ^ 1))}


def test_parts_of_several_unitigs_are_kept_in_order():
    edges = {(0, 4), (4, 6), (6, 8), (8, 10), (10, 4), (6, 2)}  # 4, 6 once more than 8, 10
    lengths, copies = (3000, 3000, 160, 160, 160, 160), (1.0, 1.0, 2.0, 2.0, 1.0, 1.0)
    numbers = {(0, 4): 3, (6, 2): 3}
    assert unrolled(edges=edges, lengths=lengths, copies=copies, numbers=numbers) == {(0, 2, (4, 6, 8, 10, 4, 6))}


@pytest.mark.parametrize(
    "copies",
    [
        (1.0, 1.0, 1.1, 0.1, 1.0),  # reads with errors lead back
        (1.0, 1.0, 2.5, 1.5, 1.0),  # two or three
        (1.0, 1.0, 1.5, 0.5, 1.0),  # of one of two alleles
        (1.0, 1.0, 12.0, 11.0, 1.0),
    ],
)
def test_number_of_copies_has_to_be_certain(copies):
    assert unrolled(copies=copies) == set()


@pytest.mark.parametrize(
    ("depth", "copies", "is_unrolled"), [(0.95, 2, True), (0.7, 2, False), (1.3, 2, False), (0.7, 3, False)]
)
def test_depth_of_both_sides_counts_beside_that_of_the_genome(depth, copies, is_unrolled):
    found = unrolled(edges=LOOP, copies=(depth, depth, copies * depth, 1.0, 1.0))
    assert found == ({(BEFORE, BEHIND, (REPEAT, REPEAT))} if is_unrolled else set())


@pytest.mark.parametrize(("spread", "is_unrolled"), [(0.05, True), (0.1, False), (0.6, False)])
def test_depth_may_differ_as_depths_in_the_sample_do(spread, is_unrolled):
    found = unrolled(edges=LOOP, windows=even_windows(5, spread))
    assert found == ({(BEFORE, BEHIND, (REPEAT, REPEAT))} if is_unrolled else set())


def test_depth_of_both_sides_may_differ_as_depths_in_the_sample_do():
    copies = (1.25, 1.25, 2.0, 1.0, 1.0)
    assert unrolled(edges=LOOP, copies=copies, rate=1.0) == {(BEFORE, BEHIND, (REPEAT, REPEAT))}
    assert unrolled(edges=LOOP, copies=copies, rate=1.0, windows=even_windows(5, 0.06)) == set()


def test_depth_may_be_that_of_sequence_with_the_same_gc():
    """Three copies that are 0.7 as deep look like two."""
    copies = (1.0, 1.0, 2.1, 1.0, 1.0)
    assert unrolled(edges=LOOP, copies=copies) == {(BEFORE, BEHIND, (REPEAT, REPEAT))}
    less = even_windows(5, gc=0.63, depth=0.7, own_gc=0.63)
    assert unrolled(edges=LOOP, copies=copies, windows=less) == set()
    assert unrolled(windows=even_windows(5, own_gc=0.63)) == set()  # little sequence has that GC


def test_reads_of_both_sides_are_counted_together():
    assert unrolled(edges=LOOP, copies=(0.85, 1.15, *COPIES[2:])) == {(BEFORE, BEHIND, (REPEAT, REPEAT))}


def test_depth_is_that_of_the_genome_of_both_sides():
    assert unrolled(copies=(1.0, 1.0, 0.5, 0.25, 1.0), shares=(0.25, 0.25, 1.0, 1.0, 1.0), rate=2.0) == TWICE
    assert unrolled(shares=(0.25, 0.25, 1.0, 1.0, 1.0), rate=2.0) == set()


def test_reads_of_unitigs_without_anchors_are_those_of_their_kmers():
    assert unrolled(expected=(1176.0, 1176.0, 80.0, 0.0, 1176.0)) == TWICE
    assert unrolled(expected=(1176.0, 1176.0, 80.0, 0.0, 1176.0), copies=(1.0, 1.0, 2.0, 3.0, 1.0)) == set()


@pytest.mark.parametrize(
    "edge",
    [(REPEAT, OTHER), (OTHER, REPEAT), (OTHER, UNIT ^ 1), (OTHER, BEHIND), (BEFORE, OTHER), (BEFORE, BEHIND)],
)
def test_array_that_other_sequence_leads_to_is_left(edge):
    assert unrolled(edges=EDGES | {edge}) == set()


@pytest.mark.parametrize("edge", [(UNIT, BEHIND), (BEFORE, UNIT), (UNIT, UNIT), (REPEAT, REPEAT)])
def test_array_with_several_ways_through_it_is_left(edge):
    assert unrolled(edges=EDGES | {edge}) == set()


def test_depth_of_the_genome_counts_beside_that_of_both_sides():
    assert unrolled(edges=LOOP, copies=(1.2, 1.2, 2.3, 1.0, 1.0)) == set()


def test_unitigs_are_in_an_array_once_and_in_one_strand():
    inverted = {(BEFORE, REPEAT), (REPEAT, UNIT), (UNIT, REPEAT), (REPEAT, BEFORE ^ 1)}
    assert unrolled(edges=inverted, numbers={(BEFORE, REPEAT): 5, (REPEAT, BEFORE ^ 1): 2}) == set()


def test_sides_are_single_copy_and_of_one_genome():
    assert unrolled(copies=(2.0, 1.0, 2.0, 1.0, 1.0)) == set()
    assert unrolled(copies=(1.0, 2.0, 2.0, 1.0, 1.0)) == set()
    assert unrolled(shares=(1.0, 0.5, 1.0, 1.0, 1.0), rate=2.0) == set()


def test_joins_state_the_bases_of_their_path():
    graph = graph_of(EDGES, len(LENGTHS))
    ends = LinkGraph(K, np.repeat(LENGTHS, 2), np.diff(graph.row_ptr) > 0)
    copies = CopyNumbers(0.4, np.array(COPIES), 0.4 * (np.array(LENGTHS) - K + 1), np.ones(len(COPIES)))
    windows = even_windows(len(LENGTHS))
    found = UnrolledArrays(graph, ends, copies, FewLinks(LINKED), PairOptions(), windows).with_paths({})
    assert {(join.link.gap_bp, join.link.error_bp) for join in found.values()} == {(GAP, 1.0)}


def test_array_with_a_bubble_is_left():
    edges = {(0, 4), (4, 6), (4, 8), (6, 10), (8, 10), (10, 4), (4, 2)}
    lengths, copies = (3000, 3000, 260, 121, 121, 260), (1.0, 1.0, 3.0, 1.0, 1.0, 2.0)
    assert unrolled(edges=edges, lengths=lengths, copies=copies, numbers={(0, 4): 3, (4, 2): 3}, rate=2.0) == set()


def test_short_sides_and_long_turns_are_left():
    assert unrolled(lengths=(259, *LENGTHS[1:])) == set()
    assert unrolled(lengths=(260, *LENGTHS[1:])) == TWICE
    assert unrolled(lengths=(3000, 3000, 560, 560, 3000)) == TWICE
    assert unrolled(lengths=(3000, 3000, 560, 561, 3000)) == set()


@pytest.mark.parametrize("numbers", [{}, {(BEFORE, REPEAT): 1, (REPEAT, BEHIND): 1}, {(REPEAT, BEHIND): 9}])
def test_reads_or_pairs_link_both_sides_to_the_array(numbers):
    assert unrolled(numbers=numbers) == set()


def test_links_to_other_sequence_contradict():
    other = Link(BEFORE, OTHER, 9, 900.0, 5.0, 1.0, 9.0, ((0, 9, 300.0),))
    assert unrolled(others=[other]) == set()
    far = Link(BEHIND ^ 1, OTHER, 9, 900.0, 5.0, 1.0, 9.0, ((0, 9, 300.0),))
    assert unrolled(others=[far]) == set()


@pytest.mark.parametrize(("more_bp", "is_unrolled"), [(79, True), (-79, True), (81, False), (-500, False)])
def test_distance_has_to_agree_if_it_is_known(more_bp, is_unrolled):
    known = Link(BEFORE, BEHIND, 9, GAP + more_bp, 20.0, 1.0, 9.0, ((0, 9, 300.0),))
    assert unrolled(known=known) == (TWICE if is_unrolled else set())


def test_small_difference_of_the_distance_is_none():
    known = Link(BEFORE, BEHIND, 9, GAP + 19, 1.0, 1.0, 9.0, ((0, 9, 300.0),))
    assert unrolled(known=known) == TWICE


def test_sides_with_a_path_or_to_other_sequence_stay_as_they_are():
    for joins in (((BEFORE, UNIT, (REPEAT,)),), ((OTHER, BEHIND, None),)):
        assert unrolled(joins) == {
            (tail, join.link.head, join.path) for tail, join in joins_of(*joins).items() if tail <= join.link.head ^ 1
        }


def test_gaps_between_sides_and_within_the_array_are_replaced():
    assert unrolled(((BEFORE, BEHIND, None),)) == TWICE
    assert unrolled(((UNIT, BEHIND, None),)) == TWICE
    assert unrolled(((REPEAT, UNIT, None),)) == TWICE


def test_joins_elsewhere_stay():
    assert unrolled(((OTHER, OTHER ^ 1, ()),)) == TWICE | {(OTHER, OTHER ^ 1, ())}


@pytest.mark.parametrize("read_bp", [100, 150])
def test_single_reads_unroll_an_array_that_is_longer_than_they_are(tmp_path, read_bp):
    before, unit, behind = (random_bases(n, seed) for n, seed in ((20_000, 1), (350, 2), (20_000, 3)))
    genome = before + 2 * unit + behind
    reads = write(tmp_path, reads_of(genome, depth=60, read_bp=read_bp))
    (contig,) = contigs_of(assemble(reads, AssembleOptions(ks=(31, 61)), RUN))
    assert is_part(contig, genome)
    assert len(contig) == len(genome)
