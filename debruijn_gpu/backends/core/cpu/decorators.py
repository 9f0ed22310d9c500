"""Decorators of kernels, and the store of compiled ones."""

from __future__ import annotations

import fcntl
import pickle
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba.core import caching as numba_caching, config as numba_config, event

from debruijn_gpu.backends.core.cache_place import (
    DIRECTORY_MODE,
    CachePlace,
    announce_compiling,
    find_place,
    report_problem,
    sealed,
    unsealed,
)
from debruijn_gpu.run import log

caching: Any = numba_caching


_UserProvidedCacheLocator: Any = (
    caching.UserProvidedCacheLocator
    if hasattr(caching, "UserProvidedCacheLocator")
    else caching._UserProvidedCacheLocator  # before numba 0.63
)


class _Locator(_UserProvidedCacheLocator):  # type: ignore[misc]
    """Accepts a directory that can only be read; numba's own would refuse to compile then."""

    def ensure_cache_path(self) -> None:
        with suppress(OSError):
            Path(self.get_cache_path()).mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)


class _CacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _CacheFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The index and the data files of a function, each with a checksum; a damaged file counts as missing."""

    def _load_index(self) -> dict[Any, str]:
        content = self._read(self._index_path)
        if content is None:
            return {}
        version, stamp, overloads = pickle.loads(content)
        fits = (version, stamp) == (self._version, self._source_stamp)
        return overloads if fits else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, self._dump((self._version, self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        content = self._read(self._data_path(name))
        return None if content is None else pickle.loads(content)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), self._dump(data))

    def drop(self) -> None:
        """Delete the index; data files without it are overwritten."""
        with suppress(OSError):
            Path(self._index_path).unlink()

    def _read(self, path: str) -> bytes | None:
        try:
            content = unsealed(Path(path).read_bytes())
        except FileNotFoundError:
            return None
        if content is None:
            log.logger.debug("%s is damaged: compiling again", path)
            with suppress(OSError):
                Path(path).unlink()
        return content

    def _write(self, path: str, content: bytes) -> None:
        with self._open_for_write(path) as stream:
            stream.write(sealed(content))


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """Compiled code on disk. Where it cannot be stored or loaded, a run compiles for itself.

    Several runs that start together on an empty cache write one after another: numba numbers the files of a
    function by what it has just read from their index.
    """

    _impl_class = _CacheImpl

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp, base = self._impl.locator.get_source_stamp(), self._impl.filename_base
        self._cache_file = _CacheFiles(cache_path=self._cache_path, filename_base=base, source_stamp=stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError as error:
            log.logger.debug("compiled code cannot be read: %s", error)
        except Exception as error:  # unpickling raises whatever a file of another make says
            self._drop(error)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._save_locked(sig, data)
        except OSError as error:
            log.logger.debug("compiled code cannot be kept: %s", error)
        except Exception as error:
            self._drop(error)

    def _save_locked(self, sig: Any, data: Any) -> None:
        self._impl.locator.ensure_cache_path()
        with open(Path(self.cache_path) / ".lock", "w") as lock:
            with suppress(OSError):  # some network file systems have no locks
                fcntl.flock(lock, fcntl.LOCK_EX)
            super().save_overload(sig, data)

    def _drop(self, error: Exception) -> None:
        log.logger.debug("compiled code cannot be used, so it is deleted: %s: %s", type(error).__name__, error)
        self._cache_file.drop()


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
