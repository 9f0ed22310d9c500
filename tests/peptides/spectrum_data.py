"""Spectra for the tests of sequencing."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.peptides.residues import make_alphabet
from debruijn_gpu.peptides.spectrum import Measured, Spectrum
from tests.naive import sequencing as naive

#: The distinct whole masses of the 20 amino acids
STANDARD = make_alphabet([57, 71, 87, 97, 99, 101, 103, 113, 114, 115, 128, 129, 131, 137, 147, 156, 163, 186])
#: VKLFPWFNQY
TYROCIDINE_B1 = (99, 128, 113, 147, 97, 186, 147, 114, 128, 163)


def spectrum_of(masses, decimals=0):
    """A spectrum of masses in any order."""
    distinct, counts = np.unique(np.array(masses, np.int64), return_counts=True)
    return Spectrum(distinct, counts.astype(np.int64), decimals)


def measured_of(masses, decimals=0, precursor=None):
    return Measured(spectrum_of(masses, decimals), precursor=precursor)


def residues_of(peptides):
    """Masses, as tuples."""
    return [tuple(peptide.masses.tolist()) for peptide in peptides]


def noisy_tyrocidine(seed):
    """Tyrocidine B1 with 10 % of the masses missing, and as many false ones."""
    rng = np.random.default_rng(seed)
    masses = np.array(naive.cyclic_masses(TYROCIDINE_B1))
    inner = rng.permutation(masses[1:-1])
    return measured_of([0, masses[-1], *inner[9:], *rng.integers(57, masses[-1], 9)])
