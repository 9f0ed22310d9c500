"""Functions that are compiled when they are first called.

Importing a compiler takes half a second and more, loading a kernel from a store a fraction of a millisecond. So the
decorators of kernels only note functions; the module `compiler` of a backend makes them real, and is not imported
before something must be compiled.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any


class Deferred:
    """Stands for an attribute of a module that is not imported yet, in functions that are not compiled yet."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __repr__(self) -> str:
        return f"{self.module}.{self.name}"

    def resolve(self) -> Any:
        """Import the module; return the attribute, or the module if there is no name."""
        module = importlib.import_module(self.module)
        return getattr(module, self.name) if self.name else module


class Function:
    """A function that kernels call.

    Attributes
    ----------
    py_func : callable
    options : dict
        What the compiler is told of it.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.py_func: Any = function
        self.options = options
        self.digest: str | None = None  # see `digests`
        self.is_recursive = False
        self.compiled: Any = None  # the compiler's own


class NotKeptError(Exception):
    """Machine code of a kernel cannot be kept."""


def names_in(code: types.CodeType) -> set[str]:
    """Names of globals and attributes in a function and those within it."""
    inner = [names_in(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*inner)


def rebuilt(function: types.FunctionType, real: Callable[[Any], Any]) -> tuple[types.FunctionType, Callable[[], None]]:
    """Copy a function, with what stand-ins stand for among its globals and in its closure.

    Parameters
    ----------
    function : function
    real : callable
        Returns the object behind a stand-in, and others unchanged.

    Returns
    -------
    copy : function
    fill : callable
        Looks up the globals of the copy. Called once the compiler knows the copy, it can meet functions that call it.
    """
    names = names_in(function.__code__)
    namespace = {
        "__builtins__": function.__globals__.get("__builtins__", __builtins__),
        "__name__": function.__module__,
    }
    closure = tuple(types.CellType(real(cell.cell_contents)) for cell in function.__closure__ or ())
    copy = types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, closure or None)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__

    def fill() -> None:
        namespace.update((name, real(value)) for name, value in function.__globals__.items() if name in names)

    return copy, fill


def real(value: Any, decorate: Callable[[Function], Callable[[Any], Any]]) -> Any:
    """Return the compiler's own function of ours, or what a deferred name stands for; return others unchanged.

    Parameters
    ----------
    value : object
    decorate : callable
        Returns the compiler's decorator for a function that kernels call.
    """
    if isinstance(value, Deferred):
        return value.resolve()
    if not isinstance(value, Function):
        return value
    if value.compiled is None:
        copy, fill = rebuilt(value.py_func, lambda other: real(other, decorate))
        value.compiled = decorate(value)(copy)
        fill()
    return value.compiled
