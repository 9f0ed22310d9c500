"""Repeats behind ends of walks, verified by reads."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.pairs.extension import verified_bases
from debruijn_gpu.pairs.gap_reads import EndReads
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.placed_reads import LoosePairs
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import random_bases
from tests.pairs.test_closing import K, unitigs_of

GENOME = random_bases(600, 3)
#: A unitig, and two repeats behind it
PARTS = GENOME[:300], GENOME[300 - K + 1 : 360], GENOME[360 - K + 1 : 400]
READ_BP = 60
FROM_FIRST_MATES = 27  # bases that first mates have behind their unitig
LIBRARY = Library(0, "FR", np.array([200]), np.ones(1, np.int64), 200.0, 1.0)


def confirmed(genome, strands=(0, 0, 0), changed=None, step=3, read_bp=READ_BP):
    """Bases confirmed behind the first unitig by pairs whose first mates are on it, in batches of two pairs.

    Its other end, and those of the others, have no reads, and stay as they are.
    """
    graph = unitigs_of(
        *(reverse_complement(part) if strand else part for part, strand in zip(PARTS, strands, strict=True))
    )
    reads, anchors = [], []
    for start in range(150, 270, step):
        mate = reverse_complement(genome[start + 200 - read_bp : start + 200])
        reads += [genome[start : start + read_bp], mate if changed is None else changed(mate)]
        first = strands[0], start
        anchors.append((*first, *first, -1, 0, -1, 0))
    numbers = np.arange(len(anchors))
    places = np.stack((numbers // 2, numbers % 2 * 2, numbers // 2, numbers % 2 * 2 + 1))
    loose = LoosePairs(np.array(anchors).T, np.full((2, len(anchors)), read_bp), places)
    ends = LinkGraph(K, np.repeat(np.diff(graph.sequences.offsets), 2), np.ones(6, np.bool_))
    batches = [batch_of(reads[i : i + 4]) for i in range(0, len(reads), 4)]
    tail, *behind = (2 * i + strand for i, strand in enumerate(strands))
    others = [tail ^ 1, *behind, *(vertex ^ 1 for vertex in behind)]
    vertices = np.array(sorted([tail, *others]))
    end_reads = EndReads(vertices, [(LIBRARY, loose)], ends, batches, backends.load(RunOptions()))
    with_reads = [end for end in others if len(end_reads.of(end)[0])]
    found = verified_bases({tail: behind, **dict.fromkeys(others, ())}, graph, end_reads, threads=2)
    assert with_reads == []
    assert [found[end] for end in others] == [0] * len(others)
    return found[tail]


@pytest.mark.parametrize("strands", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
def test_bases_that_reads_hold_are_confirmed(strands):
    assert confirmed(GENOME, strands) == 100


@pytest.mark.parametrize(
    ("place", "n"), [(269, -30), (285, -15), (299, -1), (300, 0), (301, 1), (359, 59), (360, 60), (399, 99), (400, 100)]
)
def test_bases_from_one_on_that_reads_do_not_hold_are_not(place, n):
    """Reads have to hold the k - 1 bases before the repeats, too."""
    other = GENOME[:place] + "ACGT"[("ACGT".index(GENOME[place]) + 1) % 4] + GENOME[place + 1 :]
    assert confirmed(other) == n


def test_ambiguous_bases_confirm_nothing():
    assert confirmed(GENOME, changed=lambda mate: mate[:30] + "N" + mate[31:], step=60) == -(K - 1)
    assert confirmed(GENOME, changed=lambda mate: "N" * len(mate)) == FROM_FIRST_MATES


@pytest.mark.parametrize(("overlap_bp", "n"), [(21, 27), (29, 27), (30, 100)])
def test_reads_that_meet_in_too_few_bases_do_not_confirm_what_neither_holds(overlap_bp, n):
    """First mates end before base 327; other reads begin some bases before it."""
    starts = itertools.cycle((327 - overlap_bp, 320, 340))
    others = (reverse_complement(GENOME[start : start + READ_BP]) for start in starts)
    assert confirmed(GENOME, changed=lambda _mate: next(others)) == n


def test_kmers_across_two_reads_confirm_nothing():
    assert confirmed(GENOME, changed=lambda mate: mate[:20]) == FROM_FIRST_MATES


@pytest.mark.parametrize(("read_bp", "n"), [(100, 40), (92, 100)], ids=["in windows", "reads too short for windows"])
def test_what_two_places_share_does_not_lead_from_one_to_the_other(read_bp, n):
    """The repeats begin as the place of the unitig continues, for 40 bases, and then are of another place."""
    own = GENOME[:340] + random_bases(260, 4)
    other = random_bases(300, 5) + GENOME[300:400] + random_bases(200, 6)
    starts = itertools.cycle(range(220, 380, 4))
    found = confirmed(own, changed=lambda _mate: other[(at := next(starts)) : at + read_bp], read_bp=read_bp, step=2)
    assert n <= found < n + 4  # as far as the two agree by chance


def test_ends_without_reads_are_neither_extended_nor_shortened():
    graph = unitigs_of(*PARTS)
    ends = LinkGraph(K, np.repeat(np.diff(graph.sequences.offsets), 2), np.ones(6, np.bool_))
    end_reads = EndReads(np.array([0]), [], ends, [], backends.load(RunOptions()))
    assert verified_bases({0: [2]}, graph, end_reads, threads=1) == {0: 0}
    assert verified_bases({}, graph, end_reads, threads=1) == {}
