"""Spectra of many residues on the GPU: those of the CPU, and those that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.peptides.spectrum import Peptide
from debruijn_gpu.peptides.theoretical import count_subpeptides, make_ladder, spectrum, spectrum_segments
from debruijn_gpu.run.options import RunOptions

pytestmark = pytest.mark.gpu


def peptide_of(n, unit=1):
    return Peptide(np.random.default_rng(n).integers(57 * unit, 186 * unit + 1, n))


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("unit", [1, 20, 500, 10**5])
def test_the_same_spectrum_on_both(cuda, unit, linear):
    """Counted in shared memory and in memory, and sorted as 32 and as 64 bits."""
    peptide, cpu = peptide_of(4000, unit), backends.load(RunOptions(backend="cpu"))
    found, expected = spectrum(peptide, cuda, linear), spectrum(peptide, cpu, linear)
    np.testing.assert_array_equal(cuda.to_host(found.masses), expected.masses)
    np.testing.assert_array_equal(cuda.to_host(found.counts), expected.counts)


def test_hundred_thousand_integer_masses(cuda):
    """Counters, and the Fourier transform where there is a library for it."""
    peptide = peptide_of(100_000)
    found = spectrum(peptide, cuda)
    counts = cuda.to_host(found.counts)
    assert counts.sum() == count_subpeptides(100_000)
    np.testing.assert_array_equal(counts, counts[::-1])
    ladder = make_ladder(peptide, cuda)
    transformed = cuda.spectra.correlate_masses(ladder)
    if transformed is None:
        pytest.skip("no cuFFT")
    for array, expected in zip(transformed, cuda.spectra.count_masses(ladder, 1, ladder.last + 1), strict=True):
        np.testing.assert_array_equal(cuda.to_host(array), cuda.to_host(expected))


def test_lack_of_memory():
    """A spectrum that does not fit whole comes in segments."""
    peptide = peptide_of(5000, 10**5)
    try:
        small = backends.load_cuda(RunOptions(backend="cuda", gpu_memory="256M"))
        with pytest.raises(OutOfMemoryError):
            spectrum(peptide, small)
        n_masses, before = 0, -1
        for segment in spectrum_segments(peptide, small, memory=64 << 20):
            masses, counts = small.to_host(segment.masses), small.to_host(segment.counts)
            assert masses[0] > before
            assert (np.diff(masses) > 0).all()
            n_masses, before = n_masses + int(counts.sum()), int(masses[-1])
    finally:
        backends.load_cuda(RunOptions(backend="cuda"))
    assert n_masses == count_subpeptides(5000)
    assert before == peptide.total
