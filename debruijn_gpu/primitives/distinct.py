"""One record of each key."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.protocol import ArrayBackend
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.primitives.groups import group_by, key_arrays
from debruijn_gpu.primitives.options import DistinctOptions
from debruijn_gpu.primitives.sort import too_large


def distinct_records(columns: Columns, options: DistinctOptions, backend: ArrayBackend) -> Columns:
    """The first record of each key, in the order of the keys; with the number of records as a last column if asked for.

    Parameters
    ----------
    columns : Columns
        Of arrays of the backend.
    options : DistinctOptions
    backend : ArrayBackend
    """
    plain = _is_plain(columns, options)
    keys = key_arrays(columns, options.keys)
    if plain and not options.count:
        return columns.with_arrays([backend.arrays.distinct(keys[0])])
    if plain:
        values, counts = backend.arrays.distinct_counts(keys[0])
        return columns.with_arrays([values, counts])
    groups = group_by(keys, backend)
    records = columns.taken(groups.first)
    return records.with_column(groups.sizes.astype(np.int64)) if options.count else records


def distinct_in_runs(columns: Columns, options: DistinctOptions, backend: ArrayBackend) -> Columns:
    """`distinct_records` of NumPy arrays that may be larger than the memory of a device.

    Raises
    ------
    OutOfMemoryError
        If there are several columns or spellings, or the order descends: they are not made distinct in runs.
    """
    if not _is_plain(columns, options):
        raise too_large(columns)
    values = key_arrays(columns, options.keys)[0]
    if not options.count:
        return columns.with_arrays([backend.arrays.distinct_host(values)])
    return columns.with_arrays(backend.arrays.distinct_counts_host(values))


def _is_plain(columns: Columns, options: DistinctOptions) -> bool:
    """Return whether records consist of their key alone, in ascending order."""
    return columns.is_single and not options.keys[0].descending
