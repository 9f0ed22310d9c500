"""Records in order."""

from __future__ import annotations

from debruijn_gpu.backends.array_interface import Array, ArrayBackend
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.primitives.groups import group_by, key_arrays
from debruijn_gpu.table_options import SortOptions


def sort_records(columns: Columns, options: SortOptions, backend: ArrayBackend) -> Columns:
    """Sort whole records by their keys; records with equal keys stay in order, or only the first of them stays.

    Parameters
    ----------
    columns : Columns
        Of arrays of the backend.
    options : SortOptions
    backend : ArrayBackend
    """
    if len(columns.arrays) == 1 and [key.column for key in options.keys] == [0]:
        return columns.with_arrays([_sort_values(columns.arrays[0], options, backend)])
    keys = key_arrays(columns, options.keys)
    if options.unique:
        return columns.taken(group_by(keys, backend).first)
    return columns.taken(backend.order_by(keys))


def _sort_values(values: Array, options: SortOptions, backend: ArrayBackend) -> Array:
    """Sort records that are nothing but their key."""
    result = backend.distinct(values) if options.unique else backend.sort(values)
    return result[::-1].copy() if options.keys[0].descending else result
