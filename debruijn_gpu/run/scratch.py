"""Arrays that do not fit into memory, in one temporary file without a name."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FileAccessError


@dataclass(frozen=True)
class ScratchArray:
    """Position of an array in the scratch file."""

    offset: int
    size: int
    dtype: Any


class ScratchFile:
    """A temporary file of arrays; it has no name, so that nothing is left behind however the run ends.

    Raises
    ------
    FileAccessError
        When made or written, if there is no such directory or no space in it.
    """

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory or Path(tempfile.gettempdir())
        try:
            self._file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115 - lives as long as this object
        except OSError as error:
            raise self._error(error) from error
        self.n_bytes = 0

    def write(self, array: NDArray[Any]) -> ScratchArray:
        """Append a one-dimensional array."""
        place = ScratchArray(self.n_bytes, array.size, array.dtype)
        view = array.view(np.uint8).data
        try:
            while len(view):
                view = view[os.write(self._file.fileno(), view) :]
        except OSError as error:
            raise self._error(error) from error
        self.n_bytes += array.nbytes
        return place

    def read_into(self, place: ScratchArray, start: int, target: NDArray[Any]) -> None:
        """Fill ``target`` with the elements from ``start`` on. Safe to call from several threads."""
        view = target.view(np.uint8).data
        offset = place.offset + start * place.dtype.itemsize
        while len(view):
            got = os.preadv(self._file.fileno(), [view], offset)
            if got == 0:
                raise OSError("the temporary file is shorter than what was written to it")
            view, offset = view[got:], offset + got

    def _error(self, error: OSError) -> FileAccessError:
        return FileAccessError(
            f"{self._directory}: temporary file: {error.strerror or error}",
            "choose a place with more space (--tmp-dir), or allow more memory (-m)",
        )

    def close(self) -> None:
        """Give the space back."""
        self._file.close()
