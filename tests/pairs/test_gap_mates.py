"""Gaps whose reads differ from the unitigs beside them."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.pairs.gap_mates import without_contradicted_gaps
from debruijn_gpu.pairs.gap_reads import EndReads
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.placed_reads import LoosePairs
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import random_bases
from tests.pairs.test_closing import K, unitigs_of

GENOME = random_bases(640, 5)
#: Two unitigs, and 40 bases between them
STOP, START = 300, 340
READ_BP, INSERT_BP = 60, 200
LIBRARY = Library(0, "FR", np.array([INSERT_BP]), np.ones(1, np.int64), float(INSERT_BP), 1.0)


def changed_at(places, genome=GENOME):
    """Genome with other bases at places."""
    return "".join(
        "ACGT"[("ACGT".index(base) + 1) % 4] if place in places else base for place, base in enumerate(genome)
    )


def pair(start, genome=GENOME, strands=(0, 0)):
    """Both mates of a fragment, and their anchors."""
    first = genome[start : start + READ_BP]
    second = reverse_complement(genome[start + INSERT_BP - READ_BP : start + INSERT_BP])
    from_end = start + INSERT_BP - START  # of the first base of the second mate, from the start of the second unitig
    lies = strands[0], start, 3 - strands[1], 300 - from_end
    return (first, second), (*lies[:2], *lies[:2], *lies[2:], *lies[2:])


def across(first, last, genome=GENOME):
    """A read from one unitig to the other whose mate is not placed."""
    text = genome[first:last]
    return (text, random_bases(READ_BP, first)), (0, first, 2, first - START, -1, 0, -1, 0)


def is_kept(fragments, strands=(0, 0), least_pairs=2, path=None, is_thin=False):
    """Whether the gap between the two unitigs is kept, for fragments as (mates, anchors)."""
    parts = GENOME[:STOP], GENOME[START:]
    graph = unitigs_of(
        *(reverse_complement(part) if strand else part for part, strand in zip(parts, strands, strict=True))
    )
    tail, head = strands[0], 2 + strands[1]
    link = Link(tail, head, len(fragments), 40.0, 5.0, 1.0, 9.0, ())
    found = {tail: Join(link, path, is_thin), head ^ 1: Join(link.turned, path, is_thin)}
    numbers = np.arange(len(fragments))
    places = np.stack((numbers, np.zeros_like(numbers), numbers, np.ones_like(numbers)))
    lengths = np.array([[len(mate) for mate in mates] for mates, _ in fragments]).T
    loose = LoosePairs(np.array([anchors for _, anchors in fragments]).T, lengths, places)
    ends = LinkGraph(K, np.full(4, 300), np.zeros(4, np.bool_))
    libraries = [(LIBRARY, loose)]
    batches = [batch_of(list(mates)) for mates, _ in fragments]
    end_reads = EndReads(np.array(sorted(found)), libraries, ends, batches, backends.load(RunOptions()))
    kept = without_contradicted_gaps(found, libraries, ends, end_reads, graph, least_pairs)
    assert set(kept) in ({tail, head ^ 1}, set())
    return bool(kept)


STARTS = (190, 200, 210, 220)
BESIDE = (225, 235, 245, 355, 365, 375)  # bases of both unitigs that all these fragments hold


@pytest.mark.parametrize("strands", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("places", [(225, 235, 245), (355, 365, 375), BESIDE])
def test_gap_whose_reads_share_differences_from_a_unitig_is_left_out(strands, places):
    assert is_kept([pair(start, strands=strands) for start in STARTS], strands)
    assert not is_kept([pair(start, changed_at(places), strands) for start in STARTS], strands)


def test_gap_whose_reads_differ_in_bases_of_their_own_is_kept():
    assert is_kept([pair(start, changed_at((start + 7, start + 31, start + 148))) for start in (190, 202, 214)])


def test_gap_whose_reads_share_one_difference_on_each_side_is_kept():
    assert is_kept([pair(start, changed_at((235, 365))) for start in STARTS])


def test_gap_with_agreeing_fragments_beside_differing_ones_is_kept():
    others = [pair(start, changed_at(BESIDE)) for start in STARTS]
    assert is_kept([*others, pair(195), pair(205)])
    assert not is_kept([*others, pair(195)])
    assert is_kept([*others, pair(195)], least_pairs=1)


def test_copies_of_a_fragment_count_once():
    others = [pair(start, changed_at(BESIDE)) for start in STARTS]
    assert not is_kept([*others, pair(195), pair(195)])
    error = pair(200, changed_at(BESIDE))
    assert is_kept([error, error, pair(190)])


def test_reads_across_the_gap_count_on_both_sides():
    places = (245, 255, 345, 355)
    assert is_kept([across(200, 390), across(210, 400)])
    assert not is_kept([across(200, 390, changed_at(places)), across(210, 400, changed_at(places))])


def test_pairs_that_link_others_do_not_count():
    _, anchors = pair(200)
    elsewhere = pair(200)[0], (*anchors[:4], -1, 0, -1, 0)
    assert not is_kept([pair(start, changed_at(BESIDE)) for start in STARTS] + [elsewhere] * 2)


def test_paths_and_thin_joins_are_kept():
    others = [pair(start, changed_at(BESIDE)) for start in STARTS]
    assert is_kept(others, path=(4,))
    assert is_kept(others, is_thin=True)


def test_gap_that_no_pair_of_placed_mates_links_is_kept():
    mates, anchors = pair(200)
    assert is_kept([(mates, (*anchors[:4], -1, 0, -1, 0))])
