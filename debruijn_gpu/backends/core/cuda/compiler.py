"""Compile kernels to machine code; see `deferred`.

This is the only module that imports a CUDA JIT.
"""

from __future__ import annotations

import importlib
import types
import warnings
from collections.abc import Sequence
from typing import Any

from debruijn_gpu.backends.core.cuda.deferred import FIX, Deferred, DeviceFunction
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

_device_functions: dict[int, tuple[DeviceFunction, Any]] = {}  # by id; the first is kept so that no other gets its id


def dispatcher_of(function: DeviceFunction) -> Any:
    """Numba's kernel of ours."""
    return numba_cuda.jit(_rebuilt(function.py_func))


def numba_type(dtype: Any, n_dimensions: int) -> Any:
    """Type of a contiguous array, or of a scalar if it has no dimensions."""
    from numba.cuda.np import numpy_support

    scalar = numpy_support.from_dtype(dtype)
    return numba_cuda.types.Array(scalar, n_dimensions, "C") if n_dimensions else scalar


def compile_kernel(function: DeviceFunction, arguments: Sequence[tuple[Any, int]]) -> tuple[str, bytes]:
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


def real(value: Any) -> Any:
    """Return the object behind a deferred name or function; return others unchanged."""
    if isinstance(value, Deferred):
        module = importlib.import_module(value.module)
        return getattr(module, value.name) if value.name else module
    if not isinstance(value, DeviceFunction):
        return value
    if id(value) not in _device_functions:
        _device_functions[id(value)] = (value, numba_cuda.jit(device=True)(_rebuilt(value.py_func)))
    return _device_functions[id(value)][1]


def _rebuilt(function: types.FunctionType) -> types.FunctionType:
    """The same function, with what stand-ins stand for among the globals and in the closure."""
    names = _names(function.__code__)
    namespace = {name: real(value) for name, value in function.__globals__.items() if name in names}
    namespace["__builtins__"] = function.__globals__.get("__builtins__", __builtins__)
    namespace["__name__"] = function.__module__
    closure = tuple(types.CellType(real(cell.cell_contents)) for cell in function.__closure__ or ())
    rebuilt = types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, closure or None
    )
    rebuilt.__qualname__ = function.__qualname__
    rebuilt.__module__ = function.__module__
    return rebuilt


def _names(code: types.CodeType) -> set[str]:
    """Names of globals and attributes in a function and those within it."""
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*inner)
