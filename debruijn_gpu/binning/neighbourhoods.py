"""Gaussian neighbourhoods of the units of a map, as integers."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.vectors.protocol import NEIGHBOUR_BITS
from debruijn_gpu.binning.options import SomOptions

# The decimal module computes and rounds by itself: exp and ln do not depend on the machine.
_CONTEXT = Context(prec=30)


def radii(options: SomOptions) -> Iterator[Decimal]:
    """Radius of each epoch: from the first to the last one in equal ratios."""
    first = options.start_radius
    start = max(options.rows, options.columns) / 4 if first is None else first
    end = Decimal(options.end_radius)
    begin = max(Decimal(start), end) if first is None else Decimal(start)
    steps = max(1, options.epochs - 1)
    log_ratio = _CONTEXT.ln(_CONTEXT.divide(end, begin))
    for epoch in range(options.epochs):
        share = _CONTEXT.divide(Decimal(epoch if options.epochs > 1 else 1), Decimal(steps))
        yield _CONTEXT.multiply(begin, _CONTEXT.exp(_CONTEXT.multiply(log_ratio, share)))


def neighbourhood(radius: Decimal, n_distances: int) -> NDArray[np.int64]:
    """Compute exp(-d^2 / (2 radius^2)) of the distances 0, 1, 2 and so on, in units of 2^-NEIGHBOUR_BITS.

    Parameters
    ----------
    radius : Decimal
        Above 0.
    n_distances : int
        Distances along an axis, at most. Those from the first weight of 0 on are left out.
    """
    twice_square = _CONTEXT.multiply(Decimal(2), _CONTEXT.multiply(radius, radius))
    ratio = _CONTEXT.exp(_CONTEXT.divide(Decimal(-1), twice_square))
    square, one = _CONTEXT.multiply(ratio, ratio), Decimal(1 << NEIGHBOUR_BITS)
    weights, weight, step = list[int](), Decimal(1), ratio
    while len(weights) < n_distances:
        rounded = int(_CONTEXT.to_integral_value(_CONTEXT.multiply(weight, one)))
        if rounded == 0:
            break
        weights.append(rounded)
        weight, step = _CONTEXT.multiply(weight, step), _CONTEXT.multiply(step, square)
    return np.array(weights, np.int64)
