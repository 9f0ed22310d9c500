"""The container of these primitives: records, column by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.protocol import ArrayBackend
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run.plain_text import counted


@dataclass(frozen=True)
class NumberFormat:
    """Format of records in a file.

    Attributes
    ----------
    kind : str
        text, npy or raw.
    separator : bytes
        What separates the columns of text, one byte.
    """

    kind: str = "text"
    separator: bytes = b"\t"


@dataclass(frozen=True)
class Spelling:
    """Text of records that are not spelled as they would be written from their numbers (007, 1e3, +5).

    Attributes
    ----------
    lines : ndarray, dtype=uint8
        Lines, each with a newline; on the host.
    n_columns : int
        Number of columns of each.
    """

    lines: NDArray[np.uint8]
    n_columns: int


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
    """

    arrays: tuple[Array, ...]
    file_format: NumberFormat = NumberFormat()
    spelling: Spelling | None = None
    places: Array | None = None

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
        if number >= len(self.arrays):
            raise ParameterError(
                f"column {number + 1} is asked for, but the input has {counted(len(self.arrays), 'column')}",
                "columns are counted from 1",
            )
        return self.arrays[number]

    def with_arrays(self, arrays: Sequence[Array]) -> Columns:
        """Return other columns in the same format, without spelling."""
        return Columns(tuple(arrays), self.file_format)

    def with_column(self, array: Array) -> Columns:
        """The same records with one more column."""
        return replace(self, arrays=(*self.arrays, array))

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
