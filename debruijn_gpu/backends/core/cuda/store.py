"""Find the machine code of CUDA kernels, or compile and keep it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.backends.core import ahead, kernel_store, preloading
from debruijn_gpu.backends.core.cache_place import announce_compiling
from debruijn_gpu.backends.core.cuda.deferred import Kernel
from debruijn_gpu.backends.core.deferred import Function
from debruijn_gpu.run import log

Arguments = Sequence[tuple[Any, int]]


@dataclass(frozen=True)
class MachineCode:
    """Compiled kernel: its name, and its code (a cubin), or the module that has it on the first device."""

    name: str
    code: bytes
    module: int = 0


def load(function: Kernel, arguments: Arguments, capability: str, is_first: bool = False) -> MachineCode | None:
    """Load the machine code of a kernel; None if it is missing or unreadable.

    Parameters
    ----------
    function : Kernel
    arguments : sequence of (dtype, int)
        Of each argument dtype and number of dimensions.
    capability : str
        Compute capability of the device: ``90``. Code for another one of the same major number and a smaller minor
        one runs too (CUDA C++ Programming Guide, binary compatibility).
    is_first : bool
        Whether it is for the first device, where it may be loaded already.
    """
    signature = signature_of(arguments)
    kernel_store.note_use(function, signature)
    name = kernel_store.name_of(function, signature)
    if name is None:
        return None
    for minor in range(int(capability[-1]), -1, -1):
        target = target_of(f"{capability[:-1]}{minor}")
        loaded = preloading.take(target, name) if is_first else None
        content = b"" if loaded else kernel_store.find(target, name)
        if content is not None:
            preloading.note(target, name)
            return MachineCode(loaded[0], b"", loaded[1]) if loaded else unpacked(content)
    return None


def make(function: Kernel, arguments: Arguments, capability: str, is_missing: bool = True) -> MachineCode:
    """Compile a kernel for the current device, and keep it.

    Parameters as in `load`; what is in the store and does not load is not missing, and is compiled in this process.
    """
    announce_compiling(kernel_store.place())
    begin = time.perf_counter()
    if is_missing and ahead.compile_elsewhere(function, "cuda", signature_of(arguments), target_of(capability)):
        found = load(function, arguments, capability)
        if found is not None:
            log.note_compiling(time.perf_counter() - begin)
            return found
    from debruijn_gpu.backends.core.cuda.compiler import compile_kernel

    made = MachineCode(*compile_kernel(function, arguments))
    log.note_compiling(time.perf_counter() - begin)
    name = kernel_store.name_of(function, signature_of(arguments))
    if name is not None:
        kernel_store.keep(target_of(capability), name, packed(made))
    return made


def target_of(capability: str) -> str:
    """Name of the target of a compute capability."""
    return f"sm_{capability}"


def signature_of(arguments: Arguments) -> str:
    """Write the types of arguments as `core.cpu.arguments` does."""
    return ",".join(f"{dtype.str[1:]}:{n}C" if n else dtype.str[1:] for dtype, n in arguments)


def arguments_of(signature: str) -> Arguments:
    """Read what `signature_of` wrote."""
    parts = [part.partition(":") for part in signature.split(",") if part]
    return [(np.dtype(dtype), int(rest[:-1] or 0)) for dtype, _, rest in parts]


def packed(made: MachineCode) -> bytes:
    """What is kept: the name up to a 0, then the code."""
    return made.name.encode() + b"\0" + made.code


def unpacked(content: bytes) -> MachineCode:
    """Return the code that `packed` was given."""
    name, _, code = content.partition(b"\0")
    return MachineCode(name.decode(), code)


def content_for(function: Function, signature: str, target: str) -> bytes:
    """Compile a kernel for a target, with or without a device of that kind; return what the store keeps."""
    from debruijn_gpu.backends.core.cuda.compiler import compile_for

    return packed(MachineCode(*compile_for(function, arguments_of(signature), target.removeprefix("sm_"))))
