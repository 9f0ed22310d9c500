"""Links, unambiguous intervals and packed sequences of segments."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given, strategies as st

from debruijn_gpu.mapping.segments import encode, linked_segments, packed_intervals
from tests.helpers import unpack


def of(sequences, links=()):
    pairs = np.array([link[:2] for link in links], np.int64).reshape(-1, 2)
    overlaps = np.array([link[2] for link in links], np.int64)
    lengths = np.array([len(sequence) for sequence in sequences], np.int64)
    return linked_segments(encode("".join(sequences).encode()), lengths, pairs, overlaps)


@given(st.lists(st.text("ACGTN", max_size=50) | st.text("ACGT", max_size=80), max_size=5))
def test_intervals_hold_all_bases_but_ambiguous_ones(sequences):
    linked = of(sequences)
    expected = [
        (i, found.start(), len(found[0])) for i, text in enumerate(sequences) for found in re.finditer("[ACGT]+", text)
    ]
    columns = linked.interval_segments, linked.interval_starts, linked.interval_lengths
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert unpack(packed_intervals(linked)) == [sequences[i][start : start + n] for i, start, n in expected]


def test_letters_of_both_cases_and_uracil():
    assert encode(b"ACGTUacgtuNn-").tolist() == [0, 1, 2, 3, 3, 0, 1, 2, 3, 3, 4, 4, 4]


def test_links_are_in_both_directions_and_once():
    linked = of(["ACGT", "ACGT"], [(0, 2, 3), (3, 1, 3), (2, 2, 0), (0, 1, 2)])
    rows = [linked.col[a:b].tolist() for a, b in zip(linked.row_ptr, linked.row_ptr[1:], strict=False)]
    assert rows == [[1, 2], [], [2], [1, 3]]
    assert linked.overlaps.tolist() == [2, 3, 0, 3, 0]
