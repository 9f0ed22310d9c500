"""Digest what a kernel is made of: its text, the functions it calls, and the constants of both.

A kernel in the store is found by this digest. Bytecode will not do, because it differs from one Python to the next;
nor will the text of a whole folder, because then every change would compile everything again.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import time
import types
from pathlib import Path
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.deferred import Deferred, Function, names_in

_OWN = "debruijn_gpu."
_BEGIN = time.time()  # kernels import this module before they are defined
_MOST_BYTES = 1 << 20  # of an array among the globals: larger ones would become pointers into the process
_PLAIN = (bool, int, float, str, bytes, type(None), np.generic, np.dtype)


def digest_of(function: Function) -> str | None:
    """Digest a function with everything that its machine code is made of.

    Returns
    -------
    str or None
        32 hexadecimal digits; None if its source is not to be had, as of functions typed at a prompt.

    Raises
    ------
    TypeError
        If it uses a value that no text describes completely, or an array of more than 1 MiB.
    """
    if function.digest is None:
        try:
            function.digest = _describe(function, _Callers())
        except OSError:
            return None
    return function.digest


class _Callers:
    """Functions that are being described, the outermost first.

    Attributes
    ----------
    functions : list of function
    outermost : int
        Index of the outermost one that was called again from within; any larger number if none was.
    """

    def __init__(self) -> None:
        self.functions: list[types.FunctionType] = []
        self.outermost = 0


def _describe_function(function: types.FunctionType, callers: _Callers) -> str:
    """Text of a function and of what it uses, in a fixed order; of one that is being described, its name."""
    code = function.__code__
    if function in callers.functions:
        callers.outermost = min(callers.outermost, callers.functions.index(function))
        return code.co_name
    callers.functions.append(function)
    used = [(name, function.__globals__[name]) for name in sorted(names_in(code)) if name in function.__globals__]
    used += zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()), strict=True)
    used += [("", value) for value in function.__defaults__ or ()]
    used += sorted((function.__kwdefaults__ or {}).items())
    parts = [source_of(code), *(f"{name}={_describe(value, callers)}" for name, value in used)]
    callers.functions.pop()
    return "\n".join(parts)


def _describe_compiled(function: Function, callers: _Callers) -> str:
    """Digest of a function, or its name if it is being described.

    Functions that call each other are described anew by each caller, because their descriptions depend on where the
    cycle is entered.
    """
    if function.digest and not function.is_recursive:
        return function.digest
    if function.py_func in callers.functions:
        return _describe_function(function.py_func, callers)
    depth, outermost = len(callers.functions), callers.outermost
    callers.outermost = depth + 1
    text = _describe_function(function.py_func, callers)
    digest = hashlib.sha256(f"{sorted(function.options.items())} {text}".encode()).hexdigest()[:32]
    function.is_recursive = callers.outermost <= depth
    if not function.is_recursive:
        function.digest = digest
    callers.outermost = min(outermost, callers.outermost)
    return digest


def _describe(value: Any, callers: _Callers) -> str:
    """Describe a value completely."""
    if isinstance(value, Function):
        return _describe_compiled(value, callers)
    if isinstance(value, types.FunctionType):
        return _describe_function(value, callers)
    if isinstance(value, Deferred):
        return f"{value!r} {_module_digest(value.module) if value.module.startswith(_OWN) else ''}"
    if isinstance(value, tuple):
        return f"{_describe_class(type(value))}({', '.join(_describe(item, callers) for item in value)})"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        if value.nbytes > _MOST_BYTES:
            raise TypeError(f"kernels cannot use an array of {value.nbytes} bytes: pass it")
        return f"{value.dtype.descr}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, types.ModuleType) and not value.__name__.startswith(_OWN):
        return value.__name__
    if isinstance(value, type):
        return _describe_class(value)
    if isinstance(value, np.ufunc):
        return value.__name__
    if isinstance(value, types.BuiltinFunctionType):
        return f"{value.__module__}.{value.__qualname__}"
    if not isinstance(value, _PLAIN):
        raise TypeError(f"kernels cannot use {value!r}")
    return f"{type(value).__name__} {value!r}"


def _describe_class(kind: type) -> str:
    """Name of a class, and of its items if they have names."""
    return f"{kind.__module__}.{kind.__qualname__}{getattr(kind, '_fields', '')}"


@functools.cache
def _module_digest(name: str) -> str:
    """Digest the source of a module that is not imported yet."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.origin:
        raise OSError(f"{name} has no source")
    return hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()


def source_of(code: types.CodeType) -> str:
    """Return the source of a function, from its decorators to its last line.

    Raises
    ------
    OSError
        If its file cannot be read, or if it is a lambda: a line can have several.
    """
    if code.co_name == "<lambda>":
        raise OSError("no source of its own")
    lines = _lines(code.co_filename)
    first = code.co_firstlineno - 1
    last = _last_line(code)
    if last > len(lines):
        raise OSError(f"{code.co_filename} has changed")
    head = next((i for i in range(first, len(lines)) if lines[i].lstrip().startswith("def ")), first)  # past decorators
    last = max(last, head + 1)
    indent = _indent(lines[first])
    while last < len(lines) and _goes_on(lines[last], indent):
        last += 1
    return "\n".join(line for line in lines[first:last] if line and not line.isspace())


def _last_line(code: types.CodeType) -> int:
    """Number of the last line that has bytecode, of a function and those within it. It may end further below."""
    inner = [_last_line(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return max([code.co_firstlineno, *inner, *(line for _, _, line in code.co_lines() if line)])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _goes_on(line: str, indent: int) -> bool:
    """Whether a line after the first belongs to a function of that indent: deeper, blank, or the end of its head."""
    return not line or line.isspace() or _indent(line) > indent or line.lstrip().startswith(")")


@functools.cache
def _lines(path: str) -> list[str]:
    """Lines of a source file.

    Raises
    ------
    OSError
        If it cannot be read, or was written since this process began, which may run an older text.
    """
    with open(path, encoding="utf-8", errors="backslashreplace") as stream:
        if os.fstat(stream.fileno()).st_mtime > _BEGIN:
            raise OSError(f"{path} has changed")
        return stream.read().split("\n")
