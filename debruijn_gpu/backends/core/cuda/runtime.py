"""The CUDA machinery: arrays and launches. `array_module` alone imports CuPy, `compiling` alone a CUDA JIT.

CuPy supplies arrays, the memory pool, sorts and Fourier transforms; numba-cuda compiles kernels. Both work on the null
stream, so that what one asks for follows what the other asked for. Without a GPU, under ``NUMBA_ENABLE_CUDASIM=1``,
numba's simulator runs the kernels and NumPy stands in for CuPy, for inputs of at most 128 items.

Kernels are grid-stride: `launch` chooses a grid, and no kernel assumes one.
"""

from __future__ import annotations

import gc
import threading
import warnings
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.cuda import store
from debruijn_gpu.backends.core.cuda.array_module import (
    SIMULATED,
    contiguous,
    device_memory_error,
    driver_errors,
    forget_transforms,
    stable_argsort,
    transform_errors,
    xp,
)
from debruijn_gpu.backends.core.cuda.deferred import (
    Kernel,
    cuda,
    device_function,
    float64,
    int64,
    kernel,
    kernel_of,
    uint8,
    uint16,
    uint32,
    uint64,
    with_word,
)
from debruijn_gpu.backends.core.cuda.launcher import Launcher, words_and_types
from debruijn_gpu.backends.core.cuda.staging import host_buffer, to_device, to_host
from debruijn_gpu.backends.core.cuda.store import MachineCode
from debruijn_gpu.run import log

__all__ = [
    "BLOCK",
    "SHARED_BYTES",
    "SIMULATED",
    "contiguous",
    "cuda",
    "device_function",
    "device_memory_error",
    "driver_errors",
    "float64",
    "forget_transforms",
    "host_buffer",
    "int64",
    "kernel",
    "kernel_of",
    "stable_argsort",
    "to_device",
    "to_host",
    "transform_errors",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "with_word",
    "xp",
]

#: Threads of a block, and blocks of a grid for each multiprocessor.
BLOCK = 4 if SIMULATED else 256
_BLOCKS_PER_MULTIPROCESSOR = 16
_WAITING_ITEMS = 2  # of a thread whose block waits for others
_NO_MEMORY = 2  # CUDA_ERROR_OUT_OF_MEMORY
#: Bytes of shared memory that a block may have without asking.
SHARED_BYTES = 48 << 10

#: Blocks that wait for each other in the simulator: numba's runs them one after another, that of tests together.
simulated_at_once = 1

_multiprocessors = 0


