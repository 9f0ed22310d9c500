from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.kmers.choose_k import choose_k
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate, estimate, is_saturated, n_possible_kmers
from debruijn_gpu.kmers.spectrum_model import fit
from debruijn_gpu.reads.read_statistics import ReadLengths
from tests.naive.sequences import reverse_complement

GENOME_BP = 200_000


def spectrum(frequency: dict[int, int], k: int = 31) -> Spectrum:
    multiplicity = sorted(frequency)
    return Spectrum(k, np.array(multiplicity, np.int64), np.array([frequency[m] for m in multiplicity], np.int64))


def simulated(depth: float, errors: float = 0.06, spread: float = 0.0, halved: float = 0.0) -> Spectrum:
    """Spectrum of a genome: Poisson around a depth (gamma-distributed if spread); most errors seen once."""
    rng = np.random.default_rng(7)
    expected = np.full(GENOME_BP, float(depth))
    expected[: int(halved * GENOME_BP)] /= 2
    if spread:
        expected *= rng.gamma(1 / spread**2, spread**2, GENOME_BP)
    genomic = rng.poisson(expected)
    erroneous = 1 + rng.poisson(0.03, int(errors * depth * GENOME_BP))
    histogram = np.bincount(np.concatenate((genomic, erroneous)))
    multiplicity = np.flatnonzero(histogram[1:]) + 1
    return Spectrum(31, multiplicity, histogram[multiplicity])


@pytest.mark.parametrize("depth", [4, 6, 10, 20, 30, 60, 100, 400])
def test_even_coverage(depth: int) -> None:
    found = estimate(simulated(depth))
    assert found.peak == pytest.approx(depth, rel=0.03)
    assert found.depth == found.peak
    assert found.genome_bp == pytest.approx(GENOME_BP, rel=0.02)
    assert found.error_fraction == pytest.approx(0.06, abs=0.015)
    assert found.error_rate == pytest.approx(1 - (1 - 0.06) ** (1 / 31), rel=0.3)
    assert found.low_depth <= depth


@pytest.mark.parametrize(
    ("depth", "cutoffs"),
    [(1, {1}), (2, {1}), (3, {1}), (4, {1}), (5, {1}), (8, {1}), (12, {1}), (16, {2, 3}), (60, {3, 4, 5})],
)
def test_cutoff_grows_with_depth(depth: int, cutoffs: set[int]) -> None:
    assert estimate(simulated(depth)).cutoff in cutoffs


@pytest.mark.parametrize("depth", [10, 30, 60, 200])
def test_cutoff_takes_few_kmers_of_the_genome(depth: int) -> None:
    cutoff = estimate(simulated(depth)).cutoff
    assert sum(math.exp(-depth) * depth**m / math.factorial(m) for m in range(cutoff)) < 1e-4


@pytest.mark.parametrize("depth", [5, 10, 30, 100])
def test_reads_without_errors(depth: int) -> None:
    found = estimate(simulated(depth, errors=0))
    assert (found.cutoff, found.error_fraction, found.error_rate) == (1, 0.0, 0.0)
    assert found.peak == pytest.approx(depth, rel=0.03)


@pytest.mark.parametrize("depth", [20, 60])
def test_overdispersed_coverage(depth: int) -> None:
    found = estimate(simulated(depth, spread=0.4))
    assert found.peak == pytest.approx(depth, rel=0.25)
    assert found.genome_bp == pytest.approx(GENOME_BP, rel=0.3)
    assert found.cutoff <= 4
    assert found.low_depth < 0.6 * found.depth


@pytest.mark.parametrize(("halved", "peak"), [(0.3, 60), (0.7, 30)])
def test_two_alleles_give_the_commoner_peak(halved: float, peak: int) -> None:
    assert estimate(simulated(60, halved=halved)).peak == pytest.approx(peak, rel=0.03)


def test_a_genome_itself_has_no_peak() -> None:
    found = estimate(spectrum({1: 4_500_000, 2: 30_000, 3: 4_000, 7: 5_000}))
    assert found.peak is None
    assert (found.cutoff, found.genome_bp) == (1, 4_539_000)


def test_expression_levels_have_no_peak() -> None:
    rng = np.random.default_rng(3)
    counts = np.concatenate((rng.poisson(np.exp(rng.normal(2, 2, 100_000))), 1 + rng.poisson(0.05, 600_000)))
    histogram = np.bincount(counts)
    multiplicity = np.flatnonzero(histogram[1:]) + 1
    found = estimate(Spectrum(31, multiplicity, histogram[multiplicity]))
    assert found.peak is None
    assert 2 <= found.cutoff <= 5


