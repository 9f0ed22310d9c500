"""Load machine code into the process: by `objects` where it can, else through llvmlite; without numba."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from debruijn_gpu.backends.core.cpu import levels
from debruijn_gpu.backends.core.cpu.objects import NotLoadableError, load_object

_lock = threading.Lock()
_engine: Any = None
_objects: list[Any] = []  # the engine does not keep them

Entry = Callable[[Any], int]
_prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


def load(name: str, code: bytes) -> Entry:
    """Load an object file; return its function of a name, which takes an array of words and returns its status.

    Calls release the interpreter's lock.
    """
    try:
        return _prototype(load_object(code, name))
    except NotLoadableError:
        return _prototype(_load_with_llvm(name, code))


def _load_with_llvm(name: str, code: bytes) -> int:
    """Load an object file with LLVM's loader, which takes 20 ms to import; return the address of a function of it."""
    global _engine
    import llvmlite.binding as llvm

    with _lock:
        if _engine is None:
            machine = levels.target_machine("")
            empty = llvm.parse_assembly(f'target triple = "{machine.triple}"')
            _engine = llvm.create_mcjit_compiler(empty, machine)
        file = llvm.ObjectFileRef.from_data(code)
        _engine.add_object_file(file)
        _objects.append(file)
        _engine.finalize_object()
        address: int = _engine.get_function_address(name)
        return address
