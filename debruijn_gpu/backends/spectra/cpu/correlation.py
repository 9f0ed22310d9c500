"""Masses of subpeptides by autocorrelation of the prefix sums; see `SpectrumBackend`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.core.cpu.decorators import kernel
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
