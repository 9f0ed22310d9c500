"""Manage the memory of the device: its budget, and errors beyond it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

from debruijn_gpu.backends.core.cuda import devices, runtime
from debruijn_gpu.errors import DbgError, DeviceLostError, DeviceMemoryError
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes, memory_budget
from debruijn_gpu.run.tuning import tuning

P = ParamSpec("P")
R = TypeVar("R")

_NO_MEMORY = 2  # cudaErrorMemoryAllocation and CUDA_ERROR_OUT_OF_MEMORY
SORT_FACTOR = 4  # device memory for each byte to be sorted

_budgets: dict[int, int] = {}  # bytes, by GPU; of others, all that is free


def set_budget(text: str) -> int:
    """Let the memory pool hold no more than ``text``: a size such as ``16G``, or a fraction of the device's memory.

    This is about the current device alone.

    Returns
    -------
    int
        The budget in bytes.
    """
    _, total = runtime.device_memory()
    allowed = _budgets[devices.current()] = min(memory_budget(text, total), total)
    runtime.set_pool_limit(allowed)
    return allowed


def budget() -> int:
    """Bytes that may be taken now."""
    free, _ = runtime.device_memory()
    return min(_budgets.get(devices.current(), free), free)


def left() -> int:
    """Bytes that may be taken beside what is in use; ranks that share a device divide them."""
    free, _ = runtime.device_memory()
    used, kept = runtime.pool_memory()
    allowed = _budgets.get(devices.current(), free + used + kept)
    return max(0, min(free + kept, allowed - used)) // tuning().ranks_per_gpu


def has_room(n_bytes: int) -> bool:
    """Return whether so many bytes may be taken; ask the driver only if the pool has kept fewer."""
    used, kept = runtime.pool_memory()
    allowed = _budgets.get(devices.current(), used + kept)
    return n_bytes * tuning().ranks_per_gpu <= min(kept, allowed - used) or n_bytes <= left()


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
    """Turn the device's lack of memory into `DeviceMemoryError`, with the figure that was needed, and other errors of
    its driver into `DeviceLostError`."""

    @functools.wraps(operation)
    def with_own_error(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return operation(*args, **kwargs)
        except (runtime.device_memory_error, MemoryError) as error:  # the latter from CuPy's sorts, without a figure
            with suppress(*runtime.driver_errors):
                runtime.free_pool_blocks()
            raise _lack_of_memory(error, operation.__name__) from error
        except runtime.driver_errors as error:
            raise _fault(error, operation.__name__) from error

    return with_own_error


def fault_of(error: Exception) -> DbgError | None:
    """Return the fault that an error of CuPy or of the driver reports; None for other errors."""
    if isinstance(error, runtime.device_memory_error):
        return _lack_of_memory(error)
    return _fault(error) if isinstance(error, runtime.driver_errors) else None


def forget_device() -> None:
    """Give memory of the pool back, as far as the device still answers."""
    runtime.free_pool_blocks()


def _lack_of_memory(error: Exception, name: str = "the operation") -> DeviceMemoryError:
    asked, taken = getattr(error, "_size", 0), getattr(error, "_total", 0)
    needed = f"needs {format_bytes(asked + taken)}" if asked else "needs more than there is"
    allowed = _allowed()
    limit = f"; {format_bytes(allowed)} are allowed" if allowed else ""
    return DeviceMemoryError(
        f"Out of GPU memory: {name} {needed}{limit}",
        "allow more (--gpu-memory), take a larger GPU, or run with --backend cpu",
    )


def _allowed() -> int:
    """Budget of the current device; 0 where there is none, or the device does not answer."""
    with suppress(*runtime.driver_errors):
        return _budgets.get(devices.current(), 0)
    return 0


def _fault(error: Exception, name: str = "an operation") -> DbgError:
    """The error of a driver, whose number 2 is a lack of memory."""
    if getattr(error, "status", 0) == _NO_MEMORY:
        return _lack_of_memory(error, name)
    return DeviceLostError(
        f"the GPU failed during {name}: {' '.join(str(error).split())}",
        "see dmesg and nvidia-smi for its state, or run with --backend cpu",
    )


#: See `CoreOperations.to_device`.
to_device = guarded(runtime.to_device)
