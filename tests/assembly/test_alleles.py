"""Differences of two sequences, as alleles of VCF."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from debruijn_gpu.assembly.alleles import differences
from tests.assembly.test_cleaning import with_error
from tests.helpers import random_sequence
from tests.naive import variants as naive


def found(sequence: str, start: int, stop: int, other: str) -> list[tuple[int, int, str]]:
    some = differences(sequence.encode(), start, stop, other.encode())
    return [(one.start, one.stop, one.replacement.decode()) for one in some]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("ACGTACGTAC", []),
        ("ACGTTCGTAC", [(4, 5, "T")]),
        ("ACGAACGTAG", [(3, 4, "A"), (9, 10, "G")]),
        ("ACGGGCGTAC", [(3, 5, "GG")]),
        ("ACGTCGTAC", [(3, 5, "T")]),
        ("ACGTGACGTAC", [(3, 4, "TG")]),
        ("ACCCGTACGTAC", [(0, 1, "ACC")]),
        ("ACACGTACGTAC", [(0, 0, "AC")]),
        ("ACGTAAC", [(4, 8, "A")]),
    ],
)
def test_differences(other: str, expected: list[tuple[int, int, str]]) -> None:
    assert found("ACGTACGTAC", 0, 10, other) == expected


def test_a_gap_of_several_bases_is_one_difference() -> None:
    sequence, other = "GATTACATCGGATCCA", "GATTACAACGTTCGGATCCT"
    assert found(sequence, 0, 16, other) == [(6, 7, "AACGT"), (15, 16, "T")]


@pytest.mark.parametrize(("n", "n_other"), [(60, 60), (60, 300), (300, 50), (49, 300)])
def test_long_sequences_that_have_nothing_in_common_are_one_difference(n, n_other):
    rng = np.random.default_rng(4)
    sequence, other = "A" + random_sequence(rng, n - 2) + "A", "C" + random_sequence(rng, n_other - 2) + "C"
    assert (found(sequence, 0, n, other) == [(0, n, other)]) == (min(n, n_other) >= 50)


@pytest.mark.parametrize(("spacing", "n_found"), [(20, 9), (12, 15), (9, 1)])
def test_alleles_that_differ_everywhere_are_one_difference(spacing, n_found):
    sequence = random_sequence(np.random.default_rng(5), 180)
    other = sequence
    for at in range(spacing // 2, 180, spacing):
        other = with_error(other, at)
    assert len(found(sequence, 0, 180, other)) == n_found


@given(st.text("AC", max_size=12), st.text("AC", max_size=12))
def test_differences_turn_one_sequence_into_the_other(one: str, other: str) -> None:
    changed = one
    for start, stop, replacement in reversed(found(one, 0, len(one), other)):
        changed = naive.replaced(changed, start, stop, replacement)
    assert changed == other


@given(st.text("AC", min_size=1, max_size=10), st.data())
def test_insertions_and_deletions_are_leftmost(sequence: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(sequence)))
    if data.draw(st.booleans()):
        stop, allele = start, data.draw(st.text("AC", min_size=1, max_size=4))
    else:
        stop, allele = data.draw(st.integers(start, len(sequence))), ""
        assume(stop > start)
    other = naive.replaced(sequence, start, stop, allele)
    differing = found(sequence, 0, len(sequence), other)
    assert differing == [naive.leftmost(sequence, start, stop, allele)]


@given(st.text("ACGT", min_size=30, max_size=60), st.text("ACGT", min_size=1, max_size=3), st.integers(10, 20))
def test_a_window_gives_the_differences_of_the_whole(sequence: str, inserted: str, at: int) -> None:
    other = sequence[:at] + inserted + sequence[at:]
    window = sequence[5:at] + inserted + sequence[at:25]
    assert found(sequence, 5, 25, window) == found(sequence, 0, len(sequence), other)
