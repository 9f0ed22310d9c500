"""The records for which a condition holds."""

from __future__ import annotations

from debruijn_gpu.backends.protocol import ArrayBackend
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.primitives.options import CompactOptions


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
    mask = backend.arrays.matches(keys, options.condition.comparison, options.condition.threshold)
    if options.indices:
        return columns.with_arrays([backend.arrays.compact(keys, mask)[1]])
    return columns.kept(mask, backend)
