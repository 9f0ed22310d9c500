"""Cyclic peptides for spectra with false and missing masses."""

from __future__ import annotations

import logging
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.errors import FormatError, NoPeptideError, ParameterError
from debruijn_gpu.peptides import scoring
from debruijn_gpu.peptides.convolution import convolution_alphabet
from debruijn_gpu.peptides.leaderboard import sequence_noisy
from debruijn_gpu.peptides.options import ConvolutionOptions, LeaderboardOptions, Tolerance
from debruijn_gpu.peptides.residues import make_alphabet, range_alphabet, residue_masses
from debruijn_gpu.run.tuning import tuned
from tests.helpers import n_examples
from tests.naive import sequencing as naive
from tests.peptides.spectrum_data import STANDARD, TYROCIDINE_B1, measured_of, noisy_tyrocidine

pytestmark = pytest.mark.cuda

slow_in_simulator = pytest.mark.skipif(is_simulated(), reason="too much for the simulator")
some = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def warnings_of(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def found_by(measured, alphabet, backend, parent=None, **options):
    """Scores and masses of residues."""
    found = sequence_noisy(measured, alphabet, backend, LeaderboardOptions(**options), parent)
    return [(each.score, tuple(each.peptide.masses.tolist())) for each in found]


@slow_in_simulator
def test_textbook(backend):
    spectrum = measured_of([0, 71, 113, 129, 147, 200, 218, 260, 313, 331, 347, 389, 460])
    assert found_by(spectrum, STANDARD, backend, keep=10)[0] == (13, (71, 129, 113, 147))  # 113-147-71-129, turned


@slow_in_simulator
def test_textbook_with_convolution(backend):
    masses = [57, 57, 71, 99, 129, 137, 170, 186, 194, 208, 228, 265, 285, 299, 307, 323, 356, 364, 394, 422, 493]
    spectrum = measured_of(masses)
    alphabet = convolution_alphabet(spectrum.spectrum, ConvolutionOptions(top=20))
    found = found_by(spectrum, alphabet, backend, keep=60, top=100)
    assert (found[0][0], naive.canonical((99, 71, 137, 57, 72, 57))) in found


@some
@given(
    alphabet=st.sets(st.integers(2, 6), min_size=1, max_size=3),
    peaks=st.lists(st.integers(0, 11), max_size=8),
    total=st.integers(8, 12),
    keep=st.integers(1, 6),
    width=st.integers(0, 1),
)
def test_equals_the_naive_leaderboard(backend, alphabet, peaks, total, keep, width):
    peaks = sorted([*peaks, total])
    totals = (total - width, total + width)
    ends = [[peak - width for peak in peaks], [peak + width for peak in peaks]]
    expected = naive.leaderboard(sorted(alphabet), totals, *ends, keep, 5)
    options = {"keep": keep, "top": 5, "tolerance": Tolerance(Fraction(width))}
    try:
        found = found_by(measured_of(peaks), make_alphabet(alphabet), backend, parent=total, **options)
    except (NoPeptideError, ParameterError):
        found = []
    assert found == expected


@slow_in_simulator
@pytest.mark.parametrize("seed", range(3))
def test_noisy_tyrocidine(backend, seed):
    spectrum = noisy_tyrocidine(seed)
    found = found_by(spectrum, STANDARD, backend, top=3000)
    own = sum(min(a, b) for a, b in _common(spectrum, naive.cyclic_masses(TYROCIDINE_B1)))
    assert (own, naive.canonical(TYROCIDINE_B1)) in found
    assert found == sorted(found, key=lambda each: (-each[0], len(each[1]), each[1]))
    assert len(set(found)) == len(found)


def _common(measured, masses):
    """How often a mass is in the spectrum and in theory."""
    counts = dict(zip(measured.spectrum.masses.tolist(), measured.spectrum.counts.tolist(), strict=True))
    return [(counts.get(mass, 0), masses.count(mass)) for mass in set(masses)]


@slow_in_simulator
@settings(deadline=None, max_examples=n_examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(residues=st.lists(st.sampled_from(STANDARD.masses.tolist()), min_size=2, max_size=8), data=st.data())
def test_planted_peptides_with_decimals_are_found(backend, residues, data):
    """Each mass is a little off; a peptide of the same masses has the same score."""
    masses = [1000 * mass + data.draw(st.integers(-20, 20)) for mass in naive.cyclic_masses(residues)]
    masses[0] = 0
    measured = measured_of(masses, 3, precursor=1000 * sum(residues))
    found = found_by(measured, STANDARD, backend, keep=200, top=50, tolerance=Tolerance(Fraction(2, 100)))
    assert found[0][0] == len(masses)
    assert tuple(1000 * mass for mass in naive.canonical(residues)) in [peptide for _, peptide in found]


@slow_in_simulator
def test_batches_change_nothing(backend):
    spectrum = noisy_tyrocidine(7)
    whole = found_by(spectrum, STANDARD, backend, keep=50)
    with tuned(candidates_at_once=100):
        assert found_by(spectrum, STANDARD, backend, keep=50) == whole


@slow_in_simulator
def test_too_many_ties_are_cut(backend, monkeypatch, caplog):
    monkeypatch.setattr(scoring, "MOST_TIED", 30)
    assert found_by(measured_of([0, 1000]), range_alphabet(57, 80), backend, keep=10, parent=700)
    (message,) = [message for message in caplog.messages if "score the same" in message]
    assert "did not go on" in message


def test_the_mass_of_the_peptide(backend, caplog):
    """Given, or of the precursor, or the greatest, with a warning."""
    alphabet = make_alphabet([3, 4])
    assert found_by(measured_of([0, 3, 4, 7]), alphabet, backend, keep=5)[0] == (4, (3, 4))
    assert not warnings_of(caplog)
    assert found_by(measured_of([0, 3, 4], precursor=7), alphabet, backend, keep=5)[0] == (3, (3, 4))
    assert found_by(measured_of([0, 3, 4], precursor=9), alphabet, backend, parent=7, keep=5)[0] == (3, (3, 4))
    assert not warnings_of(caplog)
    found_by(measured_of([1, 2, 7]), alphabet, backend, keep=5)
    assert "no mass 0" in warnings_of(caplog)[0]
    assert "2 of its 2 other masses" in warnings_of(caplog)[1]


@pytest.mark.parametrize(
    ("masses", "alphabet", "parent", "error", "message"),
    [
        ([0, 5], [57], None, ParameterError, "no residues of the alphabet have the mass of the peptide, 5, together"),
        ([0], [57], None, ParameterError, "no mass above 0"),
        ([0, 5], [57], 0, ParameterError, "is 0"),
        ([0, 5], [57], -3, ParameterError, "is -3"),
        ([0, 5000], [1], None, ParameterError, "more than 256 residues"),
        ([], [57], None, FormatError, "empty"),
        ([-1, 4], [57], None, FormatError, "-1"),
        ([0, 1 << 62], [57], None, ParameterError, "too large"),
    ],
)
def test_what_cannot_be(backend, masses, alphabet, parent, error, message):
    with pytest.raises(error) as caught:
        sequence_noisy(measured_of(masses), make_alphabet(alphabet), backend, parent=parent)
    assert message in caught.value.what
    assert caught.value.fix


def test_scores_state_their_maximum(backend):
    (found,) = sequence_noisy(measured_of([0, 3, 4, 7]), make_alphabet([3, 4]), backend)
    assert (found.score, found.n_masses, len(found.peptide)) == (4, 4, 2)


def test_standard_alphabet():
    """The one that tables of residues give."""
    table = residue_masses()
    assert make_alphabet(table.standard, table.decimals).masses.tolist() == STANDARD.masses.tolist()
