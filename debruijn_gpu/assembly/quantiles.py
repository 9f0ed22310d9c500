"""Weighted quantiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def weighted_median(values: NDArray[np.float64], weights: NDArray[np.int64]) -> float:
    """Return the weighted median; 0 of nothing."""
    return weighted_quantile(values, weights, 0.5)


def weighted_quantile(values: NDArray[np.float64], weights: NDArray[np.int64], share: float) -> float:
    """Return the value below which a share of the weights lies; 0 of nothing."""
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(upto, int(share * int(upto[-1])))])
