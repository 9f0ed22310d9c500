"""Compilation for the CPU: one decorator, one cache place, one log line when compiling takes the time."""

from __future__ import annotations

import fcntl
import pickle
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba.core import caching as numba_caching
from numba.core import config as numba_config
from numba.core import event

from debruijn_gpu import log
from debruijn_gpu.backends.cache import CachePlace, announce_compiling, find_place, report_problem

config: Any = numba_config
caching: Any = numba_caching


_UserProvidedCacheLocator: Any = (
    caching.UserProvidedCacheLocator
    if hasattr(caching, "UserProvidedCacheLocator")
    else caching._UserProvidedCacheLocator  # before numba 0.63
)


class _Locator(_UserProvidedCacheLocator):  # type: ignore[misc]
    """Takes a directory that can only be read as well; numba's own would refuse to compile then."""

    def ensure_cache_path(self) -> None:
        with suppress(OSError):
            Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)


class _CacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    """Compiled code on disk. Without space for it, or with a damaged file, a run compiles for itself.

    Several runs that start together on an empty cache write one after another: numba numbers the files of a
    function by what it has just read from their index.
    """

    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            log.logger.debug("compiled code cannot be read, so it is made anew: %s", error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            with open(Path(self.cache_path) / ".lock", "w") as lock:
                with suppress(OSError):  # some network file systems have no locks
                    fcntl.flock(lock, fcntl.LOCK_EX)
                super().save_overload(sig, data)
        except OSError as error:
            log.logger.debug("compiled code cannot be kept: %s", error)


def _use(place: CachePlace) -> None:
    """Have numba keep compiled code in a place, and say so if it is not where it should be."""
    config.CACHE_DIR = str(place.path or "")
    report_problem(place)


place = find_place("cpu")
_use(place)


def _keeping(decorate: Any) -> Any:
    """A decorator of numba's whose results are kept, as ``cache=True`` would."""

    def decorated(function: Any) -> Any:
        dispatcher: Any = decorate(function)
        if place.path is not None:
            dispatcher._cache = _Cache(function)  # as enable_caching does
        return dispatcher

    return decorated


_njit: Any = partial(numba.njit, nogil=True, error_model="numpy")

#: Decorator of all CPU kernels.
kernel: Any = _keeping(_njit())

#: Decorator of those that allocate nothing and call each other for every few bytes: without it, half of the time goes
#: to counting references to the arrays that they hand on.
lean_kernel: Any = _keeping(_njit(_nrt=False))

#: The same for functions that kernels call, with which they are kept.
lean_function: Any = _njit(_nrt=False)

#: The same for small ones, made part of what calls them.
inlined_kernel: Any = _keeping(_njit(_nrt=False, forceinline=True))


class _CompileListener(event.Listener):
    """Say once that compiling takes the time, and tell each stage how much. Numba compiles in one thread at a time."""

    def __init__(self) -> None:
        self._depth = 0
        self._started = 0.0

    def on_start(self, event: Any) -> None:
        announce_compiling(place)
        if not self._depth:
            self._started = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            log.note_compiling(time.perf_counter() - self._started)


event.register("numba:compile", _CompileListener())
