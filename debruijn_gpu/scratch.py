"""Arrays that do not fit into memory, in one temporary file without a name."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ScratchArray:
    """Where an array lies in the scratch file."""

    offset: int
    size: int
    dtype: Any


class ScratchFile:
    """A temporary file of arrays; it has no name, so that nothing is left behind however the run ends."""

    def __init__(self, directory: Path | None) -> None:
        self._file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115 - lives as long as this object
        self.n_bytes = 0

    def write(self, array: NDArray[Any]) -> ScratchArray:
        """Append a one-dimensional array."""
        place = ScratchArray(self.n_bytes, array.size, array.dtype)
        view = memoryview(array).cast("B")
        while len(view):
            view = view[os.write(self._file.fileno(), view) :]
        self.n_bytes += array.nbytes
        return place

    def read_into(self, place: ScratchArray, start: int, target: NDArray[Any]) -> None:
        """Fill ``target`` with the elements from ``start`` on. Safe to call from several threads."""
        view = memoryview(target).cast("B")
        offset = place.offset + start * place.dtype.itemsize
        while len(view):
            got = os.preadv(self._file.fileno(), [view], offset)
            if got == 0:
                raise OSError("the temporary file is shorter than what was written to it")
            view, offset = view[got:], offset + got

    def close(self) -> None:
        """Give the space back."""
        self._file.close()
