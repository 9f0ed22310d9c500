"""Fixed-point numbers: columns of a table as integers of one scale, and binary logarithms.

Only additions, subtractions, multiplications, divisions and square roots of floats are used, which IEEE 754 rounds
alike on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.vectors.protocol import most_bits

Floats: TypeAlias = NDArray[np.float64]

#: Fractional bits of `log2_of`
LOG_BITS = 16
_MANTISSA_BITS = 31


@dataclass(frozen=True)
class FixedPoint:
    """Columns of a table as integers of at most ``bits`` bits with sign.

    Attributes
    ----------
    centers : ndarray, dtype=float64, shape=(d,)
        Value that becomes 0.
    reaches : ndarray, dtype=float64, shape=(d,)
        Distance from the center that becomes 2^bits; 0 for a constant column, which becomes 0.
    bits : int
    unit : float
        Distance that a difference of 1 stands for.
    """

    centers: Floats
    reaches: Floats
    bits: int
    unit: float

    def encode(self, table: Floats) -> NDArray[np.int32]:
        """Round a table (n, d) to integers; values beyond the reach become the farthest."""
        reaches = np.where(self.reaches > 0, self.reaches, 1.0)
        shares = np.clip((table - self.centers) / reaches, -1.0, 1.0)
        numbers: NDArray[np.int32] = np.rint(np.where(self.reaches > 0, shares, 0.0) * (1 << self.bits)).astype(
            np.int32
        )
        return numbers

    def decode(self, numbers: NDArray[np.int32]) -> Floats:
        """Return the values that integers (n, d) stand for."""
        return self.centers + numbers / (1 << self.bits) * self.reaches


def fixed_point_of(table: Floats, scale: str) -> FixedPoint:
    """Choose the fixed point of the columns of a table.

    Parameters
    ----------
    table : ndarray, dtype=float64, shape=(n, d)
        Finite numbers; at least one row and column.
    scale : str
        ``none``: distances stay as they are; ``range``: each column is divided by its range; ``deviation``: by its
        standard deviation.
    """
    bits = most_bits(table.shape[1])
    low, high = table.min(axis=0), table.max(axis=0)
    reaches = high / 2 - low / 2
    centers = low / 2 + high / 2
    if scale == "range":
        return FixedPoint(centers, reaches, bits, 0.5 / (1 << bits))
    if scale == "deviation":
        shares = FixedPoint(centers, reaches, bits, 1.0)
        deviations = _deviations(shares.encode(table)) * (reaches / (1 << bits))
        farthest = np.max(np.divide(reaches, deviations, out=np.zeros_like(reaches), where=deviations > 0))
        return FixedPoint(centers, deviations * farthest, bits, float(farthest) / (1 << bits))
    widest = float(reaches.max())
    return FixedPoint(centers, np.full_like(reaches, widest), bits, widest / (1 << bits))


def _deviations(numbers: NDArray[np.int32]) -> Floats:
    """Standard deviation of each column of integers, from exact sums."""
    n = len(numbers)
    found = []
    for column in numbers.T:
        wide = column.astype(np.int64)
        total, squares = int(wide.sum()), int((wide * wide).sum())
        found.append(math.sqrt((n * squares - total * total) / (n * n)))
    return np.array(found, np.float64)


def log2_of(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Compute binary logarithms of integers above 0, in units of 2^-LOG_BITS, rounded down.

    Each squaring of the mantissa gives one more bit (Knuth, The Art of Computer Programming 1, section 1.2.2, exercise
    25); integers alone, so that all machines agree.
    """
    values = np.asarray(numbers, np.uint64)
    whole = np.zeros(values.shape, np.int64)
    left = values.copy()
    for step in (32, 16, 8, 4, 2, 1):
        is_more = left >= np.uint64(1) << np.uint64(step)
        whole += step * is_more
        left = np.where(is_more, left >> np.uint64(step), left)
    shift = _MANTISSA_BITS - whole
    mantissa = np.where(
        shift >= 0, values << np.maximum(shift, 0).astype(np.uint64), values >> np.maximum(-shift, 0).astype(np.uint64)
    )
    logarithm = whole
    for _ in range(LOG_BITS):
        mantissa = (mantissa * mantissa) >> np.uint64(_MANTISSA_BITS)
        is_two = mantissa >> np.uint64(_MANTISSA_BITS + 1)
        mantissa >>= is_two
        logarithm = 2 * logarithm + is_two.astype(np.int64)
    return logarithm
