"""Store the machine code of kernels on disk."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from debruijn_gpu.backends.core.cache_place import announce_compiling, find_place, report_problem, sealed, unsealed
from debruijn_gpu.backends.core.cuda.deferred import Kernel, fingerprint
from debruijn_gpu.run import log

place = find_place("cuda")
report_problem(place)


@dataclass(frozen=True)
class MachineCode:
    """Compiled kernel for the driver: its name and its code (a cubin)."""

    name: str
    code: bytes


def load(function: Kernel, arguments: Sequence[tuple[Any, int]], capability: str) -> MachineCode | None:
    """Load the machine code of a kernel; None if it is missing or unreadable.

    Parameters
    ----------
    function : Kernel
    arguments : sequence of (dtype, int)
        Of each argument dtype and number of dimensions.
    capability : str
        Compute capability of the device: ``90``.
    """
    if place.path is None:
        return None
    try:
        return _unpacked((place.path / _file_name(function, arguments, capability)).read_bytes())
    except OSError:
        return None


def make(function: Kernel, arguments: Sequence[tuple[Any, int]], capability: str) -> MachineCode:
    """Compile a kernel and keep it; parameters as in `load`."""
    announce_compiling(place)
    begin = time.perf_counter()
    from debruijn_gpu.backends.core.cuda.compiler import compile_kernel

    made = MachineCode(*compile_kernel(function, arguments))
    log.note_compiling(time.perf_counter() - begin)
    if place.path is not None:
        _keep(place.path / _file_name(function, arguments, capability), made)
    return made


def _file_name(function: Kernel, arguments: Sequence[tuple[Any, int]], capability: str) -> str:
    signature = ", ".join(f"{dtype.str}x{n_dimensions}" for dtype, n_dimensions in arguments)
    what = f"{fingerprint(function)}({signature}) {capability} {_compiler()}"
    digest = hashlib.sha256(what.encode()).hexdigest()[:24]
    return f"{function.py_func.__name__.strip('_')}-{digest}.cubin"


@functools.cache
def _compiler() -> str:
    return metadata.version("numba-cuda")  # takes a fifth of the time of loading a kernel


def _packed(made: MachineCode) -> bytes:
    """Content of a file: a checksum, as drivers trust what they load, then the name up to a 0, then the code."""
    return sealed(made.name.encode() + b"\0" + made.code)


def _unpacked(packed: bytes) -> MachineCode | None:
    """Return the code that `_packed` was given; None if it is damaged."""
    content = unsealed(packed)
    if content is None:
        return None
    name, _, code = content.partition(b"\0")
    return MachineCode(name.decode(), code)


def _keep(path: Path, made: MachineCode) -> None:
    """Write to a temporary name and rename: a file that is there is whole."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
    except OSError as error:
        log.logger.debug("compiled code cannot be kept: %s", error)
        return
    try:
        with open(handle, "wb") as stream:
            stream.write(_packed(made))
        os.replace(temporary, path)
    except OSError as error:
        log.logger.debug("compiled code cannot be kept: %s", error)
        with suppress(OSError):
            os.unlink(temporary)
