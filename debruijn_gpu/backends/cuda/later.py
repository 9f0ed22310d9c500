"""Kernels that are compiled when they are first launched, and kept as machine code.

Importing numba-cuda and setting up its types takes 0.8 s, loading a kernel that is kept a millisecond. So the
decorators here only note functions; `compiling` makes them real, and is not imported before something must be compiled.
In the simulator they are numba's own.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from debruijn_gpu.backends.startup import is_simulated


class Later:
    """Stands for an attribute of a module that is not imported yet, in functions that are not compiled yet."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __repr__(self) -> str:
        return f"{self.module}.{self.name}"


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
    """What tells apart functions of one version of the sources: their names and what they close over.

    Raises
    ------
    TypeError
        If a function closes over something that has no name.
    """
    function = value.py_func if isinstance(value, DeviceFunction) else value
    if isinstance(function, types.FunctionType):
        cells = [fingerprint(cell.cell_contents) for cell in function.__closure__ or ()]
        return f"{function.__module__}.{function.__qualname__}({', '.join(cells)})"
    text = f"{type(value).__name__} {value!r}"
    if " at 0x" in text:
        raise TypeError(f"kernels cannot close over {text}")
    return text


kernel: Any = Kernel
device_function: Any = DeviceFunction
cuda: Any = Later("numba.cuda", "")
#: A tuple with an element replaced, in functions of the device: tuple, index, value.
with_word: Any = Later("numba.cuda.cpython.unsafe.tuple", "tuple_setitem")
#: Types of shared arrays.
float64, int64, uint8, uint32, uint64 = (
    Later("numba.cuda.types", name) for name in ("float64", "int64", "uint8", "uint32", "uint64")
)
if is_simulated():
    from debruijn_gpu.backends import scalars
    from debruijn_gpu.backends.cuda.compiling import numba_cuda, real

    cuda = numba_cuda
    kernel = numba_cuda.jit
    device_function = numba_cuda.jit(device=True)
    with_word = scalars.with_word
    float64, int64, uint8, uint32, uint64 = map(real, (float64, int64, uint8, uint32, uint64))
