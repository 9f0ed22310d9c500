"""Cyclic peptides for a spectrum with false and missing masses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.protocol import SpectrumBackend
from debruijn_gpu.errors import NoPeptideError, ParameterError
from debruijn_gpu.peptides.counting import PossibleMasses, possible_masses
from debruijn_gpu.peptides.options import LeaderboardOptions
from debruijn_gpu.peptides.peaks import PeakWindows, peak_windows, rescaled
from debruijn_gpu.peptides.residues import Alphabet
from debruijn_gpu.peptides.scoring import Best, ScoredPeptide, prefix_masses
from debruijn_gpu.peptides.spectrum import MAX_UNITS, Measured, Peptide, format_units
from debruijn_gpu.peptides.theoretical import canonical, distinct_rows
from debruijn_gpu.run import log
from debruijn_gpu.run.tuning import tuning

_MOST_RESIDUES = 256  # of a peptide: scoring one takes time in proportion to their square
_DOUBTFUL = 0.5  # of the masses have their complement in the spectrum as well


def sequence_noisy(
    measured: Measured,
    alphabet: Alphabet,
    backend: SpectrumBackend,
    options: LeaderboardOptions | None = None,
    parent: int | None = None,
) -> list[ScoredPeptide]:
    """Find the cyclic peptides of highest score among the candidates of a leaderboard.

    Linear peptides, at first the empty one, are made longer by each residue, again and again. Those whose mass is that
    of the peptide are scored as cyclic ones. Those that no residues can bring there are dropped. Of the others, scored
    as linear ones, ``options.keep`` go on, and all that score as much as the last of these. (Compeau and Pevzner,
    Bioinformatics Algorithms, chapter 4; for the score, see `scoring.score`.)

    Parameters
    ----------
    measured : Measured
    alphabet : Alphabet
    backend : ScoringBackend
        Where candidates are scored.
    options : LeaderboardOptions, optional
        By its tolerance, too, the mass of a peptide is that which it should be.
    parent : int, optional
        Mass of the peptide, in units of the spectrum; by default its precursor, or else its greatest mass, with a
        warning if that is doubtful.

    Returns
    -------
    list of ScoredPeptide
        ``options.top`` distinct ones, or fewer: the highest score first, of equal ones that of fewer residues (which
        have fewer masses that the spectrum might lack), and then in lexicographic order.

    Raises
    ------
    ParameterError
        If the alphabet cannot make up the mass of the peptide.
    NoPeptideError
        If no candidate came to it.
    """
    options = options or LeaderboardOptions()
    decimals = max(measured.spectrum.decimals, alphabet.decimals)
    peaks = peak_windows(measured.spectrum, options.tolerance, decimals)
    residues = rescaled(alphabet.masses, alphabet.decimals, decimals)
    total = _total(measured, peaks, parent)
    width = min(options.tolerance.units(total, decimals), MAX_UNITS)
    low, high = max(1, total - width), min(total + width, MAX_UNITS)
    if width >= total:
        raise ParameterError(
            f"the tolerance is as much as the mass of the peptide, {format_units(total, decimals)}", "give less"
        )
    possible = possible_masses(residues, low, high)
    _check_total(total, high, residues, possible, decimals)
    residues = residues[residues <= high]
    search = _Search(residues, (low, high), possible, peaks, backend, options)
    with log.stage("leaderboard") as stage:
        while search.n_candidates:
            search.extend()
            stage.progress(min(total, search.least_mass), total)
        stage.items, stage.unit = search.n_scored, "candidates"
    if search.n_cut:
        log.logger.warning(
            "too many candidates score the same: up to %d of them did not go on (more masses, or a smaller alphabet, "
            "tell them apart)",
            search.n_cut,
        )
    if not search.found:
        raise NoPeptideError(
            f"no candidate came to the mass of the peptide, {format_units(total, decimals)}",
            "keep more candidates (--keep), allow a tolerance, or give another alphabet or mass",
        )
    return [ScoredPeptide(Peptide(np.array(masses), decimals), -negative) for negative, _, masses in search.found]


def _total(measured: Measured, peaks: PeakWindows, parent: int | None) -> int:
    """Return the mass of the peptide; warn if the spectrum does not state it."""
    decimals = measured.spectrum.decimals
    given = parent if parent is not None else measured.precursor
    if given is None and peaks.masses[0] > 0:
        log.logger.warning("the spectrum has no mass 0, so that peptides score one less")
    if given is not None:
        if given <= 0:
            raise ParameterError(f"the mass of the peptide is {format_units(given, decimals)}", "give one above 0")
        return int(rescaled(np.array([given]), decimals, peaks.decimals)[0])
    total = int(peaks.masses[-1])
    inner = peaks.masses[(peaks.masses > 0) & (peaks.masses < total)]
    n_paired = int(peaks.take(total - inner).sum())
    if n_paired < _DOUBTFUL * len(inner):
        log.logger.warning(
            "the mass of the peptide is taken for %s, the greatest of the spectrum, which lacks the complements "
            "for %d of its %d other masses; give it if you know it",
            format_units(total, peaks.decimals),
            len(inner) - n_paired,
            len(inner),
        )
    if total == 0:
        raise ParameterError("the spectrum has no mass above 0", "give the mass of the peptide")
    return total


def _check_total(total: int, high: int, residues: NDArray[np.int64], possible: PossibleMasses, decimals: int) -> None:
    """The alphabet must be able to make up the mass, and not with too many residues."""
    if not possible.has_empty:
        raise ParameterError(
            f"no residues of the alphabet have the mass of the peptide, {format_units(total, decimals)}, together",
            "give another mass, a tolerance, or other residues (--mass monoisotopic, --alphabet 57:200)",
        )
    if high // int(residues[0]) > _MOST_RESIDUES:
        raise ParameterError(
            f"a peptide of mass {format_units(total, decimals)} may have more than {_MOST_RESIDUES:,} residues of "
            f"{format_units(int(residues[0]), decimals)}",
            "give a smaller mass, or heavier residues",
        )


class _Search:
    """A leaderboard.

    Parameters
    ----------
    residues : ndarray, dtype=int64, shape=(n_residues,)
    totals : (int, int)
        The least and the greatest mass of a peptide.
    possible : PossibleMasses
    peaks : PeakWindows
    backend : ScoringBackend
    options : LeaderboardOptions

    Attributes
    ----------
    found : list of (int, int, tuple of int)
        Score with its sign changed, residues, and their masses, of the best so far, in order.
    n_scored : int
        Candidates.
    n_cut : int
        The most candidates that were left out at once because too many score the same.
    """

    def __init__(
        self,
        residues: NDArray[np.int64],
        totals: tuple[int, int],
        possible: PossibleMasses,
        peaks: PeakWindows,
        backend: SpectrumBackend,
        options: LeaderboardOptions,
    ) -> None:
        self._residues, self._totals, self._backend, self._options = residues, totals, backend, options
        self._windows: tuple[Array, Array] = backend.to_device(peaks.lows), backend.to_device(peaks.highs)
        self._on_device = backend.to_device(residues)
        self._possible, self._shift = backend.to_device(possible.table), possible.shift
        self._n_peaks = len(peaks)
        self._positions = np.zeros((1, 1), np.int64)
        self.found: list[tuple[int, int, tuple[int, ...]]] = []
        self.n_scored = 0
        self.n_cut = 0

    @property
    def n_candidates(self) -> int:
        """Linear peptides that go on."""
        return len(self._positions)

    @property
    def least_mass(self) -> int:
        """Of them."""
        return int(self._positions[:, -1].min(initial=self._totals[1]))

    def extend(self) -> None:
        """Extend all candidates, record complete ones, and keep the best."""
        best = Best(self._options.keep, self._n_peaks)
        n_residues = len(self._residues)
        step = max(1, tuning().candidates_at_once // n_residues)
        for first in range(0, len(self._positions), step):
            part = self._positions[first : first + step]
            scores = self._backend.spectra.score_extensions(
                self._backend.to_device(part), self._on_device, *self._windows, self._possible, self._shift
            )
            best.add(self._backend.to_host(scores), first * n_residues)
            self._take_whole(part)
        parents, chosen = np.divmod(best.places(), n_residues)
        self.n_scored += best.n_scored
        self.n_cut = max(self.n_cut, best.n_cut)
        self._positions = self._longer(self._positions, parents, chosen)

    def _longer(
        self, positions: NDArray[np.int64], parents: NDArray[np.int64], chosen: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Prefix masses of some candidates with a residue each."""
        ends = positions[parents, -1] + self._residues[chosen]
        return np.append(positions[parents], ends[:, None], axis=1)

    def _take_whole(self, positions: NDArray[np.int64]) -> None:
        """Score the cyclic peptides that candidates become by one residue, and keep the best that were found."""
        low, high = self._totals
        begins = np.searchsorted(self._residues, low - positions[:, -1])
        n_whole = np.searchsorted(self._residues, high - positions[:, -1], side="right") - begins
        if not n_whole.any():
            return
        parents = np.repeat(np.arange(len(positions)), n_whole)
        chosen = np.arange(len(parents)) - np.repeat(np.cumsum(n_whole) - n_whole - begins, n_whole)
        whole = self._longer(positions, parents, chosen)
        scores = self._score_cyclic(whole)
        self.n_scored += len(whole)
        # A cyclic peptide of n residues is read in 2 n ways at most.
        n_ways = 2 * (whole.shape[1] - 1) * self._options.top
        if len(scores) > n_ways:
            whole = whole[scores >= np.partition(scores, -n_ways)[-n_ways]]
        distinct = distinct_rows(canonical(np.diff(whole)))
        scores = self._score_cyclic(prefix_masses(distinct))
        order = np.argsort(-scores, kind="stable")[: self._options.top]
        more = [(-int(scores[i]), distinct.shape[1], tuple(distinct[i].tolist())) for i in order]
        self.found = sorted({*self.found, *more})[: self._options.top]  # parts may have the same ones

    def _score_cyclic(self, positions: NDArray[np.int64]) -> NDArray[np.int32]:
        """Scores of whole peptides, as cyclic ones."""
        scores = self._backend.spectra.score_peptides(self._backend.to_device(positions), *self._windows, True)
        result: NDArray[np.int32] = self._backend.to_host(scores)
        return result
