"""Spectra of peptides: every subpeptide summed anew, each from a shorter one, and as a NumPy user would."""

from __future__ import annotations

from collections import Counter

import numpy as np


def spectrum(masses: list[int], linear: bool = False) -> list[int]:
    """All masses, ascending: O(n^3)."""
    n, found = len(masses), [0, sum(masses)]
    for length in range(1, n):
        for start in range(n - length + 1 if linear else n):
            found += [sum(masses[(start + i) % n] for i in range(length))]
    return sorted(found)


def spectrum_by_recurrence(masses: list[int]) -> list[int]:
    """The same of a cyclic peptide, O(n^2): those of each length are those of one residue less, and the next one."""
    n, sums, found = len(masses), [0] * len(masses), [0, sum(masses)]
    for length in range(1, n):
        sums = [mass + masses[(start + length - 1) % n] for start, mass in enumerate(sums)]
        found += sums
    return sorted(found)


def with_counts(spectrum: list[int]) -> tuple[list[int], list[int]]:
    """Distinct masses, and how often each occurs."""
    counts = Counter(spectrum)
    return sorted(counts), [counts[mass] for mass in sorted(counts)]


def spectrum_of_numpy(masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of a cyclic peptide: differences of all prefix sums, sorted."""
    n, total = len(masses), masses.sum()
    ends = np.cumsum(masses)
    between = np.subtract.outer(ends, ends)[~np.eye(n, dtype=bool)] % total
    found = np.sort(np.concatenate(([0, total], between)))
    starts = np.flatnonzero(np.concatenate(([True], found[1:] != found[:-1])))
    return found[starts], np.diff(starts, append=len(found))
