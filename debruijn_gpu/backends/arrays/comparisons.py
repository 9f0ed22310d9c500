"""Compare with a threshold that the dtype may not hold, for both backends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def _rounded(dtype: np.dtype[Any], threshold: float) -> tuple[Any, bool]:
    """A threshold as the dtype holds it, not above its greatest number, and whether this will do."""
    if threshold != threshold or threshold in (math.inf, -math.inf):
        return dtype.type(threshold), True
    greatest = np.finfo(dtype).max
    if abs(threshold) > float(greatest):
        return np.copysign(greatest, -1 if threshold < 0 else 1), False
    rounded = dtype.type(threshold)
    return rounded, not isinstance(threshold, int | np.integer) or int(rounded) == threshold


def exact_comparison(dtype: np.dtype[Any], comparison: str, threshold: float) -> tuple[str, float] | bool:
    """The same comparison with a threshold that the dtype holds exactly, or what it gives for all values."""
    asked, comparison = comparison, comparison[0] if comparison in (">=", "<=") else comparison
    if dtype.kind == "f":
        rounded, exact = _rounded(dtype, threshold)
        if exact:
            return asked, rounded
        if comparison in ("==", "!="):
            return comparison == "!="
        return comparison + ("=" if (int(rounded) > threshold) == (comparison == ">") else ""), rounded
    if threshold != threshold:
        return comparison == "!="
    if threshold in (math.inf, -math.inf):
        return comparison == "!=" or ((comparison == ">") == (threshold < 0) and comparison != "==")
    if threshold != int(threshold):
        if comparison in ("==", "!="):
            return comparison == "!="
        threshold = math.floor(threshold) if comparison == ">" else math.ceil(threshold)
        asked = comparison
    threshold = int(threshold)
    info = np.iinfo(dtype)
    if info.min <= threshold <= info.max:
        return asked, dtype.type(threshold)
    return comparison == "!=" or comparison == (">" if threshold < info.min else "<")
