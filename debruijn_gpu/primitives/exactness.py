"""Integers that floats round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_EXACT = 1 << 53  # doubles hold all integers up to this one


def inexact_integers(integers: NDArray[Any]) -> NDArray[Any]:
    """Select the integers that no double is equal to: more than 53 bits from the highest to the lowest that is set."""
    if integers.dtype.itemsize < 8:
        return integers[:0]
    beyond = integers[(integers > _MOST_EXACT) | (integers < -_MOST_EXACT)]
    bits = beyond.view(np.uint64)
    sizes = np.where(beyond < 0, ~bits + np.uint64(1), bits)
    lowest = sizes & (~sizes + np.uint64(1))
    return np.asarray(beyond[sizes // lowest > _MOST_EXACT])
