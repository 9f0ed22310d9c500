"""CuPy, or NumPy in its place in the simulator. The only module that imports CuPy."""

from __future__ import annotations

import importlib
import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.cuda.deferred import FIX
from debruijn_gpu.backends.core.startup import is_simulated
from debruijn_gpu.errors import CudaUnavailableError

SIMULATED = is_simulated()


def _numpy_stand_in() -> Any:
    """Build a stand-in of CuPy's functions from NumPy."""
    names = ("ascontiguousarray", "empty", "zeros")
    namespace = {name: getattr(np, name) for name in names}
    return types.SimpleNamespace(**namespace, asarray=np.array, asnumpy=np.array, fft=np.fft)


class SimulatedMemoryError(Exception):
    """Stands for CuPy's out-of-memory error in the simulator; only tests raise it."""


class SimulatedDriverError(Exception):
    """Stands for the driver's errors in the simulator; only tests raise it.

    Parameters
    ----------
    status : int
        Number of the error.
    message : str
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def _without_cutensor() -> Iterator[None]:
    """Keep CuPy from looking for cuTENSOR when it is imported, and from loading it: up to 0.08 s, and nothing here
    contracts tensors."""
    try:
        from cuda import pathfinder
    except ImportError:  # CuPy says so
        yield
        return
    load = pathfinder.load_nvidia_dynamic_lib

    def load_other(name: str) -> Any:
        if name == "cutensor":
            raise pathfinder.DynamicLibNotFoundError(name)
        return load(name)

    pathfinder.load_nvidia_dynamic_lib = load_other
    try:
        yield
    finally:
        pathfinder.load_nvidia_dynamic_lib = load


class _NoMetadata(types.ModuleType):
    """Stands for `importlib.metadata`, and says that no package is installed."""

    PackageNotFoundError = ModuleNotFoundError

    def distribution(self, name: str) -> Any:
        raise ModuleNotFoundError(name=name)


class _LaterMetadata(types.ModuleType):
    """Stands for `importlib.metadata` until something of it is asked for, which imports it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(_METADATA), name)


_METADATA = "importlib.metadata"


@contextmanager
def _without_metadata() -> Iterator[None]:
    """Keep CuPy from looking for a second CuPy when it is imported: 0.02 s, and its warning would not be shown."""
    if _METADATA in sys.modules:
        yield
        return
    sys.modules[_METADATA] = importlib.metadata = _NoMetadata(_METADATA)
    try:
        yield
    finally:
        del sys.modules[_METADATA]
        importlib.metadata = _LaterMetadata(_METADATA)  # which importing it replaces


device_memory_error: Any
#: Errors of the driver and of the runtime, with their numbers as ``status``
driver_errors: Any
xp: Any
if SIMULATED:
    xp, device_memory_error = _numpy_stand_in(), SimulatedMemoryError
    driver_errors = (SimulatedDriverError,)
else:
    try:
        with warnings.catch_warnings(), _without_cutensor(), _without_metadata():
            warnings.simplefilter("ignore")
            import cupy
    except Exception as error:  # whatever a broken installation raises
        raise CudaUnavailableError(f"CUDA cannot be used: CuPy does not import ({error})", FIX) from error
    xp = cupy
    device_memory_error = xp.cuda.memory.OutOfMemoryError
    driver_errors = (xp.cuda.driver.CUDADriverError, xp.cuda.runtime.CUDARuntimeError)

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


def stable_argsort(keys: Any, overwrite: bool = False) -> Any:
    """Positions (int64) that sort integer keys, equal ones in order; the keys may be left sorted if ``overwrite``.

    CuPy's method copies the keys by a kernel that each process looks up with NVRTC, which takes 0.03 s to load.
    """
    if SIMULATED or not keys.size:
        return keys.argsort(kind="stable")
    if not overwrite:
        given, keys = contiguous(keys), xp.empty(keys.shape, keys.dtype)
        keys.data.copy_from_device_async(given.data, given.nbytes)
    order = xp.empty(keys.size, np.int64)
    xp.cuda.thrust.argsort(keys.dtype, order.data.ptr, keys.data.ptr, 0, keys.shape)
    return order


def forget_transforms() -> None:
    """Give up the plans of Fourier transforms, which keep as much memory as what was transformed."""
    if not SIMULATED:
        xp.fft.config.get_plan_cache().clear()


def find_nccl() -> Any | None:
    """Return `cupy.cuda.nccl`; None where NCCL is not installed."""
    if SIMULATED:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from cupy.cuda import nccl
        except ImportError:
            return None
    return nccl if getattr(nccl, "available", False) else None
