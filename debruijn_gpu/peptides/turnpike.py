"""Linear peptides of an ideal spectrum: the turnpike problem.

The masses are all differences of the prefix masses of the peptide. The greatest one that is not explained yet belongs
to a prefix or a suffix; both are tried, and given up when a difference is not in the spectrum (Skiena, Smith and Lemke
1990). Exponential for some spectra that no peptide has by chance (Zhang 1994).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from debruijn_gpu.errors import NoPeptideError, ParameterError
from debruijn_gpu.peptides.forms import least_direction
from debruijn_gpu.peptides.ideal import NOT_IDEAL, check_steps, with_ends
from debruijn_gpu.peptides.options import IDEAL_STEPS
from debruijn_gpu.peptides.peaks import rescaled
from debruijn_gpu.peptides.residues import Alphabet
from debruijn_gpu.peptides.spectrum import Peptide, Spectrum, format_units
from debruijn_gpu.peptides.theoretical import distinct_rows
from debruijn_gpu.run import log


def sequence_linear(
    spectrum: Spectrum, alphabet: Alphabet, parent: int | None = None, steps: int = IDEAL_STEPS
) -> list[Peptide]:
    """Find all linear peptides that have exactly a spectrum.

    Parameters
    ----------
    spectrum : Spectrum
        Of 0 and the n (n + 1) / 2 subpeptides of a linear peptide, with multiplicity. 0, or the mass of the peptide
        where that is given, is added with a warning if it is missing.
    alphabet : Alphabet
    parent : int, optional
        Mass of the peptide, in units of the spectrum; by default the greatest mass.
    steps : int, optional
        Differences to compare at most, in millions; 0: no limit.

    Returns
    -------
    list of Peptide
        Each in the lesser of its two directions, in lexicographic order.

    Raises
    ------
    ParameterError
        If no linear peptide of any alphabet can have the spectrum, by the number of its masses.
    NoPeptideError
        If none of this alphabet has it.
    SearchLimitError
        If the search has not ended after that many steps.
    """
    decimals = max(spectrum.decimals, alphabet.decimals)
    residues = set(rescaled(alphabet.masses, alphabet.decimals, decimals).tolist())
    masses, added = with_ends(spectrum, decimals, parent)
    n_masses = len(masses)
    n = (math.isqrt(max(0, 8 * n_masses - 7)) - 1) // 2
    if n < 1 or n * (n + 1) // 2 + 1 != n_masses:
        raise ParameterError(
            f"the spectrum has {n_masses:,} masses, but one of a linear peptide of n residues has n (n + 1) / 2 + 1: "
            f"{n * (n + 1) // 2 + 1:,} or {(n + 1) * (n + 2) // 2 + 1:,}",
            NOT_IDEAL,
        )
    for mass in added:
        log.logger.warning("the spectrum has no mass %s: it is added", format_units(mass, decimals))
    with log.stage("turnpike", n, "residues"):
        found = [row for row in _positions(n, masses.tolist(), steps) if residues.issuperset(row)]
    if not found:
        raise NoPeptideError("no linear peptide of this alphabet has the spectrum", NOT_IDEAL)
    return [Peptide(row, decimals) for row in distinct_rows(least_direction(np.array(found, np.int64)))]


def _positions(n: int, masses: list[int], steps: int) -> Iterator[list[int]]:
    """Yield the residues of each set of n + 1 points, the first at 0, whose differences are the masses above 0."""
    total = masses[-1]
    left = Counter(masses[1:])
    left[total] -= 1
    ordered = sorted(left, reverse=True)
    points, tried, at = [0, total], list[tuple[int, int, bool]](), 0
    n_steps = 0
    while True:
        n_steps += 2 * len(points)  # two points are placed, or one is taken back
        check_steps(n_steps, steps)
        while len(points) <= n and at < len(ordered) and not left[ordered[at]]:
            at += 1
        if len(points) == n + 1:
            around = sorted(points)
            yield [b - a for a, b in pairwise(around)]
        elif at < len(ordered) and _place(ordered[at], points, left):
            tried.append((at, ordered[at], False))
            continue
        elif at < len(ordered) and len(points) > 2 and _place(total - ordered[at], points, left):
            tried.append((at, ordered[at], True))  # of the first point, the mirror image is enough
            continue
        while tried:
            at, mass, is_second = tried.pop()
            _take_back(points, left)
            if not is_second and len(points) > 2 and 2 * mass != total and _place(total - mass, points, left):
                tried.append((at, mass, True))
                break
        else:
            return


def _place(point: int, points: list[int], left: Counter[int]) -> bool:
    """Add a point if all its differences are left."""
    for i, other in enumerate(points):
        difference = abs(point - other)
        if left[difference] <= 0:
            for earlier in points[:i]:
                left[abs(point - earlier)] += 1
            return False
        left[difference] -= 1
    points.append(point)
    return True


def _take_back(points: list[int], left: Counter[int]) -> None:
    """Remove the last point."""
    point = points.pop()
    for other in points:
        left[abs(point - other)] += 1
