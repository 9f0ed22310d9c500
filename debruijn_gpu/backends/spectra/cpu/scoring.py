"""Score peptides, and correlate spectra; see `SpectrumOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cpu.radix import sort_bucket
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.spectra import scalars
from debruijn_gpu.backends.spectra.cpu.masses import count_below, present
from debruijn_gpu.backends.spectra.protocol import MOST_ROUNDING, Ladder


@kernel
def _to_power(transformed):
    """Replace complex numbers (in and out, complex128) by the squares of their magnitudes."""
    for i in range(transformed.size):
        number = transformed[i]
        transformed[i] = number.real * number.real + number.imag * number.imag


@kernel
def _round(lags, total, is_cyclic, first, counts):
    """Whole numbers from an autocorrelation; gives the greatest distance from them.

    Parameters
    ----------
    lags : in, float64 (total,) or more
    total : int64
    is_cyclic : bool; whether differences modulo the total are counted
    first : int64; the lag that is counted first
    counts : out, int64 (n,)
    """
    greatest = 0.0
    for i in range(counts.size):
        lag = first + i
        value = lags[lag] + lags[total - lag] if is_cyclic else lags[lag]
        nearest = np.rint(value)
        greatest = max(greatest, abs(value - nearest))
        counts[i] = np.int64(nearest)
    return greatest


def _power_spectrum(values: NDArray[np.float64]) -> NDArray[np.complex128]:
    transformed = np.fft.rfft(values)
    threads.over_ranges(
        len(transformed), lambda start, stop: _to_power(transformed[start:stop]), 16, work=len(transformed)
    )
    return transformed


def correlate_masses(ladder: Ladder) -> tuple[Array, Array] | None:
    """See `SpectrumOperations.correlate_masses`."""
    indicator = np.zeros(ladder.transform_length)
    indicator[ladder.positions[: ladder.n_starts]] = 1
    lags = np.fft.irfft(_power_spectrum(indicator), ladder.transform_length)
    del indicator
    counts = np.empty(ladder.last, np.int64)

    def round_counts(start: int, stop: int) -> float:
        distance: float = _round(lags, ladder.total, ladder.is_cyclic, start + 1, counts[start:stop])
        return distance

    distances = threads.over_ranges(len(counts), round_counts, 16, work=len(counts))
    expected = int(count_below(ladder, np.array([ladder.last + 1]))[0])
    if max(distances, default=0.0) > MOST_ROUNDING or int(counts.sum()) != expected:
        return None
    return present(counts, 1)


_compiled = compile_module(kernel, scalars)
count_matches = _compiled.count_matches
sort_differences = _compiled.sort_differences

_MOST_MERGED = 64  # positions: n^3 / 6 steps to merge their differences, n^2 log n to sort them


@kernel
def _all_differences(positions, n_positions, masses):
    """`sort_differences` of many positions."""
    masses[0] = 0
    n_masses = 1
    for last in range(1, n_positions):
        for first in range(last):
            masses[n_masses] = positions[last] - positions[first]
            n_masses += 1
    keys = masses[:n_masses].view(np.uint64)
    sort_bucket(keys, None, np.empty(n_masses, np.uint64), None)
    return n_masses


@kernel
def _differences(positions, n_positions, masses):
    """See `sort_differences`."""
    if n_positions > _MOST_MERGED:
        return _all_differences(positions, n_positions, masses)
    return sort_differences(positions, n_positions, masses)


@kernel
def _score(start, stop, positions, cyclic, lows, highs, scores):
    """Peptides start..stop.

    Parameters
    ----------
    start, stop : int64
    positions : in, int64 (n_peptides, n + 1)
    cyclic : bool
    lows, highs : in, int64 (n_peaks,)
    scores : out, int32 (n_peptides,)
    """
    n_positions = positions.shape[1] - 1 if cyclic else positions.shape[1]
    masses = np.empty(n_positions * (n_positions - 1) // 2 + 1, np.int64)
    for i in range(start, stop):
        row = positions[i]
        n_masses = _differences(row, n_positions, masses)
        n_others = n_masses if cyclic else 0  # the rest of the cyclic peptide, for each subpeptide
        scores[i] = count_matches(masses, n_masses, masses, n_others, row[-1], lows, highs)


def score_peptides(positions: Array, lows: Array, highs: Array, cyclic: bool) -> Array:
    """See `SpectrumOperations.score_peptides`."""
    scores = np.empty(len(positions), np.int32)
    score = lambda start, stop: _score(start, stop, positions, cyclic, lows, highs, scores)  # noqa: E731
    threads.over_ranges(len(positions), score, work=positions.size * positions.shape[1])
    return scores


@kernel
def _extend(start, stop, positions, residues, lows, highs, possible, shift, scores):
    """Peptides start..stop, made longer.

    Parameters
    ----------
    start, stop : int64
    positions : in, int64 (n_peptides, n + 1)
    residues : in, int64 (n_residues,)
    lows, highs : in, int64 (n_peaks,)
    possible : in, uint8 (n_possible,)
    shift : int64
    scores : out, int32 (n_peptides * n_residues,)
    """
    n_positions, n_residues = positions.shape[1], residues.size
    masses = np.empty(n_positions * (n_positions - 1) // 2 + 1, np.int64)
    for i in range(start, stop):
        row = positions[i]
        n_masses = 0
        for j in range(n_residues):
            mass = row[-1] + residues[j]
            place, score = mass >> shift, 0
            if place >= possible.size or not possible[place]:
                score = -1
            else:
                if n_masses == 0:
                    n_masses = _differences(row, n_positions, masses)
                score = count_matches(masses, n_masses, row, n_positions, mass, lows, highs)
            scores[i * n_residues + j] = score


def score_extensions(
    positions: Array, residues: Array, lows: Array, highs: Array, possible: Array, shift: int
) -> Array:
    """See `SpectrumOperations.score_extensions`."""
    scores = np.empty(len(positions) * len(residues), np.int32)

    def extend(start: int, stop: int) -> None:
        _extend(start, stop, positions, residues, lows, highs, possible, shift, scores)

    threads.over_ranges(len(positions), extend, work=positions.size * (positions.shape[1] + len(residues)))
    return scores
