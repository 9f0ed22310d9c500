from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.kmers.choose_k import choose_k, depth_left, spectrum_k
from debruijn_gpu.kmers.spectrum import SpectrumEstimate
from debruijn_gpu.reads.read_statistics import ReadLengths

GENOME_BP = 1_000_000


def case(read_bp: int, base_depth: float, error_rate: float = 0.002) -> tuple[ReadLengths, SpectrumEstimate]:
    """Reads of one length and the estimate that their spectrum gives."""
    lengths = ReadLengths(np.array([read_bp]), np.array([int(base_depth * GENOME_BP / read_bp)]))
    k = spectrum_k(lengths)
    depth = base_depth * (read_bp - k + 1) / read_bp * (1 - error_rate) ** k
    return lengths, SpectrumEstimate(k, 3, depth, depth, 0.8 * depth, GENOME_BP, 0.06, error_rate)


@pytest.mark.parametrize(
    ("read_bp", "base_depth", "ks"),
    [(18, 20, (15,)), (19, 20, (15, 17)), (21, 20, (15, 19)), (50, 2, (21, 23)),
     (25, 100, (15, 23)), (35, 130, (17, 23, 31)), (35, 5, (17, 27)), (50, 100, (25, 35, 45)),
     (100, 500, (37, 55, 73, 93)), (100, 30, (29, 49, 71, 93)), (100, 10, (21, 43, 65, 89)), (100, 3, (21, 41, 63)),
     (150, 20, (21, 43, 67, 91, 115, 139)), (150, 40, (37, 57, 77, 97, 117, 139))],
)  # fmt: skip
def test_choices(read_bp: int, base_depth: float, ks: tuple[int, ...]) -> None:
    lengths, estimate = case(read_bp, base_depth)
    assert choose_k(lengths, estimate).ks == ks


@pytest.mark.parametrize(("base_depth", "last"), [(200, 139), (10, 129), (5, 113), (2, 65)])
def test_depth_bounds_the_last_k(base_depth: float, last: int) -> None:
    lengths, estimate = case(150, base_depth)
    assert abs(choose_k(lengths, estimate).k - min(last, K_MAX)) <= 4


def test_uneven_coverage_gets_all_k() -> None:
    lengths, estimate = case(150, 10)
    choice = choose_k(lengths, replace(estimate, peak=None))
    assert choice.ks == (21, 43, 67, 91, 115, 139)
    assert "no depth that is typical" in choice.why


@given(st.integers(20, 400), st.floats(1, 500))
def test_the_first_k_is_small_unless_kmers_are_deep_there(read_bp: int, base_depth: float) -> None:
    lengths, estimate = case(read_bp, base_depth)
    ks = choose_k(lengths, estimate).ks
    assert len(ks) == 1 or ks[0] <= max(21, min(37, read_bp // 2))
    assert ks[0] <= 21 or len(ks) == 1 or estimate.depth * depth_left(ks[0], lengths, estimate) >= 20


def test_uneven_coverage_begins_at_a_small_k() -> None:
    assert choose_k(*case(150, 40), is_uneven=True).ks == (21, 43, 67, 91, 115, 139)


def test_sequences_are_not_reads() -> None:
    lengths = ReadLengths.of([4_600_000, 100_000])
    choice = choose_k(lengths, SpectrumEstimate(31, 1, None, 1.0, 1.0, 4_700_000, 0.0, 0.0))
    assert choice.k == 31
    assert "4600000 bp" in choice.why


def test_no_reads() -> None:
    lengths = ReadLengths.of([])
    assert spectrum_k(lengths) == 15
    assert choose_k(lengths, SpectrumEstimate(15, 1, None, 0.0, 0.0, 0, 0.0, 0.0)).k == 15


@given(st.integers(1, 400), st.floats(0.5, 2000), st.floats(0, 0.05))
def test_k_is_odd_and_within_bounds(read_bp: int, base_depth: float, error_rate: float) -> None:
    lengths, estimate = case(read_bp, base_depth, error_rate)
    choice = choose_k(lengths, estimate)
    assert all(k % 2 == 1 for k in choice.ks)
    assert list(choice.ks) == sorted(set(choice.ks))
    assert choice.ks[0] >= 15
    assert choice.k <= min(K_MAX, max(15, 0.93 * read_bp))
    assert f"k = {', '.join(map(str, choice.ks))}:" in choice.why
    assert spectrum_k(lengths) % 2 == 1


@given(st.integers(60, 300), st.floats(5, 300), st.floats(1.1, 4))
def test_more_depth_never_means_a_smaller_k(read_bp: int, base_depth: float, factor: float) -> None:
    assert choose_k(*case(read_bp, base_depth)).k <= choose_k(*case(read_bp, factor * base_depth)).k


def test_depth_left_another_k() -> None:
    lengths, estimate = case(100, 50)
    assert depth_left(31, lengths, estimate) == 1
    assert estimate.depth * depth_left(61, lengths, estimate) == pytest.approx(50 * 0.4 * 0.998**61)
