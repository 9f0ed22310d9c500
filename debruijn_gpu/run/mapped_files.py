"""Files that are mapped into memory: a truncated one ends the run with one line, instead of a bus error (SIGBUS).

Pages behind the new end of a file cannot be read, and the process gets SIGBUS in whatever reads them: kernel, NumPy or
driver. Nothing can be raised there; so the handler reports the file, and ends the process.
"""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.run.plain_text import print_message

_sizes: dict[Path, int] = {}  # of mapped files
_handler: object = None  # the function that C calls must not be freed


def note_mapped_file(path: Path) -> None:
    """Report this file if a bus error shows that it was truncated; unless the program handles bus errors itself."""
    global _handler
    _sizes[path] = path.stat().st_size
    if _handler is not None or not hasattr(signal, "SIGBUS"):
        return
    _handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(_report)
    before = _set(ctypes.cast(_handler, ctypes.c_void_p))
    if before.value:  # not the default
        _set(before)


def _set(handler: ctypes.c_void_p) -> ctypes.c_void_p:
    """Set the handler of SIGBUS, a function of C, and return the one before; Python runs its own only later."""
    function = ctypes.CDLL(None).signal
    function.argtypes, function.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_void_p
    return ctypes.c_void_p(function(signal.SIGBUS, handler))


def _report(number: int) -> None:
    """End the process with the error of a truncated file; without one, let the bus error end it."""
    for path, size in _sizes.items():
        if _size_of(path) < size:
            error = FileAccessError(f"{path}: the file changed while it was read", "run again when it is whole")
            print_message(f"dbg: {error.what}", f"     {error.fix}")
            os._exit(error.exit_code)
    _set(ctypes.c_void_p(None))


def _size_of(path: Path) -> int:
    """Return the size of a file; 0 if it is gone or cannot be read."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
