"""Count values by bins or by integers."""

from __future__ import annotations

import math

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.protocol import ArrayBackend
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.primitives.options import MOST_BINS, HistogramOptions

_BEYOND = float(1 << 63)  # the least float above all integers of 64 bits
_BIN_NAMES = (b"low", b"high", b"count")


def histogram_of_records(columns: Columns, options: HistogramOptions, backend: ArrayBackend) -> Columns:
    """Count the values of a column.

    Parameters
    ----------
    columns : Columns
        Of arrays of the backend.
    options : HistogramOptions
    backend : ArrayBackend

    Returns
    -------
    Columns
        Of arrays of the backend: lower end, upper end and count of each bin; or each integer and its count. No records
        if there are no values and no range is given.
    """
    values = columns.column(options.column)
    if options.integers:
        return columns.with_arrays(_count_integers(values, options, backend), [b"integer", b"count"])
    low, high = _range(values, options, backend)
    if low > high:
        none = [backend.to_device(np.empty(0, dtype)) for dtype in (float, float, np.int64)]
        return columns.with_arrays(none, _BIN_NAMES)
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.linspace(low, high, options.n_bins + 1)
        if not np.all(np.diff(edges) > 0):
            raise ParameterError(
                f"no floats divide the range from {low} to {high} into {options.n_bins:,} bins",
                "give fewer --bins or another --range, or count integers (--integers)",
            )
    counts = backend.arrays.histogram(values, low, high, options.n_bins)
    ends = [backend.to_device(edges[:-1].copy()), backend.to_device(edges[1:].copy())]
    return columns.with_arrays([*ends, counts], _BIN_NAMES)


def _range(values: Array, options: HistogramOptions, backend: ArrayBackend) -> tuple[float, float]:
    """The range of the bins: as given, or that of the values but NaN; (inf, -inf) of none."""
    if options.low is not None and options.high is not None:
        return float(options.low), float(options.high)
    if values.dtype.kind == "f":
        values, _positions = backend.arrays.compact(values, values == values)
    if not len(values):
        return math.inf, -math.inf
    low, high = float(backend.arrays.reduce(values, "min")), float(backend.arrays.reduce(values, "max"))
    if math.isinf(low) or math.isinf(high):
        raise ParameterError("infinite numbers are in no bin", "give the range of the bins (--range LOW:HIGH)")
    return (low, high) if low < high else (low - 0.5, high + 0.5)  # as NumPy has it


def _count_integers(values: Array, options: HistogramOptions, backend: ArrayBackend) -> list[Array]:
    """Each integer of a range, or from the least to the greatest value, and how often it occurs."""
    if values.dtype.kind == "f":
        values = _as_integers(values, options, backend)
    if options.low is not None and options.high is not None:
        low, high = math.ceil(options.low), math.floor(options.high)
        values, _positions = backend.arrays.compact(values, backend.arrays.matches(values, ">", low - 1))
        values, _positions = backend.arrays.compact(values, backend.arrays.matches(values, "<", high + 1))
    elif len(values):
        low, high = int(backend.arrays.reduce(values, "min")), int(backend.arrays.reduce(values, "max"))
    else:
        low, high = 0, -1
    n = max(0, high - low + 1)
    if n > MOST_BINS:
        raise ParameterError(
            f"{n:,} integers from {low} to {high} are too many to count each",
            "give a smaller --range, use --bins, or count those that occur: dbg distinct --count",
        )
    dtype = np.uint64 if high > np.iinfo(np.int64).max else np.int64
    integers = np.arange(n, dtype=dtype) + np.array(low if n else 0, dtype)
    if not len(values):
        return [backend.to_device(integers), backend.to_device(np.zeros(n, np.int64))]
    return [backend.to_device(integers), backend.arrays.count_integers(values - values.dtype.type(low), n)]


def _as_integers(values: Array, options: HistogramOptions, backend: ArrayBackend) -> Array:
    """Convert floats to integers, without NaN and those outside of the range.

    Raises
    ------
    ParameterError
        If one has a fraction, or is beyond 64 bits.
    """
    values, _positions = backend.arrays.compact(values, values == values)
    if options.low is not None and options.high is not None:
        values, _positions = backend.arrays.compact(values, backend.arrays.matches(values, ">=", options.low))
        values, _positions = backend.arrays.compact(values, backend.arrays.matches(values, "<=", options.high))
    if len(values):
        ends = [float(backend.arrays.reduce(values, end)) for end in ("min", "max")]
        beyond = [end for end in ends if not -_BEYOND <= end < _BEYOND]
        if beyond:
            raise ParameterError(
                f"--integers needs integers of 64 bits, but the column has {beyond[0]}",
                "give a --range, or choose --bins",
            )
    integers = values.astype(np.int64)
    if bool((integers != values).any()):
        raise ParameterError(
            "--integers needs integers, but the column has fractions", "leave it out, or choose --bins"
        )
    return integers
