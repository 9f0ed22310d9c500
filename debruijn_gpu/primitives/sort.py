"""Sort records, and write one record of each key."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.protocol import ArrayBackend
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.primitives.columns import Columns, group_by, key_arrays
from debruijn_gpu.primitives.options import DistinctOptions, SortOptions
from debruijn_gpu.run.resources import format_bytes

_SEVERAL_COLUMNS_FACTOR = 4


def sort_records(columns: Columns, options: SortOptions, backend: ArrayBackend) -> Columns:
    """Sort whole records by their keys; records with equal keys stay in order, or only the first of them stays.

    Parameters
    ----------
    columns : Columns
        Of arrays of the backend.
    options : SortOptions
    backend : ArrayBackend
    """
    if _is_plain(columns, options):
        return columns.with_values(_sort_values(columns.arrays[0], options, backend))
    keys = key_arrays(columns, options.keys)
    if options.unique:
        return columns.taken(group_by(keys, backend).first)
    return columns.taken(backend.arrays.order_by(keys))


def sort_in_runs(columns: Columns, options: SortOptions, backend: ArrayBackend) -> Columns:
    """`sort_records` of NumPy arrays that may be larger than the memory of a device.

    Raises
    ------
    OutOfMemoryError
        If there are several columns or spellings: they are not sorted in runs.
    """
    if not _is_plain(columns, options):
        raise too_large(columns)
    values = columns.arrays[0]
    result = backend.arrays.distinct_host(values) if options.unique else backend.arrays.sort_host(values)
    return columns.with_values(result[::-1].copy() if options.keys[0].descending else result)


def too_large(columns: Columns) -> OutOfMemoryError:
    """Return the error for records that do not fit into GPU memory."""
    return OutOfMemoryError(
        f"Out of GPU memory: {format_bytes(columns.nbytes)} of records need about "
        f"{format_bytes(_SEVERAL_COLUMNS_FACTOR * columns.nbytes)}",
        "allow more (--gpu-memory), or run with --backend cpu",
    )


def _is_plain(columns: Columns, options: SortOptions) -> bool:
    """Return whether records consist of their key alone."""
    return columns.is_single and len(options.keys) == 1 and columns.column(options.keys[0].column) is columns.arrays[0]


def _sort_values(values: Array, options: SortOptions, backend: ArrayBackend) -> Array:
    """Sort records that are nothing but their key."""
    result = backend.arrays.distinct(values) if options.unique else backend.arrays.sort(values)
    return result[::-1].copy() if options.keys[0].descending else result


def distinct_records(columns: Columns, options: DistinctOptions, backend: ArrayBackend) -> Columns:
    """The first record of each key, in the order of the keys; with the number of records as a last column if asked for.

    Parameters
    ----------
    columns : Columns
        Of arrays of the backend.
    options : DistinctOptions
    backend : ArrayBackend
    """
    plain = _is_plain_number(columns, options)
    keys = key_arrays(columns, options.keys)
    if plain and not options.count:
        return columns.with_values(backend.arrays.distinct(keys[0]))
    if plain:
        values, counts = backend.arrays.distinct_counts(keys[0])
        return columns.with_values(values).with_column(counts, b"count")
    groups = group_by(keys, backend)
    records = columns.taken(groups.first)
    return records.with_column(groups.sizes.astype(np.int64), b"count") if options.count else records


def distinct_in_runs(columns: Columns, options: DistinctOptions, backend: ArrayBackend) -> Columns:
    """`distinct_records` of NumPy arrays that may be larger than the memory of a device.

    Raises
    ------
    OutOfMemoryError
        If there are several columns or spellings, or the order descends: they are not made distinct in runs.
    """
    if not _is_plain_number(columns, options):
        raise too_large(columns)
    values = key_arrays(columns, options.keys)[0]
    if not options.count:
        return columns.with_values(backend.arrays.distinct_host(values))
    distinct, counts = backend.arrays.distinct_counts_host(values)
    return columns.with_values(distinct).with_column(counts, b"count")


def _is_plain_number(columns: Columns, options: DistinctOptions) -> bool:
    """Return whether records consist of their key alone, in ascending order."""
    return columns.is_single and not options.keys[0].descending
