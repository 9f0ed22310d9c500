"""Bins of contigs of generated genomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.binning.basins import merge_by_contigs
from debruijn_gpu.binning.bins import bin_contigs
from debruijn_gpu.binning.composition import canonical_columns, count_canonical, cut_windows, log_ratios
from debruijn_gpu.binning.options import BinOptions
from debruijn_gpu.errors import ParameterError
from tests.binning.genomes import completeness_and_purity, markov_genome, mixed_contigs
from tests.naive import vectors as naive


@pytest.fixture(scope="module")
def mixture():
    """Contigs of five genomes of different length, and the genome of each."""
    genomes = [markov_genome(n, seed) for seed, n in enumerate((400_000, 100_000, 250_000, 60_000, 150_000))]
    return mixed_contigs(genomes, (10, 17, 30, 50, 90), 3)


@pytest.mark.slow
@pytest.mark.parametrize("options", [BinOptions(), BinOptions(seed=1), BinOptions(distance="taxicab")])
@pytest.mark.parametrize("has_depths", [True, False])
def test_five_genomes_are_binned_nearly_whole_and_pure(mixture, options, has_depths):
    contigs, truth = mixture
    if not has_depths:
        contigs = replace(contigs, depths=np.empty((len(contigs), 0)))
    found = bin_contigs(contigs, options, CPU)
    completeness, purity = completeness_and_purity(found.bins, truth, contigs.lengths)
    assert (completeness >= 0.9).all()
    assert (purity >= 0.9).all()
    assert found.n_bins == 5


@pytest.mark.slow
def test_a_single_genome_is_one_bin():
    contigs, _truth = mixed_contigs([markov_genome(300_000, 9)], [20], 1)
    assert bin_contigs(contigs, BinOptions(), CPU).bins.tolist() == [1] * len(contigs)


@pytest.mark.slow
def test_depth_alone_separates_genomes_of_one_composition():
    genome = markov_genome(240_000, 4)
    contigs, truth = mixed_contigs([genome[:120_000], genome[120_000:]], [10, 80], 2)
    found = bin_contigs(contigs, BinOptions(min_bin=1), CPU)
    completeness, purity = completeness_and_purity(found.bins, truth, contigs.lengths)
    assert (completeness == 1).all()
    assert (purity == 1).all()


@pytest.fixture(scope="module")
def few():
    """Few contigs, some of them short."""
    genomes = [markov_genome(30_000, seed, 5.0) for seed in (1, 2)]
    return mixed_contigs(genomes, (10, 40), 5, shortest=600, longest=9000)[0]


def test_bins_are_independent_of_threads(few):
    found = []
    for n in (1, 2, 5):
        threads.configure(n)
        one = bin_contigs(few, BinOptions(min_bin=1, epochs=9), CPU)
        found.append([array.tolist() for array in (one.bins, one.units, one.heights, one.unit_bins)])
    assert found[1:] == found[:1] * 2


def test_contigs_below_the_limits_are_unbinned(few):
    options = BinOptions(min_bin=1, min_length=2500, min_assigned=1500, epochs=9)
    found = bin_contigs(few, options, CPU)
    is_short = few.lengths < 1500
    assert is_short.any()
    assert (~is_short & (few.lengths < 2500)).any()
    assert ((found.units < 0) == is_short).all()
    assert ((found.bins == 0) == is_short).all()


def test_small_bins_are_given_up(few):
    found = bin_contigs(few, BinOptions(min_bin=1_000_000, epochs=9), CPU)
    assert found.n_bins == 0
    assert not found.unit_bins.any()


def test_bins_are_numbered_by_size(few):
    found = bin_contigs(few, BinOptions(min_bin=1, epochs=9), CPU)
    sizes = [few.lengths[found.bins == number].sum() for number in range(1, found.n_bins + 1)]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) > 0


def test_contigs_that_are_all_short_are_an_error(few):
    with pytest.raises(ParameterError, match="no contig of at least 50,000 bases"):
        bin_contigs(few, BinOptions(min_length=50_000), CPU)


@pytest.mark.parametrize("length", [1, 3, 4, 5, 99, 100, 101, 250])
def test_windows_hold_each_word_of_a_contig_once(length):
    codes = np.random.default_rng(length).integers(0, 4, 10 + length + 7).astype(np.uint8)
    offsets = np.array([0, 10, 10 + length, 17 + length])
    windows = cut_windows(offsets, np.array([1]), 50)
    assert len(windows) == max(1, length // 50)
    text = "".join("ACGT"[code] for code in codes[10 : 10 + length])
    assert count_canonical(codes, windows, CPU).sum(axis=0).tolist() == naive.canonical_counts(text)


def test_words_and_their_reverse_complements_share_a_column():
    columns = canonical_columns()
    assert sorted(set(columns.tolist())) == list(range(136))
    assert columns[0] == columns[255]  # AAAA and TTTT
    assert columns[0b00000001] == columns[0b10111111]  # AAAC and GTTT


def test_log_ratios_are_centred_and_the_same_for_more_of_the_same():
    counts = np.random.default_rng(2).integers(0, 90, (4, 136))
    ratios = log_ratios(counts)
    expected = np.log2(counts + 0.5)
    expected -= expected.mean(axis=1, keepdims=True)
    assert np.abs(ratios / 65536 - expected).max() < 1e-4
    assert np.abs(ratios.sum(axis=1)).max() <= 136


def test_basins_that_contigs_connect_are_merged():
    contigs = np.array([0, 0, 0, 1, 1, 2, 2, 3])
    basins = np.array([5, 5, 8, 5, 8, 9, 9, 8])
    assert merge_by_contigs(basins, contigs) == {8: 5}


def test_merges_follow_each_other():
    contigs = np.array([0, 0, 1, 1, 2, 2])
    basins = np.array([3, 7, 7, 1, 4, 4])
    merged = merge_by_contigs(basins, contigs)
    assert {basin: merged.get(basin, basin) for basin in (1, 3, 4, 7)} == {1: 1, 3: 1, 4: 4, 7: 1}
