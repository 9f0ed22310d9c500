"""Compiled code that cannot be written or read."""

from __future__ import annotations

import errno
import os
import pickle

import pytest
from numba.core.caching import FunctionCache

from debruijn_gpu.backends.cpu import jit


def function_of_a_user(x):
    return x + 1


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
