"""Compile kernels at their first launch, and store their machine code.

Importing numba-cuda and setting up its types takes 0.8 s, loading a kernel that is kept a millisecond. So the
decorators here only note functions; `compiler` makes them real, and is not imported before something must be compiled.
In the simulator they are numba's own.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.startup import is_simulated


class Deferred:
    """Stands for an attribute of a module that is not imported yet, in functions that are not compiled yet."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __repr__(self) -> str:
        return f"{self.module}.{self.name}"


#: What to do where CUDA is not whole.
FIX = "install the extra cuda13 or cuda12, or run with --backend cpu; dbg doctor tells more"

#: What kernels may close over, beside functions and tuples of these.
_TOLD_BY_TEXT = (bool, int, float, np.number, np.bool_, Deferred)


class DeviceFunction:
    """A function that kernels call.

    Attributes
    ----------
    py_func : callable
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func: Any = function


class Kernel(DeviceFunction):
    """A function to be launched."""


def fingerprint(value: Any) -> str:
    """Identify a function within one version of the sources: its place and its closure.

    Raises
    ------
    TypeError
        If a function closes over a value that no text describes completely.
    """
    function = value.py_func if isinstance(value, DeviceFunction) else value
    if isinstance(function, types.FunctionType):
        closed_over = [cell.cell_contents for cell in function.__closure__ or ()]
        inner = ", ".join(map(fingerprint, [*closed_over, *(function.__defaults__ or ())]))
        return f"{function.__module__}.{function.__qualname__}:{function.__code__.co_firstlineno}({inner})"
    if isinstance(value, tuple):
        return f"({', '.join(map(fingerprint, value))})"
    if not isinstance(value, _TOLD_BY_TEXT):
        raise TypeError(f"kernels cannot close over {value!r}")
    return f"{type(value).__name__} {value!r}"


kernel: Any = Kernel
device_function: Any = DeviceFunction
cuda: Any = Deferred("numba.cuda", "")
#: A tuple with an element replaced, in functions of the device: tuple, index, value.
with_word: Any = Deferred("numba.cuda.cpython.unsafe.tuple", "tuple_setitem")
#: Types of shared arrays.
float64, int64, uint8, uint32, uint64 = (
    Deferred("numba.cuda.types", name) for name in ("float64", "int64", "uint8", "uint32", "uint64")
)
if is_simulated():
    from debruijn_gpu.backends.core import scalars
    from debruijn_gpu.backends.core.cuda.compiler import numba_cuda, real

    cuda = numba_cuda
    kernel = numba_cuda.jit
    device_function = numba_cuda.jit(device=True)
    with_word = scalars.with_word
    float64, int64, uint8, uint32, uint64 = map(real, (float64, int64, uint8, uint32, uint64))
