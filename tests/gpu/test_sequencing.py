"""Scoring of more candidates than are scored at once, and a leaderboard, against the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.peptides.leaderboard import sequence_noisy
from debruijn_gpu.peptides.options import LeaderboardOptions
from debruijn_gpu.peptides.residues import range_alphabet
from debruijn_gpu.peptides.scoring import prefix_masses
from debruijn_gpu.run.options import RunOptions
from tests.peptides.spectrum_data import STANDARD, noisy_tyrocidine

pytestmark = pytest.mark.gpu


@pytest.fixture
def cpu():
    return backends.load(RunOptions(backend="cpu"))


def test_more_candidates_than_fit_at_once(cuda, cpu):
    """200,000 peptides of 40 residues have 1.3 GB of masses; some of each fiftieth are compared."""
    rng = np.random.default_rng(1)
    positions = prefix_masses(rng.choice(STANDARD.masses, (200_000, 40)))
    peaks = np.sort(rng.integers(0, 4500, 800))
    arrays = STANDARD.masses, peaks - 1, peaks + 1, np.ones(5000, np.uint8)
    rows, *others = map(cuda.to_device, (positions, *arrays))
    longer = cuda.to_host(cuda.spectra.score_extensions(rows, *others, 0)).reshape(len(positions), -1)
    linear, cyclic = (cuda.to_host(cuda.spectra.score_peptides(rows, *others[1:3], closed)) for closed in (False, True))
    for first in range(0, len(positions), 4000):
        part, some = positions[first : first + 20], slice(first, first + 20)
        np.testing.assert_array_equal(longer[some].ravel(), cpu.spectra.score_extensions(part, *arrays, 0))
        np.testing.assert_array_equal(linear[some], cpu.spectra.score_peptides(part, *arrays[1:3], False))
        np.testing.assert_array_equal(cyclic[some], cpu.spectra.score_peptides(part, *arrays[1:3], True))


def test_large_leaderboard(cuda, cpu):
    options = LeaderboardOptions(keep=20_000, top=100)
    first, second = (
        [
            (each.score, each.peptide.masses.tolist())
            for each in sequence_noisy(noisy_tyrocidine(3), alphabet, backend, options)
        ]
        for alphabet in [range_alphabet(57, 200)]
        for backend in (cpu, cuda)
    )
    assert first == second
