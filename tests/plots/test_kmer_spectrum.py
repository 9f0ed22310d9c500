"""Plots of k-mer spectra."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.kmers.spectrum import Spectrum, estimate
from debruijn_gpu.kmers.spectrum_model import fit
from debruijn_gpu.plots import kmer_spectrum as drawing, plot
from debruijn_gpu.plots.kmer_spectrum import draw_kmer_spectrum, kmer_spectrum_svg
from debruijn_gpu.plots.plot import FORMATS
from tests.drawing.svg import drawn, texts
from tests.helpers import first_quick

pytest.importorskip("matplotlib")


def spectrum_of(*depths_and_numbers, errors=0, k=21):
    """Generate Poisson peaks, and errors that mostly occur once."""
    rng = np.random.default_rng(4)
    counts = [rng.poisson(depth, number) for depth, number in depths_and_numbers] + [rng.geometric(0.8, errors)]
    multiplicity, frequency = np.unique(np.concatenate(counts), return_counts=True)
    kept = multiplicity > 0
    return Spectrum(k, multiplicity[kept], frequency[kept])


NONE = np.zeros(0, np.int64)
ONE_PEAK = spectrum_of((40, 20_000), errors=90_000)


@pytest.mark.slow
@pytest.mark.parametrize("file_format", FORMATS)
def test_the_same_spectrum_gives_the_same_bytes(file_format):
    first = drawn(draw_kmer_spectrum, ONE_PEAK, file_format=file_format)
    assert first == drawn(draw_kmer_spectrum, ONE_PEAK, estimate(ONE_PEAK), file_format=file_format)
    assert b"Matplotlib" not in first


def test_what_it_tells_is_written():
    found = estimate(ONE_PEAK)
    lines = " ".join(texts(drawn(draw_kmer_spectrum, ONE_PEAK)))
    once = ONE_PEAK.frequency[0]
    for text in (
        "1×",
        f"genome about {found.genome_bp:,} bp",
        f"--min-count {found.cutoff}",
        f"← {once:,} occur once",
    ):
        assert text in lines


def test_peaks_have_their_multiples():
    diploid = spectrum_of((20, 9000), (40, 20_000), (80, 3000), errors=20_000)
    assert {"½×", "1×", "2×"} <= set(texts(drawn(draw_kmer_spectrum, diploid)))


def test_the_genome_has_most_of_the_height():
    """Whatever the errors."""
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    found = estimate(ONE_PEAK)
    drawing._draw_with_peaks(axes, ONE_PEAK, fit(ONE_PEAK, found), found)
    highest = ONE_PEAK.frequency[ONE_PEAK.multiplicity > 20].max()
    assert 0.6 < highest / axes.get_ylim()[1] < 0.9
    assert 60 < axes.get_xlim()[1] < 110


@pytest.mark.slow
@pytest.mark.parametrize(
    ("multiplicity", "frequency"),
    [
        ([], []),
        ([1], [1]),
        ([1], [5386]),
        ([1, 2], [100, 7]),
        ([40], [10**6]),
        ([10**12], [1]),
        ([1, 2, 10**6], [2**40, 2**41, 2**42]),
    ],
)
def test_any_spectrum_can_be_drawn(multiplicity, frequency):
    spectrum = Spectrum(31, np.array(multiplicity, np.int64), np.array(frequency, np.int64))
    found = " ".join(texts(drawn(draw_kmer_spectrum, spectrum)))
    assert ("no k-mers" in found) == (not frequency)
    drawn(draw_kmer_spectrum, spectrum, file_format="png")


def test_deep_spectra_have_fewer_bars():
    deep = spectrum_of((90_000, 20_000), errors=50_000)
    assert "k-mer depth 9" in " ".join(texts(drawn(draw_kmer_spectrum, deep)))
    tops, edges = drawing._bars(deep, 234_567)
    assert len(tops) <= 800
    step = edges[1] - edges[0]
    assert tops.sum() * step == deep.n_distinct


def test_bars_lower_than_one_can_be_read():
    rng = np.random.default_rng(1)
    multiplicity, frequency = np.unique(rng.normal(90_000, 15_000, 3000).astype(int), return_counts=True)
    found = texts(drawn(draw_kmer_spectrum, Spectrum(21, multiplicity, frequency)))
    assert {"0", "0.08"} <= set(found)


def test_wide_spectra_without_a_peak_have_both_axes_logarithmic():
    wide = np.arange(1, 3000)
    spectrum = Spectrum(21, wide, 10**8 // wide)
    assert estimate(spectrum).peak is None
    assert "distinct 21-mers in each bar" in texts(drawn(draw_kmer_spectrum, spectrum))
    tops, edges = drawing._wide_bars(spectrum, 2999)
    assert (tops.sum(), len(edges)) == (spectrum.n_distinct, len(tops) + 1)


@pytest.mark.parametrize("title", first_quick(["$x^", "a\nb\x00", "--><script>alert(1)</script>", "骨", "x" * 999], 2))
def test_any_title_can_be_drawn(title):
    shown = plot.plain(title).replace(r"\$", "$")
    assert shown in texts(drawn(draw_kmer_spectrum, ONE_PEAK, title=title))


def test_notebooks_show_it(monkeypatch):
    assert "21-mer spectrum" in texts(kmer_spectrum_svg(ONE_PEAK))
    assert kmer_spectrum_svg(Spectrum(21, NONE, NONE))
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    assert kmer_spectrum_svg(ONE_PEAK) is None
