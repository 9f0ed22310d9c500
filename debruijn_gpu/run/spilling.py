"""Arrays that stay in memory up to a limit; later ones are written to a scratch file."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.run import stages
from debruijn_gpu.run.buffers import aligned_array
from debruijn_gpu.run.scratch import ScratchArray, ScratchFile


class SpillingArrays:
    """One-dimensional host arrays, kept in memory up to a limit and beyond it in a scratch file.

    They make room when a later stage needs memory; threads may add, read and make room at once. The file is closed
    with this object, whoever holds it last.

    Parameters
    ----------
    memory_bytes : int
        Bytes to keep in memory.
    tmp_dir : Path or None
        Directory of the scratch file; None: the system's.
    """

    def __init__(self, memory_bytes: int, tmp_dir: Path | None) -> None:
        self._memory_bytes = memory_bytes
        self._tmp_dir = tmp_dir
        self._arrays: list[NDArray[Any] | ScratchArray | None] = []  # None: being written
        self._scratch: ScratchFile | None = None
        self._held_bytes = 0
        self._edges: list[NDArray[np.integer] | None] = []
        self._lock = threading.RLock()
        stages.current_run().stores.add(self)

    @property
    def is_in_memory(self) -> bool:
        """Whether no array is in the scratch file."""
        return self._scratch is None

    def add(self, array: NDArray[Any], edges: NDArray[np.integer] | None = None) -> int:
        """Store an array, and return its number; ``edges`` as in `ScratchFile.write`."""
        with self._lock:
            number = len(self._arrays)
            self._edges.append(edges)
            is_held = self._held_bytes + array.nbytes <= self._memory_bytes
            self._arrays.append(array if is_held else None)
            self._held_bytes += array.nbytes * is_held
        if not is_held:
            self._arrays[number] = self._written(array, edges)
        return number

    def _written(self, array: NDArray[Any], edges: NDArray[np.integer] | None) -> ScratchArray:
        with self._lock:
            if self._scratch is None:
                self._scratch = ScratchFile(self._tmp_dir)
        return self._scratch.write(np.ascontiguousarray(array), edges)

    def spill(self) -> None:
        """Move what is in memory to the scratch file, and later arrays too."""
        with self._lock:
            self._memory_bytes = self._held_bytes = 0
            for i, array in enumerate(self._arrays):
                if isinstance(array, np.ndarray):
                    self._arrays[i] = self._written(array, self._edges[i])

    def read_into(self, number: int, start: int, target: NDArray[Any]) -> None:
        """Fill a contiguous target with the elements of an array from ``start`` on, whole parts."""
        source = self._arrays[number]
        assert source is not None
        if isinstance(source, ScratchArray):
            assert self._scratch is not None
            self._scratch.read_into(source, start, target)
        else:
            target[:] = source[start : start + len(target)]

    def read(self, number: int) -> NDArray[Any]:
        """Return an array, which may be the one stored: it is not to be changed."""
        source = self._arrays[number]
        if isinstance(source, np.ndarray):
            return source
        assert source is not None
        target = aligned_array(source.size, source.dtype)
        self.read_into(number, 0, target)
        return target

    def close(self) -> None:
        """Free memory and scratch space."""
        self._arrays.clear()
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None

    def __del__(self) -> None:
        self.close()
