"""Where compiled code is kept, and what happens where it cannot be."""

from __future__ import annotations

import errno
import os
import pickle
import tempfile
from pathlib import Path

import pytest
from numba.core.caching import FunctionCache

from debruijn_gpu.backends.cpu import jit


@pytest.fixture(autouse=True)
def _places(tmp_path, monkeypatch):
    """Nothing but a system directory for temporary files."""
    for variable in ("DBG_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def function_of_a_user(x):
    return x + 1


def test_the_first_variable_that_is_set_counts(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert jit.cache_root() == Path("/b/debruijn_gpu")
    monkeypatch.setenv("DBG_CACHE_DIR", "/a")
    assert jit.cache_root() == Path("/a/debruijn_gpu")


def test_users_without_a_home(tmp_path, monkeypatch):
    def fail():
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", fail)
    assert tmp_path in jit._cache_directory().parents


def test_users_who_cannot_write_there(tmp_path, monkeypatch):
    monkeypatch.setenv("DBG_CACHE_DIR", "/dev/null/x")
    directory = jit._cache_directory()
    assert directory.parent == tmp_path / f"debruijn_gpu-{os.getuid()}"
    assert directory.parent.stat().st_mode & 0o077 == 0


def test_the_directory_of_another_user_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setenv("DBG_CACHE_DIR", "/dev/null/x")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"debruijn_gpu-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    assert jit._cache_directory() is None


def test_a_full_disk_is_no_error(tmp_path, monkeypatch):
    def fail(self, sig, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(FunctionCache, "save_overload", fail)
    assert jit.kernel(function_of_a_user)(1) == 2


@pytest.mark.parametrize("error", [EOFError(), pickle.UnpicklingError(), OSError(errno.EIO, "broken")])
def test_a_damaged_cache_is_no_error(monkeypatch, error):
    def fail(self, sig, target_context):
        raise error

    monkeypatch.setattr(FunctionCache, "load_overload", fail)
    monkeypatch.setattr(FunctionCache, "save_overload", lambda *args: None)
    assert jit.kernel(function_of_a_user)(1) == 2
