"""Slow, obvious twins of scoring and sequencing of peptides, and of what they are made of."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache


def linear_masses(residues):
    """0 and the masses of all subpeptides."""
    n = len(residues)
    return sorted([0, *(sum(residues[i:j]) for i in range(n) for j in range(i + 1, n + 1))])


def cyclic_masses(residues):
    """0, the masses of the n (n - 1) subpeptides, and that of the whole."""
    n = len(residues)
    twice = [*residues, *residues]
    parts = [sum(twice[i : i + length]) for i in range(n) for length in range(1, n)]
    return sorted([0, *parts, sum(residues)])


def greatest_matching(masses, lows, highs):
    """The greatest number of pairs of a mass and a peak that takes it (Kuhn's algorithm)."""
    mass_of = {}

    def assign(mass, tried):
        for peak, (low, high) in enumerate(zip(lows, highs, strict=True)):
            if low <= masses[mass] <= high and peak not in tried:
                tried.add(peak)
                if peak not in mass_of or assign(mass_of[peak], tried):
                    mass_of[peak] = mass
                    return True
        return False

    return sum(assign(mass, set()) for mass in range(len(masses)))


def canonical(residues):
    """The least of the rotations of both directions."""
    n = len(residues)
    ways = [tuple(residues), tuple(reversed(residues))]
    return min(way[i:] + way[:i] for way in ways for i in range(n))


def peptides(total, alphabet):
    """All linear peptides of a mass."""
    if total == 0:
        return [()]
    return [(a, *rest) for a in alphabet if a <= total for rest in peptides(total - a, alphabet)]


def cyclopeptides(total, alphabet, mirrored):
    """One of each cyclic peptide of a mass."""
    if mirrored:
        return sorted({canonical(peptide) for peptide in peptides(total, alphabet)})
    return sorted({min(p[i:] + p[:i] for i in range(len(p))) for p in peptides(total, alphabet)})


def leaderboard(alphabet, totals, lows, highs, keep, top):
    """Scores, lengths and masses of the best cyclic peptides, as `leaderboard.sequence_noisy` has it."""
    low, high = totals

    @cache
    def goes_on(mass):
        return any(low <= mass + a <= high or (mass + a <= high and goes_on(mass + a)) for a in alphabet)

    board, found = [()], set()
    while board:
        longer = [(*peptide, a) for peptide in board for a in alphabet]
        for peptide in longer:
            if low <= sum(peptide) <= high:
                score = greatest_matching(cyclic_masses(peptide), lows, highs)
                found.add((-score, len(peptide), canonical(peptide)))
        longer = [peptide for peptide in longer if goes_on(sum(peptide))]
        scores = [greatest_matching(linear_masses(peptide), lows, highs) for peptide in longer]
        least = sorted(scores)[-min(keep, len(scores))] if scores else 0
        board = [peptide for peptide, score in zip(longer, scores, strict=True) if score >= least]
    return [(-negative, peptide) for negative, _, peptide in sorted(found)[:top]]


def convolution(masses):
    """Positive differences and how often each occurs, in ascending order."""
    differences = Counter(abs(a - b) for a, b in itertools.combinations(masses, 2) if a != b)
    return sorted(differences.items())
