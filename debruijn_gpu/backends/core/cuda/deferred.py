"""Kernels of CUDA and the functions that they call; see `core.deferred`.

In the simulator they are numba's own.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from debruijn_gpu.backends.core.deferred import Deferred, Function
from debruijn_gpu.backends.core.startup import is_simulated

#: What to do where CUDA is not whole.
FIX = "install the extra cuda13 or cuda12, or run with --backend cpu; dbg doctor tells more"


class Kernel(Function):
    """A function to be launched."""


def kernel_of(max_registers: int) -> Any:
    """A kernel whose threads have so many registers at most, so that more of them run beside each other.

    A multiprocessor has 65,536 registers, and room for 2,048 threads.
    """
    return partial(Kernel, max_registers=max_registers)


kernel: Any = Kernel
device_function: Any = Function
cuda: Any = Deferred("numba.cuda", "")
#: A tuple with an element replaced, in functions of the device: tuple, index, value.
with_word: Any = Deferred("numba.cuda.cpython.unsafe.tuple", "tuple_setitem")
#: Types of shared arrays.
float64, int64, uint8, uint16, uint32, uint64 = (
    Deferred("numba.cuda.types", name) for name in ("float64", "int64", "uint8", "uint16", "uint32", "uint64")
)
if is_simulated():
    from debruijn_gpu.backends.core import scalars
    from debruijn_gpu.backends.core.cuda.compiler import numba_cuda, real

    cuda = numba_cuda
    kernel = numba_cuda.jit

    def kernel_of(max_registers: int) -> Any:
        """A kernel; the simulator has no registers."""
        return kernel

    device_function = numba_cuda.jit(device=True)
    with_word = scalars.with_word
    float64, int64, uint8, uint16, uint32, uint64 = map(real, (float64, int64, uint8, uint16, uint32, uint64))
