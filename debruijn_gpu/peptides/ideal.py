"""Cyclic peptides of an ideal spectrum: all of its masses, and no others."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.spectra.protocol import IdealSearch
from debruijn_gpu.errors import NoPeptideError, ParameterError, SearchLimitError
from debruijn_gpu.peptides.options import IDEAL_STEPS
from debruijn_gpu.peptides.peaks import peak_masses, rescaled
from debruijn_gpu.peptides.residues import Alphabet
from debruijn_gpu.peptides.spectrum import Peptide, Spectrum, format_units
from debruijn_gpu.peptides.theoretical import canonical, distinct_rows
from debruijn_gpu.run import log

_STEPS = 1 << 20  # residues tried between looks at Ctrl-C
_MILLION = 1_000_000
#: Remedy for a spectrum that is not ideal
NOT_IDEAL = "a spectrum with masses missing, false or rounded needs the leaderboard, and perhaps a tolerance"


def sequence_ideal(
    spectrum: Spectrum, alphabet: Alphabet, parent: int | None = None, steps: int = IDEAL_STEPS
) -> list[Peptide]:
    """All cyclic peptides that have exactly this spectrum.

    Parameters
    ----------
    spectrum : Spectrum
        Of 0, the n (n - 1) subpeptides of a cyclic peptide, and itself, with multiplicity. Without 0, or without the
        mass of the peptide where that is given, it is taken with a warning.
    alphabet : Alphabet
    parent : int, optional
        Mass of the peptide, in units of the spectrum; by default the greatest mass.
    steps : int, optional
        Residues to try at most, in millions; 0: no limit.

    Returns
    -------
    list of Peptide
        Each the least of its rotations and those of its reversal, in lexicographic order.

    Raises
    ------
    ParameterError
        If no cyclic peptide of any alphabet can have the spectrum, for what it lacks.
    NoPeptideError
        If none of this alphabet has it.
    SearchLimitError
        If the search has not ended after that many steps.
    """
    decimals = max(spectrum.decimals, alphabet.decimals)
    residues = rescaled(alphabet.masses, alphabet.decimals, decimals)
    masses, added = with_ends(spectrum, decimals, parent)
    n, total = _n_residues(len(masses)), int(masses[-1])
    parts, counts = np.unique(masses, return_counts=True)
    _check_symmetry(parts, counts, decimals)
    for mass in added:
        log.logger.warning("the spectrum has no mass %s: it is added", format_units(mass, decimals))
    residues = residues[np.isin(residues, parts)]
    lightest = int(parts[1])
    if lightest not in residues:
        raise NoPeptideError(
            f"no residue has the mass {format_units(lightest, decimals)}, but the lightest part of the peptide is one",
            "take another alphabet, such as 57:200, or other masses (--mass)",
        )
    found = np.array([[total]]) if n == 1 else _search(n, parts, counts, residues, steps)
    if not len(found):
        raise NoPeptideError("no cyclic peptide of this alphabet has the spectrum", NOT_IDEAL)
    return [Peptide(row, decimals) for row in distinct_rows(canonical(found))]


def with_ends(spectrum: Spectrum, decimals: int, parent: int | None) -> tuple[NDArray[np.int64], list[int]]:
    """Return the masses with the first and the last one of a peptide, and those of these that were added."""
    masses, added = peak_masses(spectrum, decimals), []
    if masses[0] > 0:
        added.append(0)
    if parent is not None:
        total = int(rescaled(np.array([parent]), spectrum.decimals, decimals)[0])
        if masses[-1] > total:
            raise ParameterError(
                f"the spectrum has the mass {format_units(int(masses[-1]), decimals)}, above that of the peptide, "
                f"{format_units(total, decimals)}",
                NOT_IDEAL,
            )
        if masses[-1] < total:
            added.append(total)
    return np.sort(np.append(masses, np.array(added, np.int64))), added


def _n_residues(n_masses: int) -> int:
    """n, of n (n - 1) + 2 masses."""
    n = (1 + math.isqrt(max(0, 4 * n_masses - 7))) // 2
    if n_masses < 2 or n * (n - 1) + 2 != n_masses:
        raise ParameterError(
            f"the spectrum has {n_masses:,} masses, but one of a cyclic peptide of n residues has n (n - 1) + 2: "
            f"{n * (n - 1) + 2:,} or {n * (n + 1) + 2:,}",
            NOT_IDEAL,
        )
    return n


def _check_symmetry(parts: NDArray[np.int64], counts: NDArray[np.int64], decimals: int) -> None:
    """Check that complements occur as often as their parts, and parts of half the cyclic peptide in pairs."""
    total = int(parts[-1])
    if counts[0] != 1 or counts[-1] != 1:
        end = format_units(int(parts[0] if counts[0] != 1 else total), decimals)
        raise ParameterError(f"the spectrum has the mass {end} more than once", NOT_IDEAL)
    rest = np.searchsorted(parts, total - parts).clip(max=len(parts) - 1)
    is_whole = (parts[rest] == total - parts) & (counts[rest] == counts) & ((2 * parts != total) | (counts % 2 == 0))
    if not is_whole.all():
        mass = int(parts[is_whole.argmin()])
        raise ParameterError(
            f"the spectrum has the mass {format_units(mass, decimals)} and the rest of the cyclic peptide, "
            f"{format_units(total - mass, decimals)}, not equally often",
            NOT_IDEAL,
        )


def check_steps(done: int, steps: int) -> None:
    """Raise `SearchLimitError` after a number of millions of steps, unless 0.

    The number of steps, not the time, decides, so that all machines give up at the same point.
    """
    if steps and done >= steps * _MILLION:
        raise SearchLimitError(
            f"the exhaustive search has not ended after {steps:,} million steps",
            "use --method leaderboard, or allow more with --steps (0: no limit)",
        )


def _search(
    n: int, parts: NDArray[np.int64], counts: NDArray[np.int64], residues: NDArray[np.int64], steps: int
) -> NDArray[np.int64]:
    """Masses of peptides of n residues, 2 or more; both directions of each."""
    total = int(parts[-1])
    is_arc = (parts > 0) & (2 * parts <= total)
    arcs = parts[is_arc]
    n_cuts = np.where(2 * arcs == total, counts[is_arc] // 2, counts[is_arc])
    search = IdealSearch(residues, int(np.searchsorted(residues, arcs[0])), n, total, arcs, n_cuts)
    host = backends.host()
    found, n_steps = [], 0
    with log.stage("branch and bound", n, "residues"):
        while search.level >= 0:
            check_steps(n_steps, steps)
            found.append(host.spectra.search_ideal(search, _STEPS))
            n_steps += _STEPS  # fewer where the room for peptides was full
    return residues[np.concatenate(found)]
