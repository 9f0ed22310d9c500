"""Which unitigs of replicons in many copies follow each other."""

from __future__ import annotations

import random

import pytest

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.replicons import deep_followers
from tests.pairs.examples import assembled, contigs_of, is_part, is_rotation, pairs_of, random_bases, with_repeat
from tests.pairs.layouts import Layout

OPTIONS = PairOptions()
CHROMOSOME = 40_000
# Of a plasmid: A - repeat - B and C - repeat - D are unitigs 1, 2, 3, 4, and the repeat 5; the chromosome is 0
PLASMID = (CHROMOSOME, 2000, 2500, 3000, 2200, 250), ((2, 10, 4), (6, 10, 8))


def chosen_of(layout, fragments=None):
    placed = layout.placed(fragments or layout.fragments(depth=20))
    return deep_followers(layout.links(placed), layout.copies(placed), placed, layout.ends, OPTIONS)


def test_ends_in_more_copies_than_the_rest_are_not_joined():
    """Deep reads at the end of A, as at the rest of a tandem array."""
    layout = Layout(PLASMID[0], ((0,), *PLASMID[1] * 4))
    placed = layout.placed(layout.fragments(depth=20))
    placed.end_starts[2] *= 4
    found = deep_followers(layout.links(placed), layout.copies(placed), placed, layout.ends, OPTIONS)
    assert heads(found) == both_strands((6, 8))


def heads(chosen):
    return {(tail, link.head) for tail, link in chosen.items()}


def both_strands(*found):
    return {*found, *((head ^ 1, tail ^ 1) for tail, head in found)}


@pytest.mark.parametrize("n_copies", [3, 10])
def test_repeat_of_a_plasmid_is_resolved(n_copies):
    lengths, walks = PLASMID
    layout = Layout(lengths, ((0,), *walks * n_copies))
    assert heads(chosen_of(layout)) == both_strands((2, 4), (6, 8))


def test_single_copy_sequence_is_left_to_the_rule_of_it():
    lengths, walks = PLASMID
    assert chosen_of(Layout(lengths, ((0,), *walks))) == {}


def test_joins_are_independent_of_the_order_of_pairs():
    lengths, walks = PLASMID
    layout = Layout(lengths, ((0,), *walks * 4))
    fragments = layout.fragments(depth=20)
    others = [pair[::-1] for pair in random.Random(1).sample(fragments, len(fragments))]
    assert chosen_of(layout, fragments) == chosen_of(layout, others) != {}


def test_long_repeats_are_not_joined_where_some_copies_have_other_neighbours():
    """R and S are neighbours at one of three places of each; A to J are their other neighbours."""
    lengths = (CHROMOSOME, 2500, 2500, *(3000,) * 10)
    r, s = 2, 4
    flanks = range(6, 26, 2)
    a, b, c, d, e, f, g, h, i, j = flanks
    layout = Layout(lengths, ((0,), (a, r, s, b), (c, r, d), (e, r, f), (g, s, h), (i, s, j)))
    assert chosen_of(layout) == {}


def test_long_repeats_of_other_depth_are_not_joined():
    """S follows R at all of its three places, and is at six others."""
    lengths = (CHROMOSOME, 2500, 2500, *(3000,) * 6)
    r, s = 2, 4
    a, b, c, d, e, f = range(6, 18, 2)
    layout = Layout(lengths, ((0,), (a, r, s, b), (c, r, s, d), (e, r, s, f), *((s,),) * 6))
    assert chosen_of(layout) == {}


def test_plasmid_of_many_copies_with_a_repeat_closes(tmp_path):
    chromosome, plasmid = random_bases(20_000, 3), with_repeat(6_000, 250, (1000, 4000), 7)
    pairs = [*pairs_of(chromosome, 20), *pairs_of(plasmid, 200, is_circular=True)]
    contigs = contigs_of(assembled(tmp_path, pairs))
    assert len(contigs) == 2
    assert is_part(contigs[0], chromosome)
    assert is_rotation(contigs[1], plasmid)
