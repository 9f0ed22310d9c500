"""Links between unitigs by reads and pairs."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.link_evidence import WITHIN_READS
from tests.pairs.layouts import K, Layout

# Unitigs 0, 1, 2 of a chromosome, the last one on the other strand, behind a gap of 80 bases; 3 is alone.
LENGTHS = (2000, 300, 2500, 3000)
CHROMOSOMES = ((0, 2, 5), (6,))
GAPS = {(2, 5): 80}


def example(**options):
    layout = Layout(LENGTHS, CHROMOSOMES, GAPS)
    fragments = layout.fragments(**options)
    return layout, fragments


def test_links_are_those_of_the_chromosome_in_both_strands():
    layout, fragments = example()
    links = layout.links(layout.placed(fragments))
    found = set(zip(links.tails.tolist(), links.heads.tolist(), strict=True))
    assert found == {(0, 2), (2, 5), (0, 5), (3, 1), (4, 3), (4, 1)}
    for tail, head in found:
        assert links.support_of(tail, head) == links.support_of(head ^ 1, tail ^ 1)
        link, back = links.find(tail, head), links.find(head ^ 1, tail ^ 1)
        assert link is not None
        assert back is not None
        assert (link.gap_bp, link.n_pairs, link.support) == (back.gap_bp, back.n_pairs, back.support)


def test_gaps_and_supports_are_those_of_the_chromosome():
    layout, fragments = example(depth=100)
    links = layout.links(layout.placed(fragments))
    for (tail, head), gap in {(0, 2): 1 - K, (2, 5): 80, (0, 5): 300 - (K - 1) + 80}.items():
        link = links.find(tail, head)
        assert link is not None
        assert abs(link.gap_bp - gap) < 4 * link.error_bp + 1
        assert links.deviation(link, gap) < 4
        if link.n_pairs > 10:
            assert 0.7 < link.n_pairs / links.expected(tail, head, gap) < 2  # reads that link neighbours count too
    wrong = links.find(2, 5)
    assert wrong is not None
    assert links.deviation(wrong, 150) > 4
    assert links.deviation(wrong, 5000) == float("inf")


def test_reads_link_neighbours_and_give_the_gap():
    layout, fragments = example()
    link = layout.links(layout.placed(fragments)).find(0, 2)
    assert link is not None
    within = [reach for reach in link.reaches if reach[0] == WITHIN_READS]
    assert within
    assert within[0][2] == 1 - K


def test_copies_of_a_fragment_count_once():
    layout, fragments = example()
    once, twice = layout.links(layout.placed(fragments)), layout.links(layout.placed(fragments * 2))
    assert once.support_of(2, 5) == twice.support_of(2, 5) > 5
    one, two = once.find(2, 5), twice.find(2, 5)
    assert one is not None
    assert two is not None
    assert abs(one.support / two.support - 1) < 0.1


def test_order_of_pairs_and_exchanged_mates_do_not_matter():
    layout, fragments = example()
    links = layout.links(layout.placed(fragments))
    other = layout.links(layout.placed([pair[::-1] for pair in reversed(fragments)]))
    assert np.array_equal(links.tails, other.tails)
    assert np.array_equal(links.n_pairs, other.n_pairs)
    assert links.find(2, 5) == other.find(2, 5)


def test_few_fragments_are_no_link():
    layout, fragments = example()
    chimera = layout.fragment(0, 1700, 300)[0], layout.fragment(1, 200, 300)[1]
    fragments.append(chimera)
    placed = layout.placed(fragments)
    links = layout.links(placed)
    assert links.support_of(0, 7) + links.support_of(0, 6) <= 1
    assert links.find(0, 6) is None
    every = np.ones(4, np.bool_)
    assert all(len(near) for near in links.among(every).values())
    assert {link.head for link in links.among(every)[0]} == {2, 5}
    assert layout.links(placed, PairOptions(least_pairs=10_000)).among(every) == {}


def test_wanted_unitigs_alone_are_linked():
    layout, fragments = example()
    links = layout.links(layout.placed(fragments))
    found = links.among(np.array([True, False, True, True]))
    assert {tail: [link.head for link in near] for tail, near in found.items()} == {0: [5], 4: [1]}


def test_nearest_head_comes_first():
    layout, fragments = example()
    near = layout.links(layout.placed(fragments)).among(np.ones(4, np.bool_))[0]
    assert [link.head for link in near] == [2, 5]
