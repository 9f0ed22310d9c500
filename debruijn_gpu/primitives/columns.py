"""Columns of records, grouped by keys, and integers that floats round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.protocol import ArrayBackend
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.primitives.keys import Key
from debruijn_gpu.run.plain_text import counted

_MOST_EXACT = 1 << 53  # doubles hold all integers up to this one


def inexact_integers(integers: NDArray[Any]) -> NDArray[Any]:
    """Select the integers that no double is equal to: more than 53 bits from the highest to the lowest that is set."""
    if integers.dtype.itemsize < 8:
        return integers[:0]
    beyond = integers[(integers > _MOST_EXACT) | (integers < -_MOST_EXACT)]
    bits = beyond.view(np.uint64)
    sizes = np.where(beyond < 0, ~bits + np.uint64(1), bits)
    lowest = sizes & (~sizes + np.uint64(1))
    return np.asarray(beyond[sizes // lowest > _MOST_EXACT])


@dataclass(frozen=True)
class NumberFormat:
    """Format of records in a file.

    Attributes
    ----------
    kind : str
        text, npy or raw.
    separator : bytes
        What separates the columns of text, one byte.
    header : bytes or None
        The line of text before the records, without its end.
    """

    kind: str = "text"
    separator: bytes = b"\t"
    header: bytes | None = None

    def named(self, names: Sequence[bytes]) -> NumberFormat:
        """The same format, with a header of other names if there is one."""
        return self if self.header is None else replace(self, header=self.separator.join(names))


@dataclass(frozen=True)
class Spelling:
    """Text of records that would be written otherwise from their numbers (007, 1e3, +5), or have words beside them.

    Attributes
    ----------
    lines : ndarray, dtype=uint8
        Lines, each with a newline; on the host.
    n_columns : int
        Number of columns of each.
    delimiter : bytes
        What separates the words: one byte, a blank for one or more blanks and tabs; none: anything between numbers.
    """

    lines: NDArray[np.uint8]
    n_columns: int
    delimiter: bytes = b""


@dataclass(frozen=True)
class Columns:
    """Records as a structure of arrays.

    Attributes
    ----------
    arrays : tuple of arrays, each of shape (n,)
        One or more columns, of NumPy or of a backend, of the dtypes that backends know; record i has element i of each.
    file_format : NumberFormat
        That of the file they come from.
    spelling : Spelling or None
        Lines of those records that are to be written as they were read.
    places : array, dtype=int64, shape=(n,), or None
        Position in these lines of each record, -1 for one that is written from its numbers; in the place of the other
        arrays. None if all are.
    held : tuple of int or None
        Numbers of the columns that are in arrays, if others are in the lines only; ranks stand for words.
    """

    arrays: tuple[Array, ...]
    file_format: NumberFormat = NumberFormat()
    spelling: Spelling | None = None
    places: Array | None = None
    held: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.arrays[0])

    @property
    def nbytes(self) -> int:
        """Size of all columns and of `places`."""
        return sum(int(array.nbytes) for array in self._all_arrays())

    @property
    def is_single(self) -> bool:
        """Whether a record is nothing but the number of one column."""
        return len(self._all_arrays()) == 1

    def _all_arrays(self) -> tuple[Array, ...]:
        return self.arrays if self.places is None else (*self.arrays, self.places)

    def column(self, number: int) -> Array:
        """Column ``number``, counted from 0.

        Raises
        ------
        ParameterError
            If there are not as many.
        """
        check_column(number, self.n_columns)
        return self.arrays[number if self.held is None else self.held.index(number)]

    @property
    def n_columns(self) -> int:
        """Number of columns of a record, also of those that are in its line only."""
        if self.held is None:
            return len(self.arrays)
        n_read = 0 if self.spelling is None else self.spelling.n_columns
        return max(n_read, max(self.held, default=-1) + 1)

    def with_arrays(self, arrays: Sequence[Array], names: Sequence[bytes] = ()) -> Columns:
        """Return other columns in the same format, without spelling; ``names`` are those of new columns."""
        return Columns(tuple(arrays), self.file_format.named(names) if names else self.file_format)

    def with_values(self, array: Array) -> Columns:
        """The same single column with other values."""
        return replace(self, arrays=(array,))

    def with_held(self, number: int, array: Array) -> Columns:
        """The same with another array of a column that is held."""
        assert self.held is not None
        place = self.held.index(number)
        return replace(self, arrays=(*self.arrays[:place], array, *self.arrays[place + 1 :]))

    def with_column(self, array: Array, name: bytes) -> Columns:
        """The same records with one more column."""
        header, held = self.file_format.header, self.held
        file_format = self.file_format if header is None else self.file_format.named([header, name])
        held = None if held is None else (*held, self.n_columns)
        return replace(self, arrays=(*self.arrays, array), file_format=file_format, held=held)

    def moved(self, move: Callable[[Array], Array]) -> Columns:
        """The same with each array moved, to a device or back."""
        return self._each(move)

    def taken(self, positions: Array) -> Columns:
        """The records at some positions, in their order."""
        return self._each(lambda array: array[positions])

    def kept(self, mask: Array, backend: ArrayBackend) -> Columns:
        """The records where a mask is set."""
        return self._each(lambda array: backend.arrays.compact(array, mask)[0])

    def _each(self, change: Callable[[Array], Array]) -> Columns:
        places = None if self.places is None else change(self.places)
        return replace(self, arrays=tuple(change(array) for array in self.arrays), places=places)


def check_column(number: int, n_columns: int) -> None:
    """Raise ParameterError for a column (from 0) that records of ``n_columns`` do not have."""
    if number >= n_columns:
        raise ParameterError(
            f"column {number + 1} is asked for, but the input has {counted(n_columns, 'column')}",
            "columns are counted from 1",
        )


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
