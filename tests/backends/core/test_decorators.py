"""Compiled code that cannot be written or read."""

from __future__ import annotations

import errno
import os
import pickle

import pytest
from numba.core.caching import FunctionCache

from debruijn_gpu.backends.core import cache_place
from debruijn_gpu.backends.core.cpu import decorators


def function_of_a_user(x):
    return x + 1


def test_a_full_disk_is_no_error(tmp_path, monkeypatch):
    def fail(self, sig, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(FunctionCache, "save_overload", fail)
    assert decorators.kernel(function_of_a_user)(1) == 2


@pytest.mark.parametrize("error", [EOFError(), pickle.UnpicklingError(), OSError(errno.EIO, "broken"), KeyError("x")])
def test_a_cache_that_cannot_be_read_is_no_error(monkeypatch, error):
    def fail(self, sig, target_context):
        raise error

    monkeypatch.setattr(FunctionCache, "load_overload", fail)
    monkeypatch.setattr(FunctionCache, "save_overload", lambda *args: None)
    assert decorators.kernel(function_of_a_user)(1) == 2


DAMAGES = {
    "empty": lambda content: b"",
    "zeros": lambda content: bytes(len(content)),
    "half": lambda content: content[: len(content) // 2],
    "a flipped bit": lambda content: content[:-9] + bytes([content[-9] ^ 4]) + content[-8:],
    "of numba's own cache": lambda content: content[4:],
    "another pickle": lambda content: cache_place.sealed(pickle.dumps({"a": [1, 2, 3]})),
    "another tuple": lambda content: cache_place.sealed(pickle.dumps((1, 2, 3))),
    "a class that is gone": lambda content: cache_place.sealed(b"cnowhere\nnothing\n."),
}


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A directory that holds the compiled `function_of_a_user`."""
    monkeypatch.setattr(decorators.config, "CACHE_DIR", str(tmp_path))
    assert decorators.kernel(function_of_a_user)(1) == 2
    assert len(list(tmp_path.rglob("*.nb[ci]"))) == 2
    return tmp_path


def loads(function) -> int:
    """Number of signatures of a function that were loaded, after it was called."""
    compiled = decorators.kernel(function)
    assert compiled(1) == 2
    return sum(compiled.stats.cache_hits.values())


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_compiled_again_once(stored, damage, suffix):
    assert loads(function_of_a_user) == 1
    (path,) = stored.rglob(f"*{suffix}")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert loads(function_of_a_user) == 0
    assert loads(function_of_a_user) == 1


def test_directories_of_compiled_code_cannot_be_written_by_others(tmp_path, monkeypatch):
    monkeypatch.setattr(decorators.config, "CACHE_DIR", str(tmp_path))
    old = os.umask(0)
    try:
        decorators.kernel(function_of_a_user)(1)
    finally:
        os.umask(old)
    (path,) = tmp_path.rglob("*.nbi")
    assert path.parent.stat().st_mode & 0o022 == 0
