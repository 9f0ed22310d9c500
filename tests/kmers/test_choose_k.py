from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

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
    ("read_bp", "base_depth", "least", "most"),
    [(35, 130, 19, 25), (50, 100, 25, 37), (100, 500, 61, 75), (150, 60, 77, 97), (150, 137, 85, 105),
     (250, 100, 131, 161), (300, 200, 175, 195), (150, 30, 61, 85), (150, 20, 41, 55),
     (150, 10, 21, 25), (25, 100, 15, 17)],
)  # fmt: skip
def test_choices(read_bp: int, base_depth: float, least: int, most: int) -> None:
    lengths, estimate = case(read_bp, base_depth)
    assert least <= choose_k(lengths, estimate).k <= most


def test_uneven_coverage_gets_a_small_k() -> None:
    lengths, estimate = case(250, 300)
    assert choose_k(lengths, replace(estimate, low_depth=10.0)).k == 49
    lengths, estimate = case(150, 300)
    choice = choose_k(lengths, replace(estimate, peak=None))
    assert choice.k == 31
    assert "uneven" in choice.why


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
    assert choice.k % 2 == 1
    assert 15 <= choice.k <= 255
    assert choice.k <= max(15, 0.75 * read_bp)
    assert f"k = {choice.k}" in choice.why
    assert spectrum_k(lengths) % 2 == 1


@given(st.integers(60, 300), st.floats(5, 300), st.floats(1.1, 4))
def test_more_depth_never_means_a_smaller_k(read_bp: int, base_depth: float, factor: float) -> None:
    assert choose_k(*case(read_bp, base_depth)).k <= choose_k(*case(read_bp, factor * base_depth)).k


def test_depth_left_another_k() -> None:
    lengths, estimate = case(100, 50)
    assert depth_left(31, lengths, estimate) == 1
    assert estimate.depth * depth_left(61, lengths, estimate) == pytest.approx(50 * 0.4 * 0.998**61)
