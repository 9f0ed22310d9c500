"""Compile kernels to machine code; see `deferred`.

This is the only module that imports a CUDA JIT.
"""

from __future__ import annotations

import importlib
import types
import warnings
from collections.abc import Sequence
from typing import Any

from debruijn_gpu.backends.core import deferred
from debruijn_gpu.backends.core.cuda.deferred import FIX
from debruijn_gpu.backends.core.deferred import Function, rebuilt
from debruijn_gpu.errors import CudaUnavailableError

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from numba import cuda as _cuda
        from numba.cuda.core import config as _numba_config
except Exception as error:  # whatever a broken installation raises
    raise CudaUnavailableError(f"CUDA cannot be used: numba-cuda does not import ({error})", FIX) from error
numba_cuda: Any = _cuda
if getattr(numba_cuda, "implementation", "") != "NVIDIA":
    raise CudaUnavailableError("CUDA cannot be used: numba-cuda is not what numba.cuda imports", FIX)
_numba_config.CUDA_LOW_OCCUPANCY_WARNINGS = 0


def dispatcher_of(function: Function) -> Any:
    """Numba's kernel of ours."""
    copy, fill = rebuilt(function.py_func, real)
    dispatcher = numba_cuda.jit(**function.options)(copy)
    fill()
    return dispatcher


def numba_type(dtype: Any, n_dimensions: int) -> Any:
    """Type of a contiguous array, or of a scalar if it has no dimensions."""
    from numba.cuda.np import numpy_support

    scalar = numpy_support.from_dtype(dtype)
    return numba_cuda.types.Array(scalar, n_dimensions, "C") if n_dimensions else scalar


def compile_kernel(function: Function, arguments: Sequence[tuple[Any, int]]) -> tuple[str, bytes]:
    """Name and machine code of a kernel for the current device.

    Parameters
    ----------
    function : a `deferred.Kernel`
    arguments : sequence of (dtype, int)
        Of each argument dtype and number of dimensions.

    Raises
    ------
    CudaUnavailableError
        If numba-cuda is of a version in which the names are other ones: those used here are not public.
    """
    found = dispatcher_of(function).compile(tuple(numba_type(*argument) for argument in arguments))
    try:
        library = found._codelibrary
        code = library.get_cubin()
        return library._entry_name, bytes(code if isinstance(code, bytes) else code.code)
    except AttributeError as error:
        version = getattr(numba_cuda, "__version__", "")
        raise CudaUnavailableError(
            f"CUDA cannot be used: numba-cuda {version} does not give access to machine code ({error})", FIX
        ) from error


def compile_for(function: Function, arguments: Sequence[tuple[Any, int]], capability: str) -> tuple[str, bytes]:
    """Name and machine code of a kernel for devices of a compute capability, in a process that uses none.

    Parameters as in `compile_kernel`; ``capability`` as ``90``.
    """
    _pretend_device((int(capability[:-1]), int(capability[-1])))
    return compile_kernel(function, arguments)


def _pretend_device(capability: tuple[int, int]) -> None:
    """Have numba-cuda compile for a device of a compute capability from now on, and load nothing."""
    device = types.SimpleNamespace(compute_capability=capability, id=0)
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")
    codegen: Any = importlib.import_module("numba.cuda.codegen")
    dispatcher.get_current_device = lambda: device
    dispatcher._Kernel.bind = lambda self: None
    # without the suffix "a", with which code runs on no other minor number
    codegen.CUDACodeLibrary._ensure_cc = lambda self, cc: capability


def real(value: Any) -> Any:
    """Return the object behind a deferred name or function; return others unchanged."""
    return deferred.real(value, lambda function: numba_cuda.jit(device=True))