def _grid(n_items: int, per_block: int) -> int:
    global _multiprocessors
    if not _multiprocessors:
        device = None if SIMULATED else xp.cuda.Device()
        _multiprocessors = 1 if device is None else device.attributes["MultiProcessorCount"]
    wanted = -(-n_items // per_block)
    most = 2 if SIMULATED else _BLOCKS_PER_MULTIPROCESSOR * _multiprocessors
    return max(1, min(wanted, most))


def launch(function: Any, n_items: int, *args: Any, per_block: int = 0, block: int = 0, shared: int = 0) -> None:
    """Run a grid-stride kernel.

    Parameters
    ----------
    function : a `kernel`
    n_items : int
        Items of work; with none, nothing is run.
    args
        Contiguous arrays of the device and NumPy scalars.
    per_block : int
        Items of work that a block takes at once; its threads, if 0.
    block : int
        Threads of a block; `BLOCK` if 0.
    shared : int
        Bytes of dynamic shared memory.
    """
    if n_items > 0:
        block = block or BLOCK
        _run(function, _grid(n_items, per_block or block), block, shared, args)


def launch_waiting(function: Any, n_items: int, *args: Any) -> None:
    """Run a grid-stride kernel whose blocks wait for each other (`core.cuda.waiting`): with no more than run at once.

    Parameters are those of `launch`. A thread has more than one item, because the fewer blocks, the shorter they wait.
    """
    if n_items > 0:
        grid = _grid(n_items, _WAITING_ITEMS * BLOCK)
        _run(function, min(grid, simulated_at_once) if SIMULATED else grid, BLOCK, 0, args, True)


_launchers: dict[Any, Launcher] = {}
_loading = threading.Lock()  # threads of several GPUs compile one kernel after another


def _run_compiled(
    function: Kernel, grid: int, block: int, shared: int, args: tuple[Any, ...], is_waiting: bool = False
) -> None:
    """Launch through the driver with bare pointers, which takes about a tenth of the time of numba's launcher.

    Raises
    ------
    MemoryError
        If the driver has no room for code, or for memory of threads, even when the pool has given back what it can.
    """
    try:
        _run_once(function, grid, block, shared, args, is_waiting)
        return
    except xp.cuda.driver.CUDADriverError as error:
        _raise_unless_memory(error)
    free_pool_blocks()
    try:
        _run_once(function, grid, block, shared, args, is_waiting)
    except xp.cuda.driver.CUDADriverError as error:
        _raise_unless_memory(error)
        raise MemoryError(str(error)) from error


def _raise_unless_memory(error: Any) -> None:
    if error.status != _NO_MEMORY:
        raise error


def _run_once(function: Kernel, grid: int, block: int, shared: int, args: tuple[Any, ...], is_waiting: bool) -> None:
    words, types = words_and_types(args)
    key = (function, xp.cuda.runtime.getDevice(), types)
    launcher = _launchers.get(key)
    if launcher is None:
        with _loading:
            launcher = _launchers[key] = _load(function, [(arg.dtype, arg.ndim) for arg in args])
    if is_waiting:
        launcher.together(words, min(grid, _multiprocessors * launcher.blocks_at_once(block)), block)
    else:
        launcher(words, grid, block, shared)


def _load(function: Kernel, arguments: list[tuple[Any, int]]) -> Launcher:
    """A kernel for the current device, from what is kept if that can be read."""
    xp.empty(1, np.uint8)  # opens the device's primary context, which numba takes as well
    device = xp.cuda.Device()
    kept = store.load(function, arguments, device.compute_capability, is_first=device.id == 0)
    if kept is not None:
        try:
            return _launcher(kept, arguments)
        except xp.cuda.driver.CUDADriverError as error:
            if error.status == _NO_MEMORY:
                raise
            log.logger.debug("compiled code that was kept does not load: %s", error)
    return _launcher(store.make(function, arguments, device.compute_capability, is_missing=kept is None), arguments)


def _launcher(made: MachineCode, arguments: list[tuple[Any, int]]) -> Launcher:
    module = made.module or xp.cuda.driver.moduleLoadData(made.code)
    return Launcher(xp.cuda.driver.moduleGetFunction(module, made.name), arguments)


def _run_simulated(
    function: Any, grid: int, block: int, shared: int, args: tuple[Any, ...], is_waiting: bool = False
) -> None:
    with warnings.catch_warnings():  # NumPy's scalars warn where the arithmetic of a kernel wraps around
        warnings.simplefilter("ignore", RuntimeWarning)
        function[grid, block, 0, shared](*args)


_run: Any = _run_simulated if SIMULATED else _run_compiled


def upload(array: Any, n_items: int) -> Any:
    """The items of a NumPy array at the beginning of an array of the device with room for ``n_items``."""
    on_device = xp.empty(n_items, array.dtype)
    if SIMULATED:
        on_device[: array.size] = array
    elif array.size:
        on_device[: array.size].set(array)
    return on_device


def download(array: Any) -> Any:
    """Transfer to the host through a `host_buffer`; faster above some hundred kilobytes."""
    if SIMULATED or not array.size:
        return to_host(array)
    on_host = host_buffer(array.nbytes).view(array.dtype)
    array.get(out=on_host)
    return on_host


def synchronize() -> None:
    """Wait until all that was asked for is done."""
    if not SIMULATED:
        xp.cuda.runtime.deviceSynchronize()


def device_memory() -> tuple[int, int]:
    """Bytes of the device that are free, and all of them."""
    if SIMULATED:
        return 1 << 30, 1 << 30
    free, total = xp.cuda.runtime.memGetInfo()
    return int(free), int(total)


def set_pool_limit(n_bytes: int) -> None:
    """Let the memory pool hold so much and no more; 0 for no limit.

    CuPy compares with the limit only what it asks of the driver: blocks kept from before, and those of arrays that the
    garbage collector finds later, would serve past it.
    """
    if SIMULATED:
        return
    pool = xp.get_default_memory_pool()
    if pool.used_bytes():
        gc.collect()
    pool.free_all_blocks()
    pool.set_limit(size=n_bytes)


def pool_memory() -> tuple[int, int]:
    """Bytes of the memory pool that are in use, and those that it keeps for later."""
    if SIMULATED:
        return 0, 0
    pool = xp.get_default_memory_pool()
    return int(pool.used_bytes()), int(pool.free_bytes())


def free_pool_blocks() -> None:
    """Give what the pool keeps for later back to the device."""
    if not SIMULATED:
        xp.get_default_memory_pool().free_all_blocks()
