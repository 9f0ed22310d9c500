"""Links of dead ends in thin parts of a genome: which of them join, and which leave a gap open."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.link_evidence import WITHIN_READS, LinkGraph
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.thin_joins import thin_joins, without_open

K = 31


def link_of(n_pairs, n_reads=0):
    reaches = ((WITHIN_READS, n_reads, 5.0),) * (n_reads > 0) + ((0, n_pairs, 200.0),) * (n_pairs > 0)
    return Link(0, 2, n_pairs + n_reads, 5.0, 9.0, 0.1, 30.0, reaches)


def ends_of(*lengths):
    return LinkGraph(K, np.repeat(np.array(lengths), 2), np.zeros(2 * len(lengths), np.bool_))


def copies_of(*depths):
    n = len(depths)
    return CopyNumbers(0.2, np.array(depths, np.float64), np.full(n, 100.0), np.ones(n))


@pytest.mark.parametrize(
    ("n_pairs", "n_reads", "has_thin_parts", "is_joined"),
    [(1, 1, False, True), (1, 1, True, False), (0, 2, True, False), (1, 0, True, True), (2, 1, True, True)],
)
def test_one_fragment_that_runs_across_joins_no_thin_parts(n_pairs, n_reads, has_thin_parts, is_joined):
    links = SimpleNamespace(only_links=lambda is_end: [link_of(n_pairs, n_reads)] * bool(is_end[0]))
    found = thin_joins({}, links, ends_of(2_000, 2_000), np.ones(2, np.bool_), has_thin_parts)
    assert (0 in found) == is_joined


@pytest.mark.parametrize(
    ("n_pairs", "lengths", "has_thin_parts", "is_kept"),
    [
        (3, (1_030, 5_000), True, True),
        (3, (1_029, 5_000), True, False),
        (3, (5_000, 400), True, False),
        (2, (5_000, 5_000), True, False),
        (9, (5_000, 5_000), False, False),
    ],
)
def test_gaps_of_thin_parts_need_three_pairs_and_long_unitigs(n_pairs, lengths, has_thin_parts, is_kept):
    found = {0: Join(link_of(n_pairs, 9), None, True)}
    assert (without_open(found, ends_of(*lengths), copies_of(1.0, 0.3), has_thin_parts) == found) == is_kept


@pytest.mark.parametrize(
    ("length", "depth", "has_thin_parts", "is_kept"),
    [(400, 0.4, True, False), (400, 0.5, True, True), (2_000, 0.1, True, True), (400, 0.1, False, True)],
)
def test_no_gap_stays_open_beside_short_thin_unitigs(length, depth, has_thin_parts, is_kept):
    found = {0: Join(link_of(9), None)}
    assert (without_open(found, ends_of(5_000, length), copies_of(1.0, depth), has_thin_parts) == found) == is_kept


def test_joins_along_paths_are_kept():
    found = {0: Join(link_of(1), (4,), True)}
    assert without_open(found, ends_of(100, 100), copies_of(1.0, 0.1), True) == found
