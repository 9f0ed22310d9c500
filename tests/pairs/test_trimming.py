"""Ends of walks that reads of their own side do not confirm."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.splitting import places_of_parts, split_unitigs
from debruijn_gpu.pairs.trimming import TrimmedEnds, checked_ends, trims, walk_ends, without_thin_links
from debruijn_gpu.pairs.walks import Walk
from tests.helpers import first_quick
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import assembled, contigs_of, pairs_of, random_bases
from tests.pairs.layouts import graph_of
from tests.pairs.test_closing import K, spelled, unitigs_of

GENOME = random_bases(700, 8)


def copies_of(*copies, unsure=()):
    numbers = np.array(copies, np.float64)
    is_sure = ~np.isin(np.arange(len(copies)), unsure)
    return CopyNumbers(0.1, numbers, 1e3 * is_sure, np.ones(len(numbers)))


def trimmed(n_trimmed, n=1):
    """Two linear unitigs of 300 bases each, cut where their ends are trimmed."""
    graph = unitigs_of(GENOME[:300], GENOME[400:])
    kept = [([], (tail, int(graph.n_kmers[tail >> 1]) - n)) for tail, n in n_trimmed.items()]
    return TrimmedEnds(split_unitigs(graph, places_of_parts(kept, graph.n_kmers)), n_trimmed)


@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize(("behind", "before"), [(0, 0), (20, 0), (0, 7), (20, 7), (200, 69)])
def test_walks_lose_what_is_trimmed(step, behind, before):
    ends = trimmed({tail: n for tail, n in ((0, behind), (1, before)) if n})
    walk = ends.walk(Walk([step]))
    text = spelled(ends.split.graph, walk.steps)
    assert (reverse_complement(text) if step else text) == GENOME[before : 300 - behind]
    assert ends.end(step) == walk.steps[-1]
    assert ends.end(step ^ 1) == walk.steps[0] ^ 1


def test_circular_walks_stay():
    assert trimmed({2: 5}).walk(Walk([0, 2], True)).steps == [0, 2, 4]


def test_gaps_grow_by_what_is_trimmed():
    link = Link(0, 3, 9, 50.0, 5.0, 1.0, 9.0, ())
    back = replace(link, tail=2, head=1)
    ends = trimmed({0: 20, 2: 7})
    found = ends.joins({0: Join(link, None), 2: Join(back, None)})
    assert {tail: (join.link.tail, join.link.head, join.link.gap_bp) for tail, join in found.items()} == {
        0: (0, 3, 77.0),
        2: (2, 1, 77.0),
    }
    turned = trimmed({1: 20, 3: 7}).joins({1: Join(replace(link, tail=1, head=2), None)})
    (join,) = turned.values()
    assert (join.link.tail, join.link.head, join.link.gap_bp) == (5, 6, 77.0)


def test_closed_gaps_stay():
    join = Join(Link(0, 3, 9, 50.0, 5.0, 1.0, 9.0, ()), (4,))
    assert trimmed({2: 7}).joins({0: join}) == {0: join}


def test_ends_of_repeats_and_circles_are_not_checked():
    is_checked = checked_ends(copies_of(1, 3, 1, 2, unsure=[3]))
    assert np.flatnonzero(is_checked).tolist() == [0, 1, 4, 5, 6, 7]
    walks = [Walk([0, 2, 5]), Walk([7]), Walk([2]), Walk([0, 4], True)]
    assert walk_ends(walks, is_checked) == [1, 5, 6, 7]


def test_unitigs_keep_a_kmer():
    n_kmers = np.array([50, 10])
    assert trims({0: -49, 3: 4, 2: 0}, n_kmers) == {0: 49}
    assert trims({0: -50}, n_kmers) == {}
    assert trims({0: -30, 1: -20}, n_kmers) == {0: 30}
    assert trims({0: -30, 1: -19}, n_kmers) == {0: 30, 1: 19}


def links_of(kmer_counts):
    """Unitigs 0 to 4 beside 5 and 6: a link, one with bases of its own, a repeat, a dead end, and a chain."""
    edges = graph_of({(10, 2 * u) for u in range(5)} | {(2 * u, 12) for u in (0, 1, 2, 4)}, 7)
    unitigs = unitigs_of(*[GENOME[:50]] * 7)
    n_kmers = np.array([K - 1, K, K - 1, K - 1, K - 1, 100, 100])
    return replace(unitigs, graph=edges, n_kmers=n_kmers, kmer_counts=np.array(kmer_counts))


def test_links_between_repeats_are_no_contigs():
    graph = links_of([900] * 7)
    copies = copies_of(0.7, 0.7, 2.0, 0.7, 0.7, 1, 1, unsure=[0, 1, 2, 3, 4])
    walks = [Walk([2 * u]) for u in range(4)] + [Walk([10, 8])]
    kept = without_thin_links(walks, graph, copies, 1.5)
    assert [walk.steps for walk in kept] == [[2], [4], [6], [10, 8]]
    assert without_thin_links([Walk([4])], graph, copies, 2.5) == []
    circle = [Walk([0], True)]
    assert without_thin_links(circle, graph, copies, 1.5) == circle


@pytest.mark.parametrize(("missing", "kept"), [(0, [2, 4, 6, 10]), (1, [2, 10])])
def test_dead_ends_that_links_alone_extended_are_no_contigs(missing, kept):
    """Short unitigs beside neighbours whose k-mers are not all in reads; unitig 5 is long."""
    graph = links_of([K - 1 - missing, K - missing, K - 1 - missing, K - 1 - missing, 900, 99, 100])
    copies = copies_of(1, 1, 2, 1, 1, 1, 1, unsure=[2])
    walks = [Walk([2 * u]) for u in (1, 2, 3, 5)]
    assert [walk.steps[0] for walk in without_thin_links(walks, graph, copies, 1.5)] == kept


def with_unlike_copies(seed, identity=0.95):
    """A genome with four copies of a repeat that is longer than fragments."""
    chance, genome = random.Random(seed), random_bases(12_000, seed)
    repeat = random_bases(800, seed + 1000)
    for place in (1000, 4000, 7000, 10_000):
        copy = "".join(base if chance.random() < identity else chance.choice("ACGT") for base in repeat)
        genome = genome[:place] + copy + genome[place + len(copy) :]
    return genome


@pytest.mark.parametrize("seed", first_quick([1, 7, 10, 14, 21, 32], 2))
def test_contigs_end_where_another_copy_of_a_repeat_begins(tmp_path, seed):
    """At a depth of 9, reads of some places between the copies' differences are missing."""
    genome = with_unlike_copies(seed)
    both = genome + "-" + reverse_complement(genome)
    contigs = contigs_of(assembled(tmp_path, pairs_of(genome, depth=9, seed=seed)))
    assert all(contig in both for contig in contigs)
    assert sum(map(len, contigs)) > 11_000
