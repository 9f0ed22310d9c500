"""Blocks of numba's simulator of CUDA in a fixed order of threads.

Numba starts a thread of Python for each thread of a block and polls them: a barrier takes milliseconds, and chance
orders the threads. Here they are greenlets, and each runs until its next barrier. The order
reverses from block to block and at each barrier: a missing barrier shows whether the reader or the writer comes first.
Shared memory begins with garbage, and a barrier that some threads never reach is an error, as on a GPU.
Blocks run one after another, unless they wait for each other: where a thread sleeps, another block continues, and the
order of blocks reverses from turn to turn.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from greenlet import getcurrent, greenlet
from numba import cuda
from numba.cuda.np import numpy_support
from numba.cuda.simulator.kernel import FakeCUDAKernel
from numba.cuda.simulator.kernelapi import Dim3, FakeCUDAModule

_GARBAGE = 0xA5
_AT_BARRIER, _ASLEEP, _ENDED = object(), object(), object()


class _Shared:
    """Shared arrays of a block, each known by its line; see numba's `FakeCUDAShared`."""

    def __init__(self, n_bytes: int) -> None:
        self._dynamic = np.full(n_bytes, _GARBAGE, np.uint8)
        self._arrays: dict[tuple[str, int], Any] = {}

    def array(self, shape: Any, dtype: Any) -> Any:
        dtype = np.dtype(numpy_support.as_dtype(dtype))
        if shape == 0:
            return self._dynamic[: self._dynamic.size // dtype.itemsize * dtype.itemsize].view(dtype)
        caller = sys._getframe(1)
        key = (caller.f_code.co_filename, caller.f_lineno)
        if key not in self._arrays:
            self._arrays[key] = np.full(np.prod(shape) * dtype.itemsize, _GARBAGE, np.uint8).view(dtype).reshape(shape)
        return self._arrays[key]


@dataclass
class _Block:
    """A block of a launch, with what its threads share."""

    position: Dim3
    shared: _Shared
    running: Iterator[None]
    votes: dict[tuple[int, ...], bool] = field(default_factory=dict)


class _Module(FakeCUDAModule):
    """What kernels find as ``cuda``: attributes of the running thread, and barriers that let the others run."""

    threadIdx = blockIdx = Dim3(0, 0, 0)  # noqa: N815 - names of CUDA

    def __init__(self) -> None:
        super().__init__((1, 1, 1), (1, 1, 1), 0)
        self._votes: dict[tuple[int, ...], bool] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(cuda, name)

    def begin(self, grid: Any, block: Any) -> None:
        """Begin a launch."""
        self.gridDim, self.blockDim = Dim3(*grid), Dim3(*block)

    def enter(self, block: _Block) -> None:
        """Begin a block, or continue it."""
        self.blockIdx, self._shared, self._votes = block.position, block.shared, block.votes

    def syncthreads(self) -> None:
        getcurrent().parent.switch(_AT_BARRIER)

    def nanosleep(self, ns: Any) -> None:
        getcurrent().parent.switch(_ASLEEP)

    def _vote(self, value: Any) -> list[bool]:
        self._votes[tuple(self.threadIdx)] = bool(value)
        self.syncthreads()
        votes = list(self._votes.values())
        self.syncthreads()
        return votes

    def syncthreads_count(self, val: Any) -> int:
        return sum(self._vote(val))

    def syncthreads_and(self, val: Any) -> int:
        return int(all(self._vote(val)))

    def syncthreads_or(self, val: Any) -> int:
        return int(any(self._vote(val)))


_MODULE = _Module()
_launching = threading.Lock()
_entered: dict[int, Any] = {}  # by identity, and held so that it stays the only one of that identity


def _enter(function: Any) -> None:
    """Replace ``cuda`` among the global names of a function, once."""
    names = function.__globals__
    if id(names) not in _entered:
        _entered[id(names)] = names
        names |= {name: _MODULE for name, value in names.items() if value is cuda}


def _call(self: Any, *args: Any) -> Any:
    """Launch a kernel, or call a function of the device; stands for `FakeCUDAKernel.__call__`."""
    _enter(self.fn)
    if self._device:
        return self.fn(*args)
    with _launching, np.errstate(all="ignore"):
        _MODULE.begin(self.grid_dim, self.block_dim)
        threads = [Dim3(*position) for position in np.ndindex(*self.block_dim)]
        blocks = [
            _Block(
                Dim3(*position),
                _Shared(self.dynshared_size),
                _running(self.fn, args, threads[:: -1 if number % 2 else 1]),
            )
            for number, position in enumerate(np.ndindex(*self.grid_dim))
        ]
        while blocks:
            blocks = [block for block in blocks if _continues(block)][::-1]
    return None


def _continues(block: _Block) -> bool:
    """Run a block until one of its threads sleeps; return whether it has not ended."""
    _MODULE.enter(block)
    return next(block.running, _ENDED) is not _ENDED


def _running(function: Any, args: tuple[Any, ...], positions: list[Dim3]) -> Iterator[None]:
    """Run the threads of a block, each to its next barrier, until all have ended; yield while one sleeps."""
    running = []
    for position in positions:
        thread = greenlet(lambda: function(*args))
        thread.gr_context = copy_context()  # with what NumPy does where integers wrap around
        running.append((position, thread))
    while running:
        awake = running
        while awake:
            asleep = []
            for position, thread in awake:
                _MODULE.threadIdx = position
                if thread.switch() is _ASLEEP:
                    asleep.append((position, thread))
            awake = asleep
            if awake:
                yield
        left = [(position, thread) for position, thread in reversed(running) if not thread.dead]
        if left and len(left) != len(running):
            raise RuntimeError(f"{function.__qualname__}: {len(running) - len(left)} threads end before a barrier")
        running = left


def install() -> None:
    """Replace numba's launches in this process."""
    from debruijn_gpu.backends.core.cuda import runtime

    FakeCUDAKernel.__call__ = _call
    runtime.simulated_at_once = 2
