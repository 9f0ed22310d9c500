"""Choose the GPUs of this host that a run uses, and the one that a thread works on.

Who uses several GPUs has a rank for each: a number from 0. Rank 0 is the GPU that runs everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from debruijn_gpu.backends.core.cuda.array_module import SIMULATED, xp
from debruijn_gpu.run.tuning import tuning

_devices: tuple[int, ...] = (0,)


def use(devices: Sequence[int]) -> None:
    """Let later operations run on these GPUs, by their numbers in CUDA; the first one is the current one."""
    global _devices
    _devices = tuple(devices)


def ranks() -> tuple[int, ...]:
    """Return the GPU of each rank; with `Tuning.ranks_per_gpu`, several ranks share one."""
    return _devices * tuning().ranks_per_gpu


def on(device: int) -> AbstractContextManager[Any]:
    """Make a GPU the current one of this thread within a context.

    CuPy selects a GPU only where it is not selected already. GPU 0 is in every new thread, but CUDA makes its context
    current there with the first call of the runtime; a kernel launched through the driver before failed for arrays that
    came from the pool.
    """
    if SIMULATED:
        return nullcontext()
    if device == current():
        xp.cuda.runtime.setDevice(device)
    selected: AbstractContextManager[Any] = xp.cuda.Device(device)
    return selected


def current() -> int:
    """Return the number of the current GPU of this thread."""
    return 0 if SIMULATED else int(xp.cuda.runtime.getDevice())


def here(array: Any) -> Any:
    """Return an array on the current GPU of this thread: itself, or a copy from the memory of another GPU.

    The copy follows what was asked of both GPUs before, and what is asked of them later follows it.
    """
    if SIMULATED or array.device.id == current():
        return array
    if not array.flags.c_contiguous:
        with on(array.device.id):
            array = xp.ascontiguousarray(array)
    copied = xp.empty(array.shape, array.dtype)
    copy_here(array, copied)
    return copied


def copy_here(source: Any, target: Any) -> None:
    """Copy a contiguous array of any GPU to one of its size on the current GPU of this thread; see `here`."""
    if SIMULATED:
        target[...] = source
    elif source.size:
        target.data.copy_from_device(source.data, source.nbytes)
