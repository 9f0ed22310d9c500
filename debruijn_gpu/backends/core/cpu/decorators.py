"""Compile kernels for the CPU: one decorator, cache directory and log line."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numba
from numba.core import config as numba_config, event

from debruijn_gpu.backends.core.cache_place import CachePlace, announce_compiling, find_place, report_problem
from debruijn_gpu.backends.core.cpu.kernel_cache import KernelCache
from debruijn_gpu.run import log

config: Any = numba_config


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
            dispatcher._cache = KernelCache(function)  # as enable_caching does
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
