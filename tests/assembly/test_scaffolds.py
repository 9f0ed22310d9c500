"""Walks of contigs, and scaffolds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.assembly.links import links_at_ends
from debruijn_gpu.assembly.scaffolds import ordered_scaffolds, paths_of_segments, scaffold_stats, single_scaffolds
from tests.assembly.examples import contigs_of, fork
from tests.assembly.scaffold_examples import paths_of, resolved, scaffolds_of

FIELDS = ("offsets", "steps", "gaps", "n_pairs")


def test_links_at_the_ends_of_walks_are_those_of_their_segments():
    graph, walks, contigs, _scaffolds = resolved()
    assert walks.ends().tolist() == [[0, 4], [2, 8], [5, 5], [7, 7], [8, 8], [10, 10]]
    found = walks.links_at_ends(graph.links, len(graph))
    assert found.tolist() == [[0, 0], [0, 0], [1, 0], [2, 2], [0, 1], [0, 0]]
    assert len(walks.first(2)) == 2
    assert len(walks) == len(contigs)


def test_segments_themselves_have_their_own_links():
    found = paths_of_segments(3).links_at_ends(fork().links, 4)
    assert found.tolist() == links_at_ends(fork().links, 4)[:3].tolist()


def test_gaps_below_the_least_are_written_longer():
    _graph, _walks, contigs, scaffolds = resolved()
    assert scaffolds.is_gap.tolist() == [True, True, False, True, False, False]
    assert scaffolds.written_gaps.tolist() == [10, 300, 0, 10, 0, 0]
    assert scaffolds.lengths(contigs).tolist() == [35 + 10 + 26 + 300 + 9, 15 + 10 + 7, 6]
    assert scaffolds.starts(contigs).tolist() == [0, 45, 371, 0, 25, 0]


def test_sequences_are_contigs_with_n_between_them():
    _graph, _walks, contigs, scaffolds = resolved()
    first, second, _third, fourth = (contigs.sequence(i) for i in range(4))
    expected = first + b"N" * 10 + reverse_complement(second) + b"N" * 300 + fourth
    assert scaffolds.sequence(0, contigs) == expected
    spelled = scaffolds.spelled(0, 3, contigs)
    assert [spelled.sequence(i) for i in range(3)] == [scaffolds.sequence(i, contigs) for i in range(3)]
    assert spelled.circular.tolist() == [False, False, True]
    assert spelled.kmer_counts.tolist() == [7 * (35 + 26 + 9), 7 * (15 + 7), 7 * 6]
    assert spelled.n_kmers.tolist() == [31 + 22 + 5, 11 + 3, 2]


def test_statistics():
    _graph, _walks, contigs, scaffolds = resolved()
    found = scaffold_stats(scaffolds, contigs)
    assert (found.n_scaffolds, found.n_joined, found.n_gaps, found.gap_bp, found.n_pairs) == (3, 2, 3, 320, 16)
    assert (found.total_bp, found.largest_bp, found.n50_bp, found.l50) == (418, 380, 380, 1)
    assert found.sentence().startswith("3 scaffolds, 2 of them of several contigs; 3 gaps")
    one = replace(found, n_scaffolds=1, n_gaps=1)
    assert one.sentence().startswith("1 scaffold, 2 of them of several contigs; 1 gap ")
    none = scaffold_stats(scaffolds_of(), contigs_of([], 5))
    assert (none.n_scaffolds, none.n50_bp, none.largest_bp) == (0, None, 0)


def test_scaffolds_of_one_contig_each_are_the_contigs():
    _graph, _walks, contigs, _scaffolds = resolved()
    singles = single_scaffolds(len(contigs))
    spelled = singles.spelled(0, len(singles), contigs)
    assert spelled.text.tobytes() == contigs.text.tobytes()
    assert not singles.is_gap.any()
    assert singles.lengths(contigs).tolist() == contigs.lengths.tolist()


def test_no_scaffolds():
    none, contigs = single_scaffolds(0), contigs_of([], 5)
    assert len(ordered_scaffolds(none, contigs)) == 0
    assert len(none.spelled(0, 0, contigs)) == 0


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("2- 1-", (5, 2)), ("1+ 2+", (5, 2))),
        (("2+ 1+", (5, 2)), ("2+ 1+", (5, 2))),
        (("3+ 1- 2+", (5, 2), (-6, 3)), ("2- 1+ 3-", (-6, 3), (5, 2))),
        (("1-",), ("1+",)),
    ],
)
def test_first_contig_is_forward(given, expected):
    contigs = contigs_of([b"ACCTTG", b"GGTTA", b"ACGT"], 3)
    assert_same(ordered_scaffolds(scaffolds_of(given), contigs), scaffolds_of(expected))


def test_scaffolds_are_ordered_by_length_then_sequence_then_contig():
    contigs = contigs_of([b"T" * 30, b"A" * 12, b"A" * 10, b"C" * 10, b"C" * 10, b"G" * 8], 3)
    given = scaffolds_of("5+", "4+", "1+", ("2+ 6+", (1, 1)), "3+")
    assert_same(ordered_scaffolds(given, contigs), scaffolds_of(("2+ 6+", (1, 1)), "1+", "3+", "4+", "5+"))


@st.composite
def layouts(draw):
    """Scaffolds of some contigs, and the same ones in another order and other strands."""
    sequences = draw(st.lists(st.text("AC", min_size=1, max_size=3).map(str.encode), min_size=1, max_size=8))
    sequences.sort(key=lambda sequence: (-len(sequence), sequence))
    ids = draw(st.permutations(range(1, len(sequences) + 1)))
    rows = []
    while ids:
        n = draw(st.integers(1, len(ids)))
        some, ids = ids[:n], ids[n:]
        words = [f"{i}{draw(st.sampled_from('+-'))}" for i in some]
        rows.append((words, [(draw(st.integers(-20, 20)), draw(st.integers(1, 9))) for _ in some[1:]]))
    turned = [reverse(row) if draw(st.booleans()) else row for row in draw(st.permutations(rows))]
    return contigs_of(sequences, 1), *(
        scaffolds_of(*((" ".join(words), *gaps) for words, gaps in some)) for some in (rows, turned)
    )


def reverse(row):
    words, gaps = row
    return [word[:-1] + "-+"[word[-1] == "-"] for word in words[::-1]], gaps[::-1]


@given(layouts())
def test_order_is_independent_of_the_given_order_and_strands(layout):
    contigs, given_one, other = layout
    found = ordered_scaffolds(given_one, contigs)
    assert_same(found, ordered_scaffolds(other, contigs))
    assert sorted(found.steps >> 1) == list(range(len(contigs)))
    sequences = [found.sequence(i, contigs) for i in range(len(found))]
    assert sequences == sorted(sequences, key=lambda sequence: (-len(sequence), sequence))
    assert [len(sequence) for sequence in sequences] == found.lengths(contigs).tolist()
    for i in range(len(found)):
        steps = found.steps[found.offsets[i] : found.offsets[i + 1]]
        assert steps[np.argmin(steps >> 1)] & 1 == 0


def assert_same(some, others):
    assert [getattr(some, name).tolist() for name in FIELDS] == [getattr(others, name).tolist() for name in FIELDS]


def test_walks_are_written_as_words():
    assert paths_of("1+ 3-").steps.tolist() == [0, 5]
