"""Compilation for the CPU: one decorator, one cache place, one log line when compiling takes the time."""

from __future__ import annotations

import time
from typing import Any

import numba
from numba.core import config as numba_config
from numba.core import event

from debruijn_gpu import log
from debruijn_gpu.backends.cache import CachePlace, find_place

config: Any = numba_config


def _use(place: CachePlace) -> bool:
    """Have numba keep compiled code in a place; False if there is none."""
    if place.problem:
        log.logger.warning(
            "compiled code cannot be kept in %s (%s); %s. Set DBG_CACHE_DIR to a directory that can be written",
            place.wanted or "a home directory",
            place.problem,
            f"it goes to {place.path}" if place.path else "every run compiles anew",
        )
    if place.path is not None:
        config.CACHE_DIR = str(place.path)
    return place.path is not None


place = find_place("cpu")

#: Decorator of all CPU kernels.
kernel: Any = numba.njit(nogil=True, cache=_use(place), error_model="numpy")


class _CompileListener(event.Listener):
    """Say once that compiling takes the time, and at the end how long it took."""

    def __init__(self) -> None:
        self.n_compiled = 0
        self.seconds = 0.0
        self._depth = 0
        self._started = 0.0

    def on_start(self, event: Any) -> None:
        if not self.n_compiled and not self._depth:
            kept = f"first run of this version only; kept in {place.path}" if place.path else "not kept"
            log.logger.info("compiling (%s)", kept)
        if not self._depth:
            self._started = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        self.n_compiled += 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._started


compile_listener = _CompileListener()
event.register("numba:compile", compile_listener)
