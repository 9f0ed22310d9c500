"""Filter records by a condition, or by a set of keys (semi-join)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.protocol import ArrayBackend
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.primitives.columns import Columns, inexact_integers
from debruijn_gpu.primitives.options import CompactOptions, JoinOptions


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
    condition = options.condition
    mask = backend.arrays.matches(keys, condition.comparison, condition.threshold)
    if condition.highest is not None:
        mask &= backend.arrays.matches(keys, "<=", condition.highest)
    if options.indices:
        return columns.with_arrays([backend.arrays.compact(keys, mask)[1]], [b"index"])
    return columns.kept(mask, backend)


def join_records(columns: Columns, wanted: Columns, options: JoinOptions, backend: ArrayBackend) -> Columns:
    """The records whose key is among the wanted ones, in order (a semi-join), or those whose key is not (anti-join).

    Parameters
    ----------
    columns : Columns
        Of arrays of the backend.
    wanted : Columns
        Of NumPy arrays; the first columns are compared with the keys in turn.
    options : JoinOptions
    backend : ArrayBackend

    Raises
    ------
    ParameterError
        If a float of a text may be an integer of the other file that no float is equal to.
    """
    keys = [columns.column(key.column) for key in options.keys]
    wanted_keys = [wanted.column(i) for i in range(len(keys))]
    for key, own, other in zip(options.keys, keys, wanted_keys, strict=True):
        if own.dtype.kind == "f" and other.dtype.kind in "iu" and columns.file_format.kind == "text":
            _check_integers(other, backend.to_host(own), key.column)
        elif own.dtype.kind in "iu" and other.dtype.kind == "f" and wanted.file_format.kind == "text":
            _check_integers(backend.to_host(own), other, key.column)
    chosen = [backend.to_device(array) for array in _with_dtypes(wanted_keys, [key.dtype for key in keys])]
    if len(keys) > 1:
        keys, chosen = _ranked(keys, chosen, backend)
    mask = backend.arrays.semi_join(keys[0], chosen[0])
    return columns.kept(~mask if options.unmatched else mask, backend)


def _check_integers(integers: NDArray[Any], floats: NDArray[Any], column: int) -> None:
    """Raise an error for an integer that becomes one of some floats when it is rounded, as their text may have been."""
    inexact = inexact_integers(integers)
    rounded = inexact[np.isin(inexact.astype(np.float64), floats)]
    if len(rounded):
        raise ParameterError(
            f"column {column + 1}: {rounded[0]} is compared with floats, which are rounded above 2^53",
            "give integers in both files, without point or exponent",
        )


def _with_dtypes(arrays: Sequence[NDArray[np.generic]], dtypes: Sequence[np.dtype[np.generic]]) -> list[Array]:
    """Records with columns of other dtypes, those left out that hold a number which one of these does not have."""
    fits = np.ones(len(arrays[0]), np.bool_)
    converted = []
    for array, dtype in zip(arrays, dtypes, strict=True):
        column, column_fits = _converted(array, np.dtype(dtype))
        converted.append(column)
        fits &= column_fits
    return converted if fits.all() else [column[fits] for column in converted]


def _converted(array: NDArray[np.generic], dtype: np.dtype[np.generic]) -> tuple[Array, NDArray[np.bool_]]:
    """Numbers of another dtype, and which of them are still the same."""
    if array.dtype == dtype:
        return array, np.ones(len(array), np.bool_)
    with np.errstate(invalid="ignore", over="ignore"):
        if dtype.kind == "f":
            column = array.astype(dtype)
            same = _same_floats(array, column)
        else:
            in_range = _in_range(array, dtype)
            column = np.where(in_range, array, array.dtype.type(0)).astype(dtype)
            same = in_range & (column.astype(array.dtype) == array)
    return column, same


def _in_range(array: NDArray[np.generic], dtype: np.dtype[np.generic]) -> NDArray[np.bool_]:
    """Which numbers lie between the least and the greatest of an integer dtype."""
    limits = np.iinfo(dtype.name)
    if array.dtype.kind == "f":
        wide = array.astype(np.float64)
        return np.asarray((wide >= float(limits.min)) & (wide < float(limits.max + 1)))
    own = np.iinfo(array.dtype.name)
    at_least = array >= array.dtype.type(max(limits.min, own.min))  # type: ignore[operator]
    at_most = array <= array.dtype.type(min(limits.max, own.max))  # type: ignore[operator]
    return np.asarray(at_least & at_most)


def _same_floats(array: NDArray[np.generic], floats: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Which numbers did not change when they became floats."""
    if array.dtype.kind == "f":
        back = floats.astype(array.dtype)
        return np.asarray((back == array) | ((array != array) & (back != back)))
    in_range = _in_range(floats, array.dtype)
    return np.asarray(in_range & (np.where(in_range, floats, floats.dtype.type(0)).astype(array.dtype) == array))


def _ranked(keys: Sequence[Array], chosen: Sequence[Array], backend: ArrayBackend) -> tuple[list[Array], list[Array]]:
    """Keys of several columns as one integer each, -1 for a key that is not wanted.

    A column is replaced by its rank among the wanted ones; two of these make one integer, which is ranked again.
    """
    key_rank, chosen_rank = _rank(keys[0], chosen[0], backend)
    for key, wanted in zip(keys[1:], chosen[1:], strict=True):
        next_key, next_chosen = _rank(key, wanted, backend)
        n_ranks = len(wanted) + 1
        is_known = (key_rank >= 0) & (next_key >= 0)
        combined = (key_rank * n_ranks + next_key) * is_known - ~is_known
        key_rank, chosen_rank = _rank(combined, chosen_rank * n_ranks + next_chosen, backend)
    return [key_rank], [chosen_rank]


def _rank(key: Array, wanted: Array, backend: ArrayBackend) -> tuple[Array, Array]:
    """Rank of each key, and of each wanted one, among the distinct wanted ones; -1 of a key that is not one."""
    table = backend.arrays.distinct(wanted)
    return backend.arrays.lookup(table, key), backend.arrays.lookup(table, wanted)
