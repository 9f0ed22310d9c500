"""The CUDA machinery: the only module that imports a CUDA JIT or CuPy.

CuPy supplies arrays, the memory pool, sort and scan; numba-cuda compiles kernels. Both work on the null stream, so
that what one asks for follows what the other asked for. Without a GPU, under ``NUMBA_ENABLE_CUDASIM=1``, numba's
simulator runs the kernels and NumPy stands in for CuPy, for inputs of at most 64 items.

Kernels are grid-stride: `launch` chooses a grid, and no kernel assumes one.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from debruijn_gpu.backends.cpu.jit import place  # importing it sets the directory of compiled kernels
from debruijn_gpu.backends.startup import is_simulated
from debruijn_gpu.errors import CudaUnavailableError

SIMULATED = is_simulated()
_FIX = "install the extra cuda13 or cuda12, or run with --backend cpu; dbg doctor tells more"

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from numba import cuda as numba_cuda
        from numba.cuda.core import config as _numba_config
except Exception as error:  # whatever a broken installation raises
    raise CudaUnavailableError(f"CUDA cannot be used: numba-cuda does not import ({error})", _FIX) from error
cuda: Any = numba_cuda
if getattr(cuda, "implementation", "") != "NVIDIA":
    raise CudaUnavailableError("CUDA cannot be used: numba-cuda is not what numba.cuda imports", _FIX)
_numba_config.CUDA_LOW_OCCUPANCY_WARNINGS = 0


def _numpy_stand_in() -> Any:
    """What is used of CuPy, made of NumPy."""
    names = ("ascontiguousarray", "empty", "zeros")
    namespace = {name: getattr(np, name) for name in names}
    cumsum = np.errstate(all="ignore")(np.cumsum)
    return types.SimpleNamespace(**namespace, asarray=np.array, asnumpy=np.array, cumsum=cumsum, fft=np.fft)


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
        raise CudaUnavailableError(f"CUDA cannot be used: CuPy does not import ({error})", _FIX) from error
    xp = cupy
    device_memory_error = xp.cuda.memory.OutOfMemoryError

#: What a Fourier transform raises where cuFFT is not installed, cannot be used, or has no room.
transform_errors: Any = (ImportError, AttributeError, OSError, RuntimeError, device_memory_error)

#: Threads of a block, and blocks of a grid for each multiprocessor.
BLOCK = 4 if SIMULATED else 256
_BLOCKS_PER_MULTIPROCESSOR = 16
_MORE_THAN_DTYPES = 1000  # NumPy numbers its dtypes below this
#: Bytes of shared memory that a block may have without asking.
SHARED_BYTES = 48 << 10

#: Decorators of kernels and of the functions that they call.
kernel: Any = cuda.jit if SIMULATED or place.path is None else cuda.jit(cache=True)
device_function: Any = cuda.jit(device=True)
#: Types of shared arrays.
float64, int64 = cuda.types.float64, cuda.types.int64
uint8, uint32, uint64 = cuda.types.uint8, cuda.types.uint32, cuda.types.uint64

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


class _Launcher:
    """A compiled kernel and the room for its arguments, as the driver takes them: all in words of eight bytes.

    An array is seven words or more, in the order of numba: 0, 0, items, bytes of an item, address, shape, strides.
    """

    def __init__(self, handle: int, n_words: int) -> None:
        self._handle = handle
        self._words = (ctypes.c_uint64 * n_words)()
        first = ctypes.addressof(self._words)
        self._addresses = (ctypes.c_void_p * n_words)(*range(first, first + 8 * n_words, 8))
        self._parameters = ctypes.addressof(self._addresses)
        self._lock = threading.Lock()

    def __call__(self, words: list[int], grid: int, block: int, shared: int) -> None:
        with self._lock:
            self._words[:] = words  # type: ignore[assignment]
            xp.cuda.driver.launchKernel(self._handle, grid, 1, 1, block, 1, 1, shared, 0, self._parameters, 0)


def _words_and_types(args: tuple[Any, ...]) -> tuple[list[int], list[int]]:
    """Arguments as words, and a number for the type of each."""
    words: list[int] = []
    types_of: list[int] = []
    for arg in args:
        dtype, n_dimensions = arg.dtype, arg.ndim
        if not n_dimensions:
            words.append(int(arg.view(f"u{dtype.itemsize}") if dtype.kind == "f" else arg))
        elif not arg._c_contiguous:
            raise ValueError("kernels take contiguous arrays")
        elif n_dimensions == 1:
            size, item = arg.size, dtype.itemsize
            words += (0, 0, size, item, arg.data.ptr, size, item)
        else:
            words += (0, 0, arg.size, dtype.itemsize, arg.data.ptr, *arg.shape, *arg.strides)
        types_of.append(dtype.num + _MORE_THAN_DTYPES * n_dimensions)
    return words, types_of


def _make_fast_run() -> Callable[[Any, int, int, int, tuple[Any, ...]], None]:
    """`_run` that finds the compiled kernel by dtypes and hands over bare pointers: about a tenth of the time that
    ``function[grid, block](*args)`` takes with CuPy arrays. Uses names of numba-cuda 0.30 and CuPy 14 that are not
    public."""
    from numba.cuda.np import numpy_support

    def numba_type(arg: Any) -> Any:
        scalar = numpy_support.from_dtype(arg.dtype)
        return cuda.types.Array(scalar, arg.ndim, "C") if arg.ndim else scalar

    compiled: dict[Any, _Launcher] = {}
    kept: list[Any] = []  # so that no other function gets the id of one of these

    def run(function: Any, grid: int, block: int, shared: int, args: tuple[Any, ...]) -> None:
        words, types_of = _words_and_types(args)
        key = (id(function), xp.cuda.runtime.getDevice(), *types_of)
        launcher = compiled.get(key)
        if launcher is None:
            xp.empty(1, np.uint8)  # CuPy opens the device's primary context, which numba takes as well
            found = function.compile(tuple(numba_type(arg) for arg in args))
            handle = int(found._codelibrary.get_cufunc().kernel.handle)
            launcher = compiled[key] = _Launcher(handle, len(words))
            kept.append(function)
        launcher(words, grid, block, shared)

    return run


def _plain_run(function: Any, grid: int, block: int, shared: int, args: tuple[Any, ...]) -> None:
    with warnings.catch_warnings():
        if SIMULATED:  # NumPy's scalars warn where the arithmetic of a kernel wraps around
            warnings.simplefilter("ignore", RuntimeWarning)
        function[grid, block, 0, shared](*args)


_run: Callable[[Any, int, int, int, tuple[Any, ...]], None] = _plain_run
if (
    not SIMULATED
    and importlib.metadata.version("numba-cuda").startswith("0.30.")
    and hasattr(xp.ndarray, "_c_contiguous")
):
    try:
        _run = _make_fast_run()
    except (ImportError, AttributeError):  # the names of another patch release
        _run = _plain_run


def contiguous(array: Any) -> Any:
    """The array itself, or a contiguous copy."""
    return array if array.flags.c_contiguous else xp.ascontiguousarray(array)


def to_device(array: Any) -> Any:
    """A NumPy array as an array of the device."""
    return xp.asarray(np.ascontiguousarray(array))


def to_host(array: Any) -> Any:
    """An array of the device as a NumPy array."""
    return xp.asnumpy(array)


def synchronize() -> None:
    """Wait until all that was asked for is done."""
    if not SIMULATED:
        xp.cuda.runtime.deviceSynchronize()


def stable_argsort(keys: Any) -> Any:
    """Positions (int64) that sort integer keys, equal ones in order."""
    return keys.argsort(kind="stable")


def forget_transforms() -> None:
    """Give up the plans of Fourier transforms, which keep as much memory as what was transformed."""
    if not SIMULATED:
        xp.fft.config.get_plan_cache().clear()


def device_memory() -> tuple[int, int]:
    """Bytes of the device that are free, and all of them."""
    if SIMULATED:
        return 1 << 30, 1 << 30
    free, total = xp.cuda.runtime.memGetInfo()
    return int(free), int(total)


def set_pool_limit(n_bytes: int) -> None:
    """Let the memory pool hold so much and no more; 0 for no limit."""
    if not SIMULATED:
        xp.get_default_memory_pool().set_limit(size=n_bytes)


def free_pool_blocks() -> None:
    """Give what the pool keeps for later back to the device."""
    if not SIMULATED:
        xp.get_default_memory_pool().free_all_blocks()
