"""Score peptides, and correlate spectra; see `SpectrumOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import reduce
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import (
    contiguous,
    cuda,
    device_function,
    forget_transforms,
    kernel,
    launch,
    transform_errors,
    xp,
)
from debruijn_gpu.backends.spectra import scalars
from debruijn_gpu.backends.spectra.cuda.masses import count_below, present
from debruijn_gpu.backends.spectra.protocol import MOST_ROUNDING, Ladder, most_masses
from debruijn_gpu.run.log import logger


@kernel
def _indicate(positions, n_starts, indicator):
    """Set the indicator (in and out, float64) to 1 at the first ``n_starts`` positions (in, int64). One thread each."""
    for i in range(cuda.grid(1), n_starts, cuda.gridsize(1)):
        indicator[positions[i]] = 1.0


@kernel
def _to_power(parts):
    """Replace complex numbers by the squares of their magnitudes. One thread per number.

    Parameters
    ----------
    parts : in and out, float64 (2 n,); real and imaginary part of each
    """
    for i in range(cuda.grid(1), parts.size // 2, cuda.gridsize(1)):
        real = parts[2 * i]
        imaginary = parts[2 * i + 1]
        parts[2 * i] = real * real + imaginary * imaginary
        parts[2 * i + 1] = 0.0


@kernel
def _round(lags, total, is_cyclic, most, counts, n_unsure):
    """Whole numbers from an autocorrelation. One thread per count.

    Parameters
    ----------
    lags : in, float64 (total,) or more
    total : int64
    is_cyclic : int64; whether differences modulo the total are counted
    most : float64; distance from a whole number
    counts : out, int64 (n,), of lag 1 and so on
    n_unsure : in and out, uint64 (1,); counts those that are farther
    """
    for i in range(cuda.grid(1), counts.size, cuda.gridsize(1)):
        lag = np.int64(i) + np.int64(1)
        value = lags[lag]
        if is_cyclic:
            value += lags[total - lag]
        nearest = np.int64(value + 0.5)
        if abs(value - np.float64(nearest)) > most:
            cuda.atomic.add(n_unsure, 0, np.uint64(1))
        counts[i] = nearest


def _autocorrelation(ladder: Ladder) -> Array:
    """Of the indicator of the prefix sums (float64)."""
    length = ladder.transform_length
    indicator = xp.zeros(length, np.float64)
    launch(_indicate, ladder.n_starts, ladder.positions, np.int64(ladder.n_starts), indicator)
    transformed = xp.fft.rfft(indicator)
    del indicator
    launch(_to_power, transformed.size, transformed.view(np.float64))
    lags = xp.fft.irfft(transformed, length)
    forget_transforms()
    return lags


@guarded
def correlate_masses(ladder: Ladder) -> tuple[Array, Array] | None:
    """See `SpectrumOperations.correlate_masses`."""
    try:
        lags = _autocorrelation(ladder)
    except transform_errors as error:
        logger.debug("no Fourier transform: %s", error)
        return None
    counts, n_unsure = xp.empty(ladder.last, np.int64), xp.zeros(1, np.uint64)
    scalars = np.int64(ladder.total), np.int64(ladder.is_cyclic), np.float64(MOST_ROUNDING)
    launch(_round, counts.size, lags, *scalars, counts, n_unsure)
    expected = int(count_below(ladder, np.array([ladder.last + 1]))[0])
    if int(n_unsure[0]) or int(reduce(counts, "sum")) != expected:
        return None
    return present(counts, 1)


_compiled = compile_module(device_function, scalars)
count_matches = _compiled.count_matches
sort_differences = _compiled.sort_differences

_SCRATCH_BYTES = 1 << 28  # for the masses of peptides that are scored at once


def _batches(n_peptides: int, n_positions: int) -> range:
    """Return the range of first peptides of the batches to score; its step is the batch size."""
    return range(0, n_peptides, max(1, _SCRATCH_BYTES // (8 * most_masses(n_positions))))


@kernel
def _score(positions, cyclic, lows, highs, masses, scores):
    """Peptides. One thread each.

    Parameters
    ----------
    positions : in, int64 (n_peptides, n + 1)
    cyclic : int64, 0 or 1
    lows, highs : in, int64 (n_peaks,)
    masses : scratch, int64 (n_peptides, most_masses(n + 1 - cyclic))
    scores : out, int32 (n_peptides,)
    """
    n_positions = positions.shape[1] - cyclic
    for i in range(cuda.grid(1), scores.size, cuda.gridsize(1)):
        row, own = positions[i], masses[i]
        n_masses = sort_differences(row, n_positions, own)
        n_others = cyclic * n_masses  # the rest of the cyclic peptide, for each subpeptide
        total = row[positions.shape[1] - 1]
        scores[i] = count_matches(own, n_masses, own, n_others, total, lows, highs)


@guarded
def score_peptides(positions: Array, lows: Array, highs: Array, cyclic: bool) -> Array:
    """See `SpectrumOperations.score_peptides`."""
    positions, lows, highs = contiguous(positions), contiguous(lows), contiguous(highs)
    n_peptides, n_positions = positions.shape[0], positions.shape[1] - int(cyclic)
    scores = xp.empty(n_peptides, np.int32)
    batches = _batches(n_peptides, n_positions)
    masses = xp.empty((min(n_peptides, batches.step), most_masses(n_positions)), np.int64)
    for first in batches:
        part, own = positions[first : first + batches.step], scores[first : first + batches.step]
        launch(_score, own.size, part, np.int64(cyclic), lows, highs, masses, own)
    return scores


@kernel
def _sort(positions, masses):
    """Masses of peptides. One thread per peptide.

    Parameters
    ----------
    positions : in, int64 (n_peptides, n + 1)
    masses : out, int64 (at least n_peptides, most_masses(n + 1))
    """
    for i in range(cuda.grid(1), positions.shape[0], cuda.gridsize(1)):
        sort_differences(positions[i], positions.shape[1], masses[i])


@kernel
def _extend(positions, masses, residues, lows, highs, possible, shift, scores):
    """Peptides that are made longer. One thread per peptide and residue; those of a peptide are neighbours.

    Parameters
    ----------
    positions : in, int64 (n_peptides, n + 1)
    masses : in, int64 (at least n_peptides, most_masses(n + 1)); see `_sort`
    residues : in, int64 (n_residues,)
    lows, highs : in, int64 (n_peaks,)
    possible : in, uint8 (n_possible,)
    shift : int64
    scores : out, int32 (n_peptides * n_residues,)
    """
    n_positions, n_masses, n_residues = positions.shape[1], masses.shape[1], residues.size
    for item in range(cuda.grid(1), scores.size, cuda.gridsize(1)):
        i = item // n_residues
        row = positions[i]
        mass = row[n_positions - 1] + residues[item - i * n_residues]
        place = mass >> shift
        if place >= possible.size or possible[place] == 0:
            scores[item] = -1
        else:
            scores[item] = count_matches(masses[i], n_masses, row, n_positions, mass, lows, highs)


@guarded
def score_extensions(
    positions: Array, residues: Array, lows: Array, highs: Array, possible: Array, shift: int
) -> Array:
    """See `SpectrumOperations.score_extensions`."""
    positions, residues, possible = contiguous(positions), contiguous(residues), contiguous(possible)
    lows, highs = contiguous(lows), contiguous(highs)
    (n_peptides, n_positions), n_residues = positions.shape, residues.size
    scores = xp.empty(n_peptides * n_residues, np.int32)
    batches = _batches(n_peptides, n_positions)
    masses = xp.empty((min(n_peptides, batches.step), most_masses(n_positions)), np.int64)
    for first in batches:
        part = positions[first : first + batches.step]
        own = scores[first * n_residues : (first + batches.step) * n_residues]
        launch(_sort, part.shape[0], part, masses)
        launch(_extend, own.size, part, masses, residues, lows, highs, possible, np.int64(shift), own)
    return scores
