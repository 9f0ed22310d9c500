"""Name kernels, so that other processes find them: the module, and the path to the kernel within it.

A path is the name of an attribute, then the positions in tuples and dictionaries or names in namespaces, each after a
slash: ``_KERNELS/2/0``. Kernels that are made for k-mers of some words have the number of words in parentheses:
``_look_up(2)``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from debruijn_gpu.backends.core.deferred import Function

_ROOM = "debruijn_gpu.backends."


class Family:
    """Kernels for k-mers of any number of words, made when asked for and kept.

    Parameters
    ----------
    make : callable
        Returns the kernel, or a tuple of kernels, for a number of words; or for a tuple of as many zeros, if that is
        the name of its parameter (``zero``).
    """

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self._takes_zeros = make.__code__.co_varnames[0] == "zero"
        self.made: dict[int, Any] = {}
        self.__doc__ = make.__doc__

    def __call__(self, words: Any) -> Any:
        n_words = len(words) if self._takes_zeros else int(words)
        if n_words not in self.made:
            self.made.setdefault(n_words, self._make(words))  # of several threads, one makes those that are kept
        return self.made[n_words]

    def of(self, n_words: int) -> Any:
        """The kernels for a number of words."""
        import numpy as np

        return self((np.uint64(0),) * n_words if self._takes_zeros else n_words)


def find(module: str, path: str) -> Function:
    """Import a module, and find a kernel in it.

    Parameters
    ----------
    module : str
        Without ``debruijn_gpu.backends.``.
    path : str

    Raises
    ------
    ImportError, LookupError, AttributeError
        If it is not there.
    """
    value = follow(module, path)
    if not isinstance(value, Function):
        raise LookupError(f"{module}: {path} is no kernel")
    return value


def follow(module: str, path: str) -> Any:
    """Import a module, and follow a path in it: in the simulator, kernels are of its own kind."""
    value: Any = importlib.import_module(_ROOM + module)
    for step in path.split("/"):
        name, _, n_words = step.partition("(")
        if isinstance(value, dict):
            value = list(value.values())[int(name)]
        elif isinstance(value, tuple):
            value = value[int(name)]
        else:
            value = getattr(value, name)
        if n_words:
            value = value.of(int(n_words[:-1]))
    return value


def name(function: Function) -> tuple[str, str] | None:
    """Module and path of a kernel, as `find` takes them; None if no module of `backends` has it."""
    own = getattr(function, "py_func", function).__module__  # in the simulator, kernels are of its own kind
    modules = [module for key, module in list(sys.modules.items()) if key.startswith(_ROOM)]
    for module in sorted(modules, key=lambda module: (module.__name__ != own, module.__name__)):
        for attribute, value in list(vars(module).items()):
            for path in _paths(value, function):
                return module.__name__.removeprefix(_ROOM), attribute + path
    return None


def _paths(value: Any, wanted: Function) -> Iterator[str]:
    """Paths to a kernel from a value."""
    if value is wanted:
        yield ""
    elif isinstance(value, Family):
        for n_words, made in value.made.items():
            yield from (f"({n_words}){path}" for path in _paths(made, wanted))
    elif isinstance(value, dict):
        for i, item in enumerate(value.values()):
            yield from (f"/{i}{path}" for path in _paths(item, wanted))
    elif type(value) is tuple:
        for i, item in enumerate(value):
            yield from (f"/{i}{path}" for path in _paths(item, wanted))
    elif isinstance(value, SimpleNamespace):
        for key, item in vars(value).items():
            if item is wanted:
                yield f"/{key}"
