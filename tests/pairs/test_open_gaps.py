"""Open gaps beside short unitigs."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.open_gaps import without_doubtful_gaps

SIZES = np.array([380, 420])
LIBRARY = Library(0, "FR", SIZES, np.array([50, 50]), 400.0, 20.0)


def tails_kept(lengths, leads_on, starts, is_repeat=(False, False), path=None):
    """Tails of the join of unitigs 0 and 1 that are kept; ``leads_on`` is that of the facing ends."""
    link = Link(0, 2, 5, 30.0, 20.0, 1.0, 5.0, ())
    back = Link(3, 1, 5, 30.0, 20.0, 1.0, 5.0, ())
    found = {0: Join(link, path), 3: Join(back, path)}
    ends = LinkGraph(31, np.repeat(lengths, 2), np.array([leads_on[0], False, False, leads_on[1]]))
    repeats = np.array(is_repeat)
    copies = CopyNumbers(1.0, np.where(repeats, 5.0, 1.0), np.full(2, 1e3), np.ones(2))
    return sorted(without_doubtful_gaps(found, ends, copies, np.array(starts), [LIBRARY]))


def test_gap_of_a_short_unitig_of_few_reads_that_leads_on_is_left_out():
    assert tails_kept([300, 5_000], (True, False), [10, 200]) == []
    assert tails_kept([300, 5_000], (False, True), [10, 200]) == []
    assert tails_kept([5_000, 300], (True, False), [200, 10]) == []


def test_gap_between_dead_ends_is_kept():
    assert tails_kept([300, 5_000], (False, False), [10, 200]) == [0, 3]


def test_gap_of_unitigs_as_long_as_fragments_is_kept():
    assert tails_kept([400, 5_000], (True, True), [10, 200]) == [0, 3]


def test_gap_of_a_short_unitig_of_many_reads_is_kept_unless_it_is_a_repeat():
    assert tails_kept([300, 5_000], (True, True), [40, 200]) == [0, 3]
    assert tails_kept([300, 500], (True, True), [90, 90], (True, True)) == []


def test_path_is_kept():
    assert tails_kept([300, 5_000], (True, True), [10, 200], path=(8,)) == [0, 3]
