"""The records for which a condition holds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from debruijn_gpu.backends.array_interface import Array, ArrayBackend
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.table_options import CompactOptions, Condition


def compact_records(columns: Columns, options: CompactOptions, backend: ArrayBackend) -> Columns:
    """The records whose key meets a condition, or their positions.

    Parameters
    ----------
    columns : Columns
        Of arrays of the backend.
    options : CompactOptions
    backend : ArrayBackend
    """
    keys = columns.column(options.column)
    mask = condition_mask(keys, options.condition, backend)
    if options.indices:
        return columns.with_arrays([backend.compact(keys, mask)[1]])
    return keep(columns, mask, backend)


def keep(columns: Columns, mask: Array, backend: ArrayBackend) -> Columns:
    """The records where a mask is set."""
    return columns.with_arrays([backend.compact(array, mask)[0] for array in columns.arrays])


def condition_mask(values: Array, condition: Condition, backend: ArrayBackend) -> Array:
    """Which values meet a condition, whatever number it compares them with."""
    if values.dtype.kind == "f" or condition.comparison == "nonzero":
        return backend.matches(values, condition.comparison, condition.threshold)
    decided = _decide(condition, np.iinfo(values.dtype.name))
    if decided is not None:
        return (values == values) if decided else (values != values)
    exact = _with_integer(condition)
    return backend.matches(values, exact.comparison, exact.threshold)


def _decide(condition: Condition, limits: np.iinfo[np.signedinteger | np.unsignedinteger]) -> bool | None:
    """What holds for all integers within some limits, if a condition does, or fails, for all of them."""
    threshold, comparison = condition.threshold, condition.comparison
    if threshold > limits.max:
        return comparison in ("<", "!=")
    if threshold < limits.min:
        return comparison in (">", "!=")
    if threshold != math.floor(threshold) and comparison in ("==", "!="):
        return comparison == "!="
    if (comparison, threshold) == ("<", limits.min) or (comparison, threshold) == (">", limits.max):
        return False
    return None


def _with_integer(condition: Condition) -> Condition:
    """A condition that says the same of integers, and compares them with one."""
    rounded = math.ceil(condition.threshold) if condition.comparison == "<" else math.floor(condition.threshold)
    return replace(condition, threshold=rounded)
