"""Compute power sums beyond 64 bits; see `HostSequenceOperations.extend_long_sums`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.cpu.decorators import kernel

_LOW_HALF, _LIMB_BITS = np.uint64(0xFFFFFFFF), np.uint64(32)


@kernel
def _set(j, period, weights, limbs):
    """Set item j; arguments and arrays as in `HostSequenceOperations.extend_long_sums`."""
    carry = np.uint64(0)
    for limb in range(limbs.shape[0]):
        total = carry
        for i in range(1, min(j, period) + 1):
            total += (weights[i] & _LOW_HALF) * (limbs[limb, j - i] & _LOW_HALF)
        limbs[limb, j] = total & _LOW_HALF
        carry = total >> _LIMB_BITS


@kernel
def _extend(first, stop, period, weights, limbs):
    for j in range(first, stop):
        limbs[0, 0] = j
        _set(j, period, weights, limbs)


@kernel
def _set_series(stop, period, weights, limbs):
    limbs[0, 0] = 1
    for j in range(1, stop):
        _set(j, period, weights, limbs)


def extend_long_sums(
    first: int, stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]
) -> None:
    """See `HostSequenceOperations.extend_long_sums`."""
    _extend(first, stop, period, weights, limbs)


def set_long_series(stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]) -> None:
    """See `HostSequenceOperations.set_long_series`."""
    _set_series(stop, period, weights, limbs)
