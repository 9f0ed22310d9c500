"""Arrays that tasks leave on their worker: in memory up to a share of it, beyond that in a scratch file.

Dask moves whole results. These are copied into memory where they are sent, and nowhere else.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.distributed.allocation import keep_freed_memory
from debruijn_gpu.distributed.exchange import forget
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
        return HeldArrays(*self._kept(arrays, [None] * len(arrays)))

    def hold_pieces(self, arrays: Sequence[NDArray[Any]], bounds: Sequence[NDArray[np.int64]]) -> HeldPieces:
        """Hold arrays of one dimension that are read in pieces; see `HeldPieces`."""
        return HeldPieces(*self._kept(arrays, bounds), bounds)

    def _kept(
        self, arrays: Sequence[NDArray[Any]], bounds: Sequence[NDArray[np.int64] | None]
    ) -> tuple[list[Any], Room | None]:
        """Keep arrays in memory, or write them; returns them, and what they take as long as it is referred to."""
        n_bytes = sum(array.nbytes for array in arrays)
        with self._lock:
            if n_bytes <= self._free:
                self._free -= n_bytes
                room = Room(None)
                weakref.finalize(room, self.give_back, n_bytes)
                return list(arrays), room
            if self._scratch is None:
                self._scratch = ScratchFile(self._run.tmp_dir)
            scratch = self._scratch
        return [scratch.write(np.ascontiguousarray(a), b) for a, b in zip(arrays, bounds, strict=True)], Room(scratch)

    def reserve(self) -> int:
        """Reserve half of the free room, for what is not an array; returns its bytes."""
        with self._lock:
            n_bytes = self._free // 2
            self._free -= n_bytes
        return n_bytes

    def give_back(self, n_bytes: int) -> None:
        """Free what was reserved; without the lock, as objects are freed at any time."""
        self._free += n_bytes


class Room:
    """What held arrays take: their scratch file (None: memory), or their share of the shelf."""

    def __init__(self, scratch: ScratchFile | None) -> None:
        self.scratch = scratch


@dataclass(frozen=True)
class Rows:
    """Rows ``start:stop`` of an array in a scratch file, which are a part of it."""

    array: ScratchArray
    start: int
    stop: int

    @property
    def nbytes(self) -> int:
        return (self.stop - self.start) * int(self.array.dtype.itemsize)


class HeldArrays:
    """Some arrays on a worker; see `Shelf.hold`.

    Parameters
    ----------
    arrays : list of ndarray, ScratchArray or Rows
    room : Room, optional
    """

    def __init__(self, arrays: list[Any], room: Room | None = None) -> None:
        self._arrays = [Rows(a, 0, a.size) if isinstance(a, ScratchArray) else a for a in arrays]
        self._room = room

    def load(self) -> list[NDArray[Any]]:
        """Return the arrays, in memory."""
        return [self._loaded(array) for array in self._arrays]

    def moved(self) -> HeldArrays:
        """Return them with all data in memory, to be sent."""
        return HeldArrays(self.load(), self._room)

    def _loaded(self, array: NDArray[Any] | Rows) -> NDArray[Any]:
        if isinstance(array, np.ndarray):
            return usable(array)
        assert self._room is not None
        assert self._room.scratch is not None
        found = np.empty(array.stop - array.start, array.array.dtype)
        self._room.scratch.read_into(array.array, array.start, found)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return HeldArrays, (self.load(),)

    def __sizeof__(self) -> int:
        """Bytes to send: by these Dask sends tasks to data rather than data to tasks."""
        return object.__sizeof__(self) + sum(array.nbytes for array in self._arrays)


class HeldPieces:
    """Arrays on a worker that are read in pieces, each some rows; see `Shelf.hold_pieces`.

    Parameters
    ----------
    arrays : list of ndarray or ScratchArray
    room : Room or None
    bounds : sequence of ndarray, dtype=int64, shape=(n_pieces + 1,)
        Of each array: piece i is its rows ``bounds[i]:bounds[i + 1]``.
    """

    def __init__(self, arrays: list[Any], room: Room | None, bounds: Sequence[NDArray[np.int64]]) -> None:
        self._arrays = arrays
        self._room = room
        self._bounds = bounds

    def piece(self, i: int) -> HeldArrays:
        """Return the arrays of a piece."""
        return HeldArrays([self._rows(a, *b[i : i + 2].tolist()) for a, b in self._each()], self._room)

    def _each(self) -> Iterator[tuple[Any, NDArray[np.int64]]]:
        return zip(self._arrays, self._bounds, strict=True)

    @staticmethod
    def _rows(array: NDArray[Any] | ScratchArray, start: int, stop: int) -> NDArray[Any] | Rows:
        return Rows(array, start, stop) if isinstance(array, ScratchArray) else array[start:stop]

    def __reduce__(self) -> tuple[Any, ...]:
        return HeldPieces, (HeldArrays(self._arrays, self._room).load(), None, self._bounds)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(int(b[-1]) * int(a.dtype.itemsize) for a, b in self._each())


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
            forget()
            _shelves[run_id] = Shelf(run)
        return _shelves[run_id]


def size_of(held: Sequence[HeldArrays | HeldPieces]) -> int:
    """Return the bytes of held arrays."""
    return sum(map(sys.getsizeof, held))
