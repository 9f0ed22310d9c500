"""The container of these primitives: records, column by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.errors import ParameterError


@dataclass(frozen=True)
class Form:
    """How records look in a file.

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
class Columns:
    """Records as a structure of arrays.

    Attributes
    ----------
    arrays : tuple of arrays, each of shape (n,)
        One or more columns, of NumPy or of a backend, of the dtypes that backends know; record i has element i of each.
    form : Form
        That of the file they come from.
    """

    arrays: tuple[Array, ...]
    form: Form = Form()

    def __len__(self) -> int:
        return len(self.arrays[0])

    @property
    def nbytes(self) -> int:
        """Size of all columns."""
        return sum(int(array.nbytes) for array in self.arrays)

    def column(self, number: int) -> Array:
        """Column ``number``, counted from 0.

        Raises
        ------
        ParameterError
            If there are not as many.
        """
        if number >= len(self.arrays):
            n_columns = len(self.arrays)
            there = "1 column" if n_columns == 1 else f"{n_columns} columns"
            raise ParameterError(
                f"column {number + 1} is asked for, but the input has {there}", "columns are counted from 1"
            )
        return self.arrays[number]

    def with_arrays(self, arrays: Sequence[Array]) -> Columns:
        """Other columns in the same form."""
        return replace(self, arrays=tuple(arrays))

    def moved(self, move: Callable[[Array], Array]) -> Columns:
        """The same with each array moved, to a device or back."""
        return self.with_arrays([move(array) for array in self.arrays])

    def taken(self, positions: Array) -> Columns:
        """The records at some positions, in their order."""
        return self.with_arrays([array[positions] for array in self.arrays])
