"""Alignment of reads along links against exhaustive search, and the choice of walks between two anchors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.mapping.segments import encode, linked_segments
from tests.helpers import batch_of, random_sequence
from tests.naive import alignments as naive
from tests.naive.kmers import reverse_complement


def align(segments, links, reads, anchors):
    """Align reads by anchors (vertex, start, vertex, start); ``links`` are (tail, head, overlap)."""
    pairs = np.array([link[:2] for link in links], np.int64).reshape(-1, 2)
    overlaps = np.array([link[2] for link in links], np.int64)
    lengths = np.array([len(segment) for segment in segments], np.int64)
    linked = linked_segments(encode("".join(segments).encode()), lengths, pairs, overlaps)
    return CPU.unitigs.align_reads(batch_of(reads), np.array(anchors, np.int64).reshape(-1, 4).T, linked)


def rows(found):
    """Alignments as tuples: read start and end, path start, mismatches, walk."""
    walks = np.split(found.steps, found.step_offsets[1:-1])
    columns = found.read_starts, found.read_ends, found.path_starts, found.n_mismatches
    return [(*map(int, numbers), walk.tolist()) for *numbers, walk in zip(*columns, walks, strict=True)]


def both_ways(links):
    """Overlaps by pair of vertices, in both directions."""
    found = {}
    for tail, head, overlap in links:
        found[tail, head] = found[head ^ 1, tail ^ 1] = overlap
    return found


@given(st.data())
def test_scores_are_the_highest_of_all_walks(data):
    segments = data.draw(st.lists(st.text("ACGT", min_size=3, max_size=8), min_size=1, max_size=4))
    vertices = st.integers(0, 2 * len(segments) - 1)
    links = data.draw(st.lists(st.tuples(vertices, vertices, st.just(0)), max_size=4))
    read = data.draw(st.text("ACGTN", min_size=4, max_size=14) | st.text("AC", min_size=4, max_size=14))
    vertex = data.draw(vertices)
    start = data.draw(st.integers(-3, 3))
    found = align(segments, links, [read], [(vertex, start, vertex, start)])
    n_mismatches = int(found.n_mismatches[0])
    first, last = int(found.read_starts[0]), int(found.read_ends[0])
    score = last - first - 5 * n_mismatches + 10 * ((first == 0) + (last == len(read))) if last else 0
    least, most = naive.highest_scores(read, vertex, -start, segments, both_ways(links))
    assert least <= score <= most


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_a_read_over_a_bubble_takes_its_branch(rng):
    left, right, branch = (random_sequence(rng, n) for n in (50, 50, 20))
    other = branch[:9] + ("A" if branch[9] != "A" else "C") + branch[10:]
    segments, links = [left, branch, other, right], [(0, 2, 0), (0, 4, 0), (2, 6, 0), (4, 6, 0)]
    for vertex, middle in ((2, branch), (4, other)):
        read = left[10:] + middle + right[:30]
        found = align(segments, links, [read], [(0, 10, 6, -60)])
        assert rows(found) == [(0, 90, 10, 0, [0, vertex, 6])]
        found = align(segments, links, [reverse_complement(read)], [(7, 20, 1, -50)])
        assert rows(found) == [(0, 90, 20, 0, [7, vertex + 1, 1])]


def test_of_equal_walks_the_first_in_the_order_of_vertices_is_taken(rng):
    left, right, branch = (random_sequence(rng, n) for n in (50, 50, 20))
    segments, links = [left, branch, branch, right], [(0, 4, 0), (0, 2, 0), (4, 6, 0), (2, 6, 0)]
    found = align(segments, links, [left[10:] + branch + right[:30]], [(0, 10, 6, -60)])
    assert rows(found) == [(0, 90, 10, 0, [0, 2, 6])]


def test_without_a_walk_the_longer_part_is_kept(rng):
    left, right = random_sequence(rng, 60), random_sequence(rng, 60)
    found = align([left, right], [], [left[:60] + right[:40], left[20:] + right], [(0, 0, 2, -60), (0, 20, 2, -40)])
    assert rows(found) == [(0, 60, 0, 0, [0]), (40, 100, 0, 0, [2])]


def test_a_read_around_the_origin_of_a_circle_passes_it(rng):
    circle = random_sequence(rng, 100)
    for overlap in (0, 20):
        segment = circle + circle[:overlap]
        read = (circle + circle)[70:130]
        found = align([segment], [(0, 0, overlap)], [read], [(0, 70, 0, -30)])
        assert rows(found) == [(0, 60, 70, 0, [0, 0])]


def test_vertices_within_overlaps_alone_are_left_out(rng):
    genome = random_sequence(rng, 120)
    segments, links = [genome[:70], genome[50:]], [(0, 2, 20)]
    found = align(
        segments, links, [genome[30:65], genome[50:90], genome[49:71]], [(0, 30) * 2, (2, 0) * 2, (2, -1) * 2]
    )
    assert rows(found) == [(0, 35, 30, 0, [0]), (0, 40, 0, 0, [2]), (0, 22, 49, 0, [0, 2])]
    assert found.path_lengths.tolist() == [70, 70, 120]


def test_ends_that_do_not_match_are_clipped(rng):
    contig, alien = random_sequence(rng, 200), random_sequence(rng, 60)
    read = alien[:30] + contig[50:130] + alien[30:]
    ((start, end, path_start, n_mismatches, walk),) = rows(align([contig], [], [read], [(0, 20) * 2]))
    assert abs(start - 30) < 4
    assert abs(end - 110) < 4
    assert (path_start, walk) == (20 + start, [0])
    assert n_mismatches <= 2


def test_a_mismatch_at_the_end_of_a_read_is_aligned(rng):
    contig = random_sequence(rng, 200)
    read = contig[50:129] + ("A" if contig[129] != "A" else "C")
    assert rows(align([contig], [], [read], [(0, 50) * 2])) == [(0, 80, 50, 1, [0])]


def test_long_walks_do_not_fill_the_steps(rng):
    segments = [random_sequence(rng, 3) for _ in range(120)]
    links = [(2 * i, 2 * i + 2, 0) for i in range(119)]
    read = "".join(segments[:101])
    found = rows(align(segments, links, [read] * 7, [(100, -150) * 2] * 7))
    assert found == [(0, 303, 0, 0, list(range(0, 202, 2)))] * 7


def test_cycles_without_bases_of_their_own_end(rng):
    segment = random_sequence(rng, 40)
    found = align([segment], [(0, 0, 40)], [segment + random_sequence(rng, 30)], [(0, 0) * 2])
    assert rows(found)[0][4] == [0]


def test_no_reads():
    found = align(["ACGT"], [], [], [])
    assert (len(found.read_starts), len(found.steps), found.step_offsets.tolist()) == (0, 0, [0])