# 31-mers of real reads, smoothed: a phage in a pile-up of 900x, and a mitochondrion of 16.6 kb at 137x.
PILE_UP = (
    {1: 61915, 2: 12003, 3: 7050, 4: 4337, 5: 2405, 6: 1510, 7: 1015, 8: 629, 9: 512, 10: 377, 11: 351}
    | {m: 1 + round(350 * math.exp(-(m - 12) / 6)) for m in range(12, 60)}
    | dict.fromkeys(range(60, 300, 5), 1)
    | {m: 1 + round(2 * math.exp(-(((m - 700) / 120) ** 2))) for m in range(300, 1100)}
)
MITOCHONDRION = {1: 128003, 2: 8441, 3: 1103, 4: 173, 5: 62, 6: 19, 7: 27, 8: 4, 9: 2, 10: 6} | {
    m: round(16000 * math.exp(-((m - 100) ** 2) / 512) / 40) for m in range(40, 160)
}


def test_pile_up() -> None:
    found = estimate(spectrum(PILE_UP))
    assert found.peak == pytest.approx(700, rel=0.1)
    assert 10 <= found.cutoff <= 20


def test_small_genome_with_a_gap_between_errors_and_peak() -> None:
    found = estimate(spectrum(MITOCHONDRION))
    assert found.peak == pytest.approx(100, rel=0.02)
    assert found.cutoff in (3, 4, 5)
    assert found.genome_bp == pytest.approx(16_000, rel=0.05)


@pytest.mark.parametrize("k", range(1, 14))
def test_no_peak_where_nearly_all_possible_kmers_occur(k: int) -> None:
    """Counts of all k-mers lie around one mean, which says nothing about single-copy sequence."""
    counts = np.random.default_rng(k).poisson(80_000, min(n_possible_kmers(k), 5000))
    made = spectrum(dict(Counter((counts if k < 7 else counts // 2000).tolist())), k)
    found = estimate(made)
    assert (found.peak is None) == (k < 7)
    assert fit(made, found).depth == (None if k < 7 else pytest.approx(found.peak, rel=0.1))
    assert found.depth > 0
    chosen = choose_k(ReadLengths.of([100] * 1000), found)
    assert ("no depth that is typical" in chosen.why) == (k < 7)
    assert chosen.ks[0] == (21 if k < 7 else 37)


@pytest.mark.parametrize("k", range(1, 7))
def test_number_of_possible_kmers(k: int) -> None:
    words = map("".join, itertools.product("ACGT", repeat=k))
    assert n_possible_kmers(k) == len({min(word, reverse_complement(word)) for word in words})


def test_empty_spectrum() -> None:
    assert estimate(spectrum({})) == SpectrumEstimate(31, 1, None, 0.0, 0.0, 0, 0.0, 0.0)


@pytest.mark.parametrize("frequency", [{1: 1}, {1: 100}, {2: 1}, {5: 100}, {1: 5, 2: 5}, {3_000_000: 3}, {2**40: 1}])
def test_few_rows(frequency: dict[int, int]) -> None:
    found = estimate(spectrum(frequency))
    assert found.cutoff == 1
    assert found.error_fraction == 0.0


@given(
    st.dictionaries(st.integers(1, 60) | st.integers(1, 2**40), st.integers(1, 2**18), max_size=30),
    st.sampled_from([1, 2, 3, 4, 15, 31, 32, 64, 127, 255]),
)
def test_any_spectrum(frequency: dict[int, int], k: int) -> None:
    made = spectrum(frequency, k)
    found = estimate(made)
    assert found.cutoff >= 1
    assert 0.0 <= found.error_fraction <= 1.0
    assert 0.0 <= found.error_rate <= 1.0
    assert found.genome_bp >= 0
    if frequency:
        assert made.distinct_from(found.cutoff) > 0
        assert found.cutoff <= found.low_depth
        assert found.depth > 0
    assert made.n_distinct == sum(frequency.values())
    assert made.n_total == sum(m * n for m, n in frequency.items())


def test_long_kmers_are_never_saturated():
    assert is_saturated(3, 32)
    assert not is_saturated(10**9, 10**18)  # a report may say any k


@pytest.mark.parametrize("times", [2, 4, 8, 20])
def test_errors_that_recur_are_no_peak(times: int) -> None:
    """Of a small genome so deep that each k-mer with one wrong base occurs several times."""
    rng = np.random.default_rng(3)
    n, k, depth = 5_000, 31, 1500 * times
    errors = rng.poisson(times, 3 * k * n)
    single = np.ones(10 * n * times, np.int64)  # two errors
    histogram = np.bincount(np.concatenate((errors, single, rng.poisson(depth, n))))
    multiplicity = np.flatnonzero(histogram[1:]) + 1
    found = estimate(Spectrum(k, multiplicity, histogram[multiplicity]))
    assert found.peak == pytest.approx(depth, rel=0.02)
    assert found.genome_bp == pytest.approx(n, rel=0.1)


def test_a_rare_genome_beside_a_deep_plasmid_has_the_peak() -> None:
    rng = np.random.default_rng(4)
    histogram = np.bincount(np.concatenate((rng.poisson(8, 500_000), rng.poisson(4000, 3_000))))
    multiplicity = np.flatnonzero(histogram[1:]) + 1
    assert estimate(Spectrum(31, multiplicity, histogram[multiplicity])).peak == pytest.approx(8, rel=0.05)
