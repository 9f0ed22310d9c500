"""Compilation for the CPU: one decorator, one cache place, one log line when compiling takes the time.

The cache lives in the user's cache directory under a digest of the sources of `backends`, because numba does not
notice a change in a function that another one inlines.
"""

from __future__ import annotations

import hashlib
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba.core import config as numba_config
from numba.core import event

from debruijn_gpu import log

config: Any = numba_config


def cache_root() -> Path:
    """Directory that holds the caches of all versions."""
    base = os.environ.get("DBG_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "debruijn_gpu"


def _source_digest() -> str:
    sources = sorted(Path(__file__).parent.parent.rglob("*.py"))
    content = b"".join(source.read_bytes() for source in sources)
    return hashlib.sha256(content).hexdigest()[:12]


if "NUMBA_CACHE_DIR" not in os.environ:
    config.CACHE_DIR = str(cache_root() / f"cpu-{_source_digest()}")

_njit: Any = partial(numba.njit, nogil=True, cache=True, error_model="numpy")

#: Decorator of all CPU kernels.
kernel: Any = _njit()

#: Decorator of those that allocate nothing and call each other for every few bytes: without it, half of the time goes
#: to counting references to the arrays that they hand on.
lean_kernel: Any = _njit(_nrt=False)

#: The same for small ones, made part of what calls them.
inlined_kernel: Any = _njit(_nrt=False, forceinline=True)


class _CompileListener(event.Listener):
    """Say once that compiling takes the time, and tell each stage how much. Numba compiles in one thread at a time."""

    def __init__(self) -> None:
        self._said = False
        self._depth = 0
        self._started = 0.0

    def on_start(self, event: Any) -> None:
        if not self._said:
            self._said = True
            log.logger.info("compiling (first run of this version only; kept in %s)", config.CACHE_DIR)
        if not self._depth:
            self._started = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            log.note_compiling(time.perf_counter() - self._started)


event.register("numba:compile", _CompileListener())
