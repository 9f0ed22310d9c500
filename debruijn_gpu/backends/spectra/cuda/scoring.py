"""Score peptides; see `SpectrumOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.spectra import scalars
from debruijn_gpu.backends.spectra.protocol import most_masses

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
