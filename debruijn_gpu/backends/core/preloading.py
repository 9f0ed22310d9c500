"""Load the kernels that a command used last time while the program is still imported.

To read and load the hundred kernels of an assembly on a GPU takes 0.06 s. The thread that opens the device does that
beside imports. Which kernels a command used, with options of the same names, is kept beside the kernels.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from typing import Any

from debruijn_gpu.backends.core import cache_place, kernel_store

_MOST_KERNELS = 1000  # of one command

_listed: list[str] = []  # target and name of the kernels that the command used before and that are still in the store
_used: dict[str, None] = {}  # those that this process uses, the first one first
_loaded: dict[str, tuple[str, int]] = {}
_key = ""
_is_closed = False


def key_of(args: Sequence[str]) -> str:
    """Name of the list of kernels of a command line: a digest of its command and of the names of its options."""
    options = sorted({arg.partition("=")[0] for arg in args[1:] if arg.startswith("-")})
    return hashlib.sha256(" ".join((args[0], *options)).encode(errors="surrogateescape")).hexdigest()[:32]


def load(driver: Any, args: Sequence[str]) -> None:
    """Load the kernels that a command line used last time into the current context of this thread."""
    global _key
    place = cache_place.find_place()
    if place.path is None or place.problem:  # which the main thread tells
        return
    _key = key_of(args)
    for entry in (kernel_store.find(kernel_store.LISTS, _key) or b"").decode().splitlines():
        if _is_closed:
            _listed.append(entry)
            continue
        content = None if entry in _used else kernel_store.find(*entry.split("/", 1))
        if content is not None:
            _load_one(driver, entry, content)
        if content is not None or entry in _used:
            _listed.append(entry)


def _load_one(driver: Any, entry: str, content: bytes) -> None:
    from debruijn_gpu.backends.core.cuda.store import unpacked

    made, module = unpacked(content), ctypes.c_void_p()
    if driver.cuModuleLoadData(ctypes.byref(module), made.code) == 0 and module.value:
        _loaded[entry] = (made.name, module.value)


def take(target: str, name: str) -> tuple[str, int] | None:
    """Return name and module of a kernel that is loaded already, for the first device; None if it is not."""
    return _loaded.get(f"{target}/{name}")


def note(target: str, name: str) -> None:
    """Note that this process uses a kernel of the store."""
    _used[f"{target}/{name}"] = None


def end() -> None:
    """Stop loading, and keep the list of kernels for the next time if there are new ones."""
    global _is_closed
    _is_closed = True
    if _key and _used.keys() - set(_listed):
        entries = list(dict.fromkeys([*_used, *_listed]))
        kernel_store.keep(kernel_store.LISTS, _key, "\n".join(entries[:_MOST_KERNELS]).encode())
