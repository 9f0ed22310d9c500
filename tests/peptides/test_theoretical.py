"""Theoretical spectra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.peptides import theoretical
from debruijn_gpu.peptides.spectrum import Peptide
from debruijn_gpu.peptides.theoretical import count_subpeptides, spectrum, spectrum_segments
from tests.helpers import n_examples, with_operations
from tests.naive import spectra as naive

pytestmark = pytest.mark.cuda

MOST = 6 if is_simulated() else 25
some = settings(
    deadline=None,
    max_examples=4 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
masses_of = st.one_of(
    st.lists(st.integers(1, most), min_size=1, max_size=MOST) for most in (5, 20 if is_simulated() else 186, 10**9)
)

LEQN = [113, 129, 128, 114]
#: Bioinformatics Algorithms (Compeau and Pevzner), chapter 4.
TEXTBOOK = {
    False: [0, 113, 114, 128, 129, 227, 242, 242, 257, 355, 356, 370, 371, 484],
    True: [0, 113, 114, 128, 129, 242, 242, 257, 370, 371, 484],
}
ORIGINAL = [57, 71, 113, 113, 128]


def listed(spectrum, backend):
    """Masses, each as often as it occurs."""
    return np.repeat(backend.to_host(spectrum.masses), backend.to_host(spectrum.counts)).tolist()


def of(masses, backend, linear=False):
    return listed(spectrum(Peptide(np.array(masses, np.int64)), backend, linear), backend)


@pytest.mark.skipif(is_simulated(), reason="hundreds of counters")
@pytest.mark.parametrize("linear", [False, True])
def test_textbook(backend, linear):
    assert of(LEQN, backend, linear) == TEXTBOOK[linear]


@pytest.mark.parametrize("scale", [1, 10**6, 10**15])
def test_original(backend, scale):
    found = of([mass * scale for mass in ORIGINAL], backend)
    assert found == [mass * scale for mass in naive.spectrum_by_recurrence(ORIGINAL)]
    assert len(found) == count_subpeptides(5) == 22


@pytest.mark.parametrize(
    ("masses", "linear", "expected"),
    [
        ([1], False, [0, 1]),
        ([1], True, [0, 1]),
        ([99], False, [0, 99]),
        ([3, 4], False, [0, 3, 4, 7]),
        ([3, 4], True, [0, 3, 4, 7]),
        ([3, 3], False, [0, 3, 3, 6]),
        ([1, 1, 1], False, [0, 1, 1, 1, 2, 2, 2, 3]),
        ([1, 1, 1], True, [0, 1, 1, 1, 2, 2, 3]),
    ],
)
def test_few_residues(backend, masses, linear, expected):
    assert of(masses, backend, linear) == expected
    assert len(expected) == count_subpeptides(len(masses), linear)


@some
@given(masses=masses_of, linear=st.booleans())
def test_any_peptide(backend, masses, linear):
    found = of(masses, backend, linear)
    assert found == naive.spectrum(masses, linear)
    if not linear:
        assert found == naive.spectrum_by_recurrence(masses)


@some
@given(masses=masses_of, turn=st.integers(0, MOST))
def test_rotation_reversal_and_symmetry(backend, masses, turn):
    found = of(masses, backend)
    turn %= len(masses)
    assert of(masses[turn:] + masses[:turn], backend) == found
    assert of(masses[::-1], backend) == found
    assert [sum(masses) - mass for mass in reversed(found)] == found


@some
@given(masses=masses_of, linear=st.booleans(), capacity=st.integers(1, 60))
def test_segments_are_the_whole(backend, masses, linear, capacity):
    peptide = Peptide(np.array(masses), 3)
    segments = list(spectrum_segments(peptide, backend, linear, memory=64 * capacity))
    assert all(segment.decimals == 3 and len(segment) for segment in segments)
    whole = spectrum(peptide, backend, linear)
    for name in ("masses", "counts"):
        concatenated = np.concatenate([backend.to_host(getattr(segment, name)) for segment in segments])
        np.testing.assert_array_equal(concatenated, backend.to_host(getattr(whole, name)))


@pytest.mark.skipif(is_simulated(), reason="more than the simulator takes")
def test_transforms_of_spectra(backend, tune):
    """Taken where subpeptides are many, and left where they do not fit or fail."""
    peptide = Peptide(np.random.default_rng(2).integers(1, 9, 500))
    expected = of(peptide.masses, backend)
    tune(transformed_subpeptides=1)
    assert of(peptide.masses, backend) == expected
    assert listed(spectrum(peptide, backend, memory=200_000), backend) == expected


def test_failed_transforms():
    """Counters stand in."""
    from debruijn_gpu.backends.cpu import CPU

    unsure = with_operations(CPU, "spectra", correlate_masses=lambda ladder: None)
    peptide = Peptide(np.ones(3000, np.int64))  # 4.5 million subpeptides, 3000 masses
    found = spectrum(peptide, unsure)
    np.testing.assert_array_equal(found.masses, np.arange(3001))
    np.testing.assert_array_equal(found.counts, [1, *[3000] * 2999, 1])


def test_rounding_errors_are_noticed(monkeypatch):
    from debruijn_gpu.backends.cpu import CPU

    ladder = theoretical.make_ladder(Peptide(np.array([3, 5, 9])), CPU)
    transform = np.fft.irfft
    for error, is_sure in ((0.05, True), (0.15, False), (1.0, False)):
        monkeypatch.setattr(np.fft, "irfft", lambda *args, error=error: transform(*args) + error)
        assert (CPU.spectra.correlate_masses(ladder) is not None) == is_sure


def test_too_large(backend):
    with pytest.raises(ParameterError, match="2\\^61"):
        spectrum(Peptide(np.full(8, 1 << 60), 9), backend)
    peptide = Peptide(np.array([10**9, 3 * 10**9, 7]))
    with pytest.raises(OutOfMemoryError, match=r"takes \d+ B, and 100 B are allowed"):
        spectrum(peptide, backend, memory=100)
    with pytest.raises(OutOfMemoryError):
        spectrum(Peptide(np.array([1, 2, 3])), backend, memory=10)
