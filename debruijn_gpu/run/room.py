"""Ask for memory before it is allocated: stores make room, and what does not fit is an error that names the need."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes, memory_left as memory_left_on_host, return_free_memory

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.protocol import CoreOperations

_FIX = "allow more memory (-m, or --gpu-memory on a GPU), or keep fewer k-mers (--min-count)"


def least_left(run: RunOptions, backend: CoreOperations) -> int:
    """Return the memory that is left to a backend, or on the host if that is less, in bytes."""
    return min(backend.memory_left(run), memory_left_on_host(run.memory))


def free_room(n_bytes: int, memory_left: Callable[[], int]) -> int:
    """Return the memory that is left; where it is less than ``n_bytes``, stores move to scratch files before."""
    for give_back in (return_free_memory, log.current_run().spill):
        if memory_left() >= n_bytes:
            break
        give_back()
        return_free_memory()
    return memory_left()


def make_room(n_bytes: int, what: str, memory_left: Callable[[], int], fix: str = _FIX) -> int:
    """Return the memory that is left; where it is less than is needed, stores move to scratch files before.

    Parameters
    ----------
    n_bytes : int
        What is needed.
    what : str
        What it is needed for, as the subject of a sentence: ``the graph of 5 k-mers``.
    memory_left : callable
        Bytes that are left, of the host or of a device.
    fix : str
        What the user can do.

    Raises
    ------
    OutOfMemoryError
        If it is not enough even so.
    """
    left = free_room(n_bytes, memory_left)
    if n_bytes > left:
        raise OutOfMemoryError(
            f"Out of memory: {what} takes about {format_bytes(n_bytes)}, and {format_bytes(left)} are left for it", fix
        )
    return left


class SharedRoom:
    """Memory that several threads ask for, each for a while: where it is short, one waits until others have finished.

    Their needs add up to what was left when their number was chosen, but memory that one has freed may be left to
    others a little later.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._n_working = 0

    @contextmanager
    def room(self, n_bytes: int, what: str, memory_left: Callable[[], int]) -> Iterator[None]:
        """Have room for a block; see `make_room`, whose error is raised where no other thread works in such a block."""
        with self._changed:
            while self._n_working and free_room(n_bytes, memory_left) < n_bytes:
                self._changed.wait()
            make_room(n_bytes, what, memory_left)
            self._n_working += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_working -= 1
                self._changed.notify_all()
