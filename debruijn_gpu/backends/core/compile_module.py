"""Compile modules of plain scalar functions with the decorator of a backend."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any


def compile_module(decorate: Callable[[Any], Any], *modules: ModuleType, **own: Any) -> SimpleNamespace:
    """Compile the functions of modules, so that they call their compiled siblings.

    Parameters
    ----------
    decorate : callable
        The backend's decorator for functions called by kernels.
    modules : module
        Functions that they import are compiled with their own. They share one namespace, in which a later module
        replaces names of an earlier one.
    own : functions and other values
        The backend's own in the place of these names, compiled already.

    Returns
    -------
    types.SimpleNamespace
        Compiled functions by name. Kernels call global names of their modules: bind there what they call.
    """
    names = {name: value for module in modules for name, value in vars(module).items()}
    namespace = {**names, **own}
    compiled = SimpleNamespace()
    for name, function in names.items():
        if isinstance(function, FunctionType) and name not in own:
            namespace[name] = decorate(FunctionType(function.__code__, namespace, name))
            setattr(compiled, name, namespace[name])
    return compiled
