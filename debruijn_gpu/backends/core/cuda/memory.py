"""Arrays and memory of the device: CuPy, or NumPy in the simulator, and the memory pool."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from debruijn_gpu.backends.core.cuda import runtime
from debruijn_gpu.backends.core.cuda.deferred import FIX
from debruijn_gpu.backends.core.startup import is_simulated
from debruijn_gpu.errors import CudaUnavailableError, OutOfMemoryError
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes, memory_budget

SIMULATED = is_simulated()


def _numpy_stand_in() -> Any:
    """Build a stand-in of CuPy's functions from NumPy."""
    names = ("ascontiguousarray", "empty", "zeros")
    namespace = {name: getattr(np, name) for name in names}
    return types.SimpleNamespace(**namespace, asarray=np.array, asnumpy=np.array, fft=np.fft)


class _NeverRaisedError(Exception):
    """Stands for CuPy's out-of-memory error in the simulator."""


device_memory_error: Any
xp: Any
if SIMULATED:
    xp, device_memory_error = _numpy_stand_in(), _NeverRaisedError
else:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import cupy
    except Exception as error:  # whatever a broken installation raises
        raise CudaUnavailableError(f"CUDA cannot be used: CuPy does not import ({error})", FIX) from error
    xp = cupy
    device_memory_error = xp.cuda.memory.OutOfMemoryError

#: What a Fourier transform raises where cuFFT is not installed, cannot be used, or has no room.
transform_errors: Any = (ImportError, AttributeError, OSError, RuntimeError, device_memory_error)

if SIMULATED or not hasattr(xp.ndarray, "_c_contiguous"):

    def is_contiguous(array: Any) -> bool:
        return bool(array.flags.c_contiguous)
else:

    def is_contiguous(array: Any) -> bool:
        return bool(array._c_contiguous)  # without making an object for the flags


def contiguous(array: Any) -> Any:
    """The array itself, or a contiguous copy."""
    return array if array.flags.c_contiguous else xp.ascontiguousarray(array)


def stable_argsort(keys: Any) -> Any:
    """Positions (int64) that sort integer keys, equal ones in order."""
    return keys.argsort(kind="stable")


def forget_transforms() -> None:
    """Give up the plans of Fourier transforms, which keep as much memory as what was transformed."""
    if not SIMULATED:
        xp.fft.config.get_plan_cache().clear()


P = ParamSpec("P")
R = TypeVar("R")

SORT_FACTOR = 4  # device memory for each byte to be sorted

_budget = 0  # bytes; 0 for all that is free


def set_budget(text: str) -> int:
    """Let the memory pool hold no more than ``text``: a size such as ``16G``, or a fraction of the device's memory.

    Returns
    -------
    int
        The budget in bytes.
    """
    global _budget
    _, total = runtime.device_memory()
    _budget = min(memory_budget(text, total), total)
    runtime.free_pool_blocks()
    runtime.set_pool_limit(_budget)
    return _budget


def budget() -> int:
    """Bytes that may be taken now."""
    free, _ = runtime.device_memory()
    return min(_budget, free) if _budget else free


def left() -> int:
    """Bytes that may be taken beside what is in use."""
    free, _ = runtime.device_memory()
    used, kept = runtime.pool_memory()
    return max(0, min(free + kept, _budget - used) if _budget else free + kept)


def memory_left(run: RunOptions) -> int:
    """See `CoreOperations.memory_left`; the budget is that of `set_budget`."""
    return left()


def memory_limit(n_bytes: int) -> int | None:
    """See `CoreOperations.memory_limit`."""
    return None


def fits(n_bytes: int) -> bool:
    """See `CoreOperations.fits`: those given, a copy, what the sort takes, and some."""
    return SORT_FACTOR * n_bytes <= budget()


def guarded(operation: Callable[P, R]) -> Callable[P, R]:
    """Turn the device's lack of memory into `OutOfMemoryError`, with the figure that was needed."""

    @functools.wraps(operation)
    def with_own_error(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return operation(*args, **kwargs)
        except (runtime.device_memory_error, MemoryError) as error:  # the latter from CuPy's sorts, without a figure
            runtime.free_pool_blocks()
            asked, taken = getattr(error, "_size", 0), getattr(error, "_total", 0)
            needed = f"needs {format_bytes(asked + taken)}" if asked else "needs more than there is"
            limit = f"; {format_bytes(_budget)} are allowed" if _budget else ""
            raise OutOfMemoryError(
                f"Out of GPU memory: {operation.__name__} {needed}{limit}",
                "allow more (--gpu-memory), take a larger GPU, or run with --backend cpu",
            ) from error

    return with_own_error


#: See `CoreOperations.to_device`.
to_device = guarded(runtime.to_device)
