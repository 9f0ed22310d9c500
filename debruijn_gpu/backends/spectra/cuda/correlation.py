"""Masses of subpeptides by autocorrelation of the prefix sums; see `SpectrumBackend`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import reduce
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, forget_transforms, kernel, launch, transform_errors, xp
from debruijn_gpu.backends.spectra.cuda.masses import count_below, present
from debruijn_gpu.backends.spectra.protocol import MOST_ROUNDING, Ladder
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
