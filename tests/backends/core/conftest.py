"""Stores of compiled kernels for tests, in the place of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from debruijn_gpu.backends.core import cache_place, kernel_store
from debruijn_gpu.backends.core.cpu import machine_code, store

#: Engines of LLVM that tests used: kernels whose engine is gone cannot be called.
_ENGINES: list[object] = []
_CACHED = (
    cache_place.announce_compiling,
    kernel_store.installed,
    kernel_store.place,
    kernel_store._is_trusted,
    store.targets,
)


def forget_store() -> None:
    """Forget what this process found out about the store and loaded from it, as if it had just begun."""
    for cached in _CACHED:
        cached.cache_clear()
    store._loaded.clear()
    _ENGINES.append(machine_code._engine)
    machine_code._engine = None


@contextmanager
def _use_store_in(directory: Path) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("DBG_CACHE_DIR", str(directory / "cache"))
        changed.setattr(kernel_store, "INSTALLED", directory / "installed")
        forget_store()
        yield kernel_store.place().path
    forget_store()


@pytest.fixture
def store_place(tmp_path):
    """Directory of an empty store that is used instead of the user's; nothing is installed."""
    with _use_store_in(tmp_path) as place:
        yield place


@pytest.fixture(scope="module")
def module_store(tmp_path_factory):
    """The same for all tests of a module, whose kernels are loaded once."""
    with _use_store_in(tmp_path_factory.mktemp("store")) as place:
        yield place


@pytest.fixture
def forget(store_place):
    """The function `forget_store`: what was compiled is looked for in the store again."""
    return forget_store
