"""Compilation for the CPU: one decorator, one cache place, one log line when compiling takes the time.

The cache lives in the user's cache directory under a digest of the sources of `backends`, because numba does not
notice a change in a function that another one inlines.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import config as numba_config
from numba.core import event
from numba.core.caching import FunctionCache

from debruijn_gpu import log

config: Any = numba_config


def cache_root() -> Path:
    """Directory that holds the caches of all versions."""
    for variable in ("DBG_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        if os.environ.get(variable):
            return Path(os.environ[variable]) / "debruijn_gpu"
    try:
        return Path.home() / ".cache" / "debruijn_gpu"
    except RuntimeError:  # a container's user without a home
        return _temporary_root()


def _temporary_root() -> Path:
    """A place for those who have no home or may not write there: one for each user."""
    return Path(tempfile.gettempdir()) / f"debruijn_gpu-{os.getuid()}"


def _source_digest() -> str:
    sources = sorted(Path(__file__).parent.parent.rglob("*.py"))
    content = b"".join(source.read_bytes() for source in sources)
    return hashlib.sha256(content).hexdigest()[:12]


def _cache_directory() -> Path | None:
    """Where compiled code is kept: the first place that is ours and can be written; None if there is none."""
    version = f"cpu-{_source_digest()}"
    for root in (cache_root(), _temporary_root()):
        directory = root / version
        with suppress(OSError):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            # what is in there will be run: nobody else may have put it there
            if root == _temporary_root() and (root.is_symlink() or root.stat().st_uid != os.getuid()):
                continue
            directory.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=directory):
                return directory
    return None


class _Cache(FunctionCache):
    """Compiled code on disk. Without space for it, or with a damaged file, a run compiles for itself.

    Several runs that start together on an empty cache write one after another: numba numbers the files of a
    function by what it has just read from their index.
    """

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


_directory = _cache_directory()
config.CACHE_DIR = str(_directory or "")


def kernel(function: Any) -> Any:
    """Decorator of all CPU kernels."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if _directory is not None:
        dispatcher._cache = _Cache(function)  # as enable_caching does
    return dispatcher


class _CompileListener(event.Listener):
    """Say once that compiling takes the time, and tell each stage how much. Numba compiles in one thread at a time."""

    def __init__(self) -> None:
        self._said = False
        self._depth = 0
        self._started = 0.0

    def on_start(self, event: Any) -> None:
        if not self._said:
            self._said = True
            kept = f"first run of this version only; kept in {_directory}" if _directory else "no place to keep it"
            log.logger.info("compiling (%s)", kept)
        if not self._depth:
            self._started = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            log.note_compiling(time.perf_counter() - self._started)


event.register("numba:compile", _CompileListener())
