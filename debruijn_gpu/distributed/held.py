"""Arrays that tasks leave on their worker: in memory up to a share of it, beyond that in a scratch file.

Dask moves whole results. These are copied into memory where they are sent, and nowhere else.
"""

from __future__ import annotations

import sys
import threading
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.distributed.allocation import keep_freed_memory
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_budget, memory_left
from debruijn_gpu.run.scratch import ScratchArray, ScratchFile

_SHARE = 0.25  # of the memory that is left when the first array is held


class Shelf:
    """Room of one worker process for the arrays of one run. Any thread may use it.

    Parameters
    ----------
    run : RunOptions
        Of the worker.
    """

    def __init__(self, run: RunOptions) -> None:
        self._run = run
        self._free = int(_SHARE * memory_left(run.memory))
        self._lock = threading.Lock()
        self._scratch: ScratchFile | None = None

    def hold(self, *arrays: NDArray[Any]) -> HeldArrays:
        """Hold arrays of one dimension, in memory or in a scratch file."""
        n_bytes = sum(array.nbytes for array in arrays)
        with self._lock:
            if n_bytes <= self._free:
                self._free -= n_bytes
                held = HeldArrays(list(arrays))
                weakref.finalize(held, self.give_back, n_bytes)
                return held
            if self._scratch is None:
                self._scratch = ScratchFile(self._run.tmp_dir)
            written = [self._scratch.write(np.ascontiguousarray(array)) for array in arrays]
            return HeldArrays(written, self._scratch)

    def reserve(self) -> int:
        """Reserve half of the free room, for what is not an array; returns its bytes."""
        with self._lock:
            n_bytes = self._free // 2
            self._free -= n_bytes
        return n_bytes

    def give_back(self, n_bytes: int) -> None:
        """Free what was reserved; without the lock, as objects are freed at any time."""
        self._free += n_bytes


class HeldArrays:
    """Some arrays on a worker; see `Shelf.hold`.

    Parameters
    ----------
    arrays : list of ndarray or ScratchArray
    scratch : ScratchFile, optional
        Of the latter.
    """

    def __init__(self, arrays: list[Any], scratch: ScratchFile | None = None) -> None:
        self._arrays = arrays
        self._scratch = scratch

    def load(self) -> list[NDArray[Any]]:
        """Return the arrays, in memory."""
        return [self._loaded(array) for array in self._arrays]

    def _loaded(self, array: NDArray[Any] | ScratchArray) -> NDArray[Any]:
        if isinstance(array, np.ndarray):
            return usable(array)
        assert self._scratch is not None
        found = np.empty(array.size, array.dtype)
        self._scratch.read_into(array, 0, found)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return HeldArrays, (self.load(),)

    def __sizeof__(self) -> int:
        """Bytes to send: by these Dask sends tasks to data rather than data to tasks."""
        sizes = (a.nbytes if isinstance(a, np.ndarray) else a.size * a.dtype.itemsize for a in self._arrays)
        return object.__sizeof__(self) + sum(sizes)


def usable(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that kernels take: a received one may lie anywhere in a message."""
    return np.require(array, requirements=["ALIGNED", "WRITEABLE"])


_shelves: dict[str, Shelf] = {}
_lock = threading.Lock()


def shelf_of(run_id: str, run: RunOptions) -> Shelf:
    """Return the shelf of a run in this process; those of other runs are let go, and end with what they hold."""
    with _lock:
        if run_id not in _shelves:
            if not _shelves:
                keep_freed_memory(memory_budget(run.memory))
            _shelves.clear()
            _shelves[run_id] = Shelf(run)
        return _shelves[run_id]


def size_of(parts: list[list[HeldArrays]]) -> int:
    """Return the bytes of held arrays."""
    return sum(sys.getsizeof(held) for part in parts for held in part)
