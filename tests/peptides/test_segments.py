"""Spectra in segments."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from debruijn_gpu.peptides import theoretical
from debruijn_gpu.peptides.spectrum import Spectrum
from debruijn_gpu.run.tuning import tuned


@given(st.lists(st.integers(1, 4), min_size=1, max_size=40), st.integers(1, 50), st.integers(1, 9), st.integers(1, 40))
def test_the_most_frequent_of_segments(counts, n, at_once, cut):
    whole = Spectrum(np.arange(len(counts)) * 3, np.array(counts, np.int64), 2)
    parts = [Spectrum(whole.masses[at], whole.counts[at], 2) for at in (slice(cut), slice(cut, None))]
    with tuned(masses_at_once=at_once):
        found = theoretical.most_frequent(parts, n)
    expected = sorted(zip(counts, whole.masses.tolist(), strict=True), key=lambda row: (-row[0], row[1]))[:n]
    assert list(zip(found.counts.tolist(), found.masses.tolist(), strict=True)) == expected
    assert found.decimals == 2


def test_segments_are_made_anew():
    part = Spectrum(np.arange(2), np.ones(2, np.int64))
    made = theoretical.SpectrumSegments(lambda: iter([part, part]))
    assert [len(list(made)) for _ in range(2)] == [2, 2]
