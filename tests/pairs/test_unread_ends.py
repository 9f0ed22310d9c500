"""Dead ends that no read runs beyond."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.pairs.insert_sums import InsertSums
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.placed_reads import PlacedReads
from debruijn_gpu.pairs.placement import place_reads
from debruijn_gpu.pairs.unread_ends import without_unread
from tests.helpers import batch_of
from tests.pairs.examples import RUN, random_bases
from tests.pairs.test_closing import unitigs_of

ENDS = LinkGraph(61, np.repeat([2000, 3000], 2), np.array([False, True, False, False]))
RATES = np.full(4, 0.1)


def placed(beyond, mean_bp: int = 150) -> PlacedReads:
    none = np.zeros(4, np.int64)
    counts = None if beyond is None else np.array(beyond, np.int64)
    return PlacedReads(0, 0, 0, none[:2], none, np.empty((4, 0), np.int64), [], beyond=counts, mean_bp=mean_bp)


def least_bp(beyond, mean_bp=150, rate=0.1, ends=ENDS) -> list[int]:
    return without_unread(ends, placed(beyond, mean_bp), np.full(4, rate)).least_bp.tolist()


def test_mates_are_before_dead_ends_as_a_whole_where_no_read_runs_beyond():
    assert least_bp([0, 0, 0, 1]) == [140, 61, 140, 31]


def test_ends_are_as_before_where_nothing_is_measured_or_few_reads_are_expected():
    assert least_bp(None) == [31, 61, 31, 31]
    assert least_bp([0, 0, 0, 0], rate=0.02) == [31, 61, 31, 31]
    assert least_bp([0, 0, 0, 0], mean_bp=60) == [31, 61, 31, 31]


def test_bases_that_are_repeated_count_once():
    ends = replace(ENDS, further_bp=np.array([20, 0, 130, 0]))
    assert least_bp([0, 0, 0, 0], ends=ends) == [140, 61, 161, 140]


def test_reads_beyond_both_ends_are_counted_in_both_strands():
    genome = random_bases(1_000, 3)
    graph: UnitigGraph = unitigs_of(genome[200:700])
    reads = [genome[start : start + 100] for start in (90, 150, 189, 190, 300, 600, 610, 611, 650, 800)]
    found = place_reads(graph, [batch_of(reads)], 0, RUN, backends.load(RUN))
    assert found.beyond is not None
    assert found.beyond.tolist() == [2, 2]  # of 150 and 189, of 611 and 650
    assert found.mean_bp == 100


def test_expected_fragments_are_those_beside_holes():
    chance = np.random.default_rng(1)
    sizes, rate, middle = np.arange(360, 441), 0.03, 1_000
    gaps, n_found = [], 0
    for _ in range(6_000):
        starts = np.flatnonzero(chance.random(2 * middle) < rate / 2)
        stops = starts + chance.choice(sizes, len(starts))
        reads = np.concatenate((starts, stops - 100))
        left, right = reads[reads <= middle].max() + 100, reads[reads > middle].min()
        if left <= middle:
            gaps.append(float(right - left))
            n_found += int(np.count_nonzero((starts + 100 <= left) & (stops - 100 >= right)))
    ends = without_unread(replace(ENDS, leads_on=np.zeros(4, np.bool_)), placed([0, 0, 0, 0], 100), np.full(4, rate))
    assert ends.least_bp.tolist() == [31, 31, 31, 31]  # too few reads to know
    ends = replace(ends, further_bp=np.full(4, 100 - round(1 / rate) - 31))
    corners = ends.corners(np.zeros(len(gaps), np.int64), np.full(len(gaps), 2))
    expected = InsertSums(sizes, np.ones(len(sizes), np.int64)).n_pairs(corners, np.array(gaps)).sum() * rate / 2
    assert len(gaps) > 200
    assert n_found == pytest.approx(expected, rel=0.1)
