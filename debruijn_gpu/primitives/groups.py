"""Records grouped by keys of several columns, each ascending or descending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.protocol import ArrayBackend
from debruijn_gpu.primitives.columns import Columns
from debruijn_gpu.primitives.options import Key


@dataclass(frozen=True)
class Groups:
    """Groups of records with equal keys, in the order of the keys.

    Attributes
    ----------
    first : array of the backend, dtype=int64, shape=(n_groups,)
        Position of the first record of each.
    sizes : array of the backend, dtype=int64, shape=(n_groups,)
        Number of records in each.
    """

    first: Array
    sizes: Array


def key_arrays(columns: Columns, keys: Sequence[Key]) -> list[Array]:
    """One array per key, to be sorted in ascending order."""
    return [descending(columns.column(key.column)) if key.descending else columns.column(key.column) for key in keys]


def descending(values: Array) -> Array:
    """Integers whose ascending order is the descending order of some values, equal where these are; NaN comes first."""
    if values.dtype.kind != "f":
        return ~values
    signed = np.dtype(f"i{values.dtype.itemsize}")
    canonical = values + values.dtype.type(0)  # -0.0 becomes 0.0
    canonical[canonical != canonical] = np.nan  # the NaN without a sign
    bits = canonical.view(signed)
    return ~(bits ^ ((bits >> (8 * signed.itemsize - 1)) & np.iinfo(signed).max))


def group_by(keys: Sequence[Array], backend: ArrayBackend) -> Groups:
    """Find the groups of equal keys.

    Parameters
    ----------
    keys : sequence of arrays of the backend
        The columns of the key, the first the most significant.
    backend : ArrayBackend
    """
    if len(keys) == 1:
        _values, first = backend.arrays.distinct_first(keys[0])
        return Groups(first, backend.arrays.distinct_counts(keys[0])[1])
    order = backend.arrays.order_by(keys)
    starts_group = order >= 0
    starts_group[1:] = False
    for key in keys:
        starts_group[1:] |= _differs_from_last(key[order])
    first, starts = backend.arrays.compact(order, starts_group)
    sizes = starts.copy()
    sizes[:-1] = starts[1:] - starts[:-1]
    sizes[-1:] = len(order) - starts[-1:]
    return Groups(first, sizes)


def _differs_from_last(values: Array) -> Array:
    """Whether each value but the first is another than the one before; NaN is equal to NaN."""
    last, this = values[:-1], values[1:]
    if values.dtype.kind != "f":
        return last != this
    return (last != this) & ((last == last) | (this == this))
