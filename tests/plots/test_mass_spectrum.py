"""Plots of mass spectra."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.peptides.peaks import measured
from debruijn_gpu.peptides.spectrum import Spectrum
from debruijn_gpu.plots import mass_spectrum as drawing, plot
from debruijn_gpu.plots.mass_spectrum import PlotOptions, draw_spectrum, match, measured_svg, spectrum_svg
from debruijn_gpu.plots.plot import FORMATS
from tests.drawing.svg import texts
from tests.helpers import first_quick

pytest.importorskip("matplotlib")

STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


def theory(masses, decimals=0):
    distinct, counts = np.unique(np.array(masses, np.int64), return_counts=True)
    return Spectrum(distinct, counts, decimals)


def draw(file_format, *args):
    stream = io.BytesIO()
    draw_spectrum(stream, file_format, *args)
    return stream.getvalue()


LEQN = theory([0, 113, 114, 128, 129, 227, 242, 242, 257, 355, 356, 370, 371, 484])


@pytest.mark.parametrize("file_format", first_quick(FORMATS))
def test_the_same_spectrum_gives_the_same_bytes(file_format):
    first = draw(file_format, LEQN, None, PlotOptions(title="LEQN"))
    assert first.startswith(STARTS[file_format])
    assert first == draw(file_format, LEQN, None, PlotOptions(title="LEQN"))
    assert b"Matplotlib" not in first


def test_a_mirror_plot_shows_three_colours():
    found = measured(np.array([0, 11305, 12800, 20000, 48400]), 2, None, np.array([1.0, 5, 2, 3, 9]), title="x")
    text = draw("svg", LEQN, found, PlotOptions(0.1)).decode().lower()
    for colour in ("#0072b2", "#b0b0b0", "#e69f00"):
        assert colour in text
    assert "#e69f00" not in draw("svg", LEQN).decode().lower()


@pytest.mark.parametrize("title", ["$", "$x^", "\n<&>\x00", "x" * 1000, "Ångström"])
def test_any_title_can_be_drawn(title):
    shown = plot.plain(title).replace(r"\$", "$")
    assert shown in texts(draw("svg", LEQN, None, PlotOptions(title=title)))


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 2])
def test_small_spectra(n):
    found = measured(np.zeros(0, np.int64), 0, None, np.zeros(0))
    assert draw("png", theory([0, 57][:n]), found) != draw("png", theory([0, 57][:n]))
    no_intensity = measured(np.array([57]), 0, None, np.zeros(1))
    draw("svg", theory([57]), no_intensity)


@pytest.mark.slow
def test_large_spectra_are_thinned():
    masses = np.arange(300_000, dtype=np.int64) * 7
    counts = np.ones(len(masses), np.int64)
    counts[1234] = 40
    picture = draw("svg", Spectrum(masses, counts, 3), measured(masses[::2], 3))
    assert len(picture) < 2_000_000
    middles, heights = drawing._highest(masses / 1000, counts.astype(float), (0.0, 2100.0))
    assert len(middles) == 3000
    assert heights.max() == 40
    assert abs(middles[heights.argmax()] - 1234 * 0.007) < 0.7


def test_labels_keep_their_distance():
    sticks = drawing._Sticks(LEQN.masses.astype(float), LEQN.counts.astype(float), ())
    labelled = [LEQN.masses[i] for i in drawing._with_room(sticks, 5)]
    assert labelled == [242, 0, 113, 128, 227, 257, 355, 370, 484]


@given(
    st.lists(st.integers(0, 300), unique=True),
    st.lists(st.integers(0, 300), unique=True),
    st.integers(0, 5),
    st.sampled_from([0, 10_000, 50_000]),
)
def test_matches_are_within_the_tolerance(expected, found, tolerance, ppm):
    expected, found = (np.array(sorted(masses), float) / 10 for masses in (expected, found))
    near = np.abs(expected[:, None] - found) <= np.maximum(tolerance / 10, expected * ppm / 1e6)[:, None] + 1e-9
    is_found, is_expected = match(expected, found, PlotOptions(tolerance / 10, ppm))
    assert is_found.tolist() == near.any(axis=1).tolist()
    assert is_expected.tolist() == near.any(axis=0).tolist()


def test_users_settings_change_nothing():
    import matplotlib

    before = draw("svg", LEQN)
    with matplotlib.rc_context({"axes.facecolor": "red", "svg.hashsalt": None}):
        assert draw("svg", LEQN) == before


def test_notebooks_show_spectra(monkeypatch):
    assert "mass (Da)" in texts(spectrum_svg(LEQN))
    found = measured(np.array([57, 114]), 0, None, np.array([1.0, 5]), title="<my> $pectrum")
    assert {"<my> $pectrum", "relative intensity (%)"} <= {
        text.replace("\\", "") for text in texts(measured_svg(found))
    }
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    assert spectrum_svg(LEQN) is None
    assert measured_svg(found) is None
