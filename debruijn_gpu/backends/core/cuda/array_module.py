"""CuPy, or NumPy in its place in the simulator. The only module that imports CuPy."""

from __future__ import annotations

import importlib.util
import sys
import types
import warnings
from contextlib import suppress
from pathlib import Path
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


def _leave_out_cutensor() -> None:
    """Keep CuPy from loading cuTENSOR when it is imported, which takes 0.08 s: nothing here contracts tensors.

    Whether it has been loaded is noted in a module of CuPy, which is made beforehand. Other versions of CuPy may not
    have it.
    """
    spec = importlib.util.find_spec("cupy")
    if spec is None or not spec.origin or "cupy" in sys.modules:
        return
    name = "cupy._environment"
    made = importlib.util.spec_from_file_location(name, Path(spec.origin).with_name("_environment.py"))
    if made is None or made.loader is None:
        return
    module = importlib.util.module_from_spec(made)
    with suppress(Exception):
        made.loader.exec_module(module)
        module._preload_libs["cutensor"] = {}
        sys.modules[name] = module


device_memory_error: Any
#: Errors of the driver and of the runtime, with their numbers as ``status``
driver_errors: Any
xp: Any
if SIMULATED:
    xp, device_memory_error = _numpy_stand_in(), SimulatedMemoryError
    driver_errors = (SimulatedDriverError,)
else:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _leave_out_cutensor()
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


def stable_argsort(keys: Any) -> Any:
    """Positions (int64) that sort integer keys, equal ones in order."""
    return keys.argsort(kind="stable")


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
