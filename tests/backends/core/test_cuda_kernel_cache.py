"""Keeping compiled kernels: what tells them apart, and what happens to files. In the simulator too, for nothing is
compiled."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from debruijn_gpu.backends.core import cache_place, detection
from debruijn_gpu.backends.core.cache_place import CachePlace
from debruijn_gpu.errors import CudaUnavailableError

pytestmark = pytest.mark.cuda

problems = detection.cuda_problems()
if problems:
    pytest.skip("; ".join(problems), allow_module_level=True)

from debruijn_gpu.backends.core.cuda import kernel_cache  # noqa: E402
from debruijn_gpu.backends.core.cuda.deferred import Deferred, DeviceFunction, Kernel, fingerprint  # noqa: E402
from debruijn_gpu.backends.core.cuda.kernel_cache import MachineCode  # noqa: E402

MADE = MachineCode("the_name", b"code\0 and more\0")
ARGUMENTS = [(np.dtype(np.uint64), 1), (np.dtype(np.int64), 0)]


def made_with(*values):
    """A kernel that closes over values."""

    def closing(x):
        return x, values

    return Kernel(closing)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "place", CachePlace(tmp_path, tmp_path))
    return tmp_path


@pytest.fixture
def compiled(monkeypatch):
    """Whatever is compiled is `MADE`; gives what was."""
    found = []

    class Compiling:
        @staticmethod
        def compile_kernel(function, arguments):
            found.append((function, arguments))
            return MADE.name, MADE.code

    monkeypatch.setitem(sys.modules, "debruijn_gpu.backends.core.cuda.compiler", Compiling)
    cache_place.announce_compiling.cache_clear()
    return found


def test_functions_with_other_values_are_others():
    values = [
        0,
        1,
        True,
        1.0,
        np.uint64(1),
        np.int64(1),
        (1,),
        (1, 1),
        ((1,), 1),
        Deferred("a", "b"),
        Deferred("a", "c"),
    ]
    found = [fingerprint(made_with(*value)) for value in ([], *([value] for value in values), [1, 2])]
    assert len(set(found)) == len(found)
    assert fingerprint(made_with(2.5, (np.uint64(3),))) == fingerprint(made_with(2.5, (np.uint64(3),)))


def test_functions_of_one_name_are_others():
    pair = [lambda x, n=n: x + n for n in (1, 2)]
    assert fingerprint(Kernel(pair[0])) != fingerprint(Kernel(pair[1]))

    def one(x):
        return x

    first = one

    def one(x):
        return x + 1

    assert fingerprint(Kernel(first)) != fingerprint(Kernel(one))
    assert fingerprint(made_with(DeviceFunction(first))) != fingerprint(made_with(DeviceFunction(one)))


@pytest.mark.parametrize("value", [np.zeros(3000), [1], {}, object(), "text"])
def test_what_no_text_tells_apart(value):
    with pytest.raises(TypeError, match="cannot close over"):
        fingerprint(made_with(value))


def test_what_is_kept_is_found(place, compiled):
    function = made_with(1)
    assert kernel_cache.load(function, ARGUMENTS, "90") is None
    assert kernel_cache.make(function, ARGUMENTS, "90") == MADE
    assert kernel_cache.load(function, ARGUMENTS, "90") == MADE
    assert len(compiled) == 1
    assert [path.suffix for path in place.iterdir()] == [".cubin"]
    assert kernel_cache.load(made_with(2), ARGUMENTS, "90") is None
    assert kernel_cache.load(function, ARGUMENTS[:1], "90") is None
    assert kernel_cache.load(function, ARGUMENTS, "80") is None


@pytest.mark.parametrize("keep", [0, 1, 4, 5, 12, -1])
def test_cut_files_are_none(place, compiled, keep):
    kernel_cache.make(made_with(1), ARGUMENTS, "90")
    (path,) = place.iterdir()
    path.write_bytes(path.read_bytes()[:keep])
    assert kernel_cache.load(made_with(1), ARGUMENTS, "90") is None
    kernel_cache.make(made_with(1), ARGUMENTS, "90")
    assert kernel_cache.load(made_with(1), ARGUMENTS, "90") == MADE


def test_damaged_files_are_none(place, compiled):
    kernel_cache.make(made_with(1), ARGUMENTS, "90")
    (path,) = place.iterdir()
    content = bytearray(path.read_bytes())
    for at in range(len(content)):
        content[at] ^= 4
        path.write_bytes(content)
        assert kernel_cache.load(made_with(1), ARGUMENTS, "90") is None
        content[at] ^= 4


def test_without_a_place(monkeypatch, compiled):
    monkeypatch.setattr(kernel_cache, "place", CachePlace(None, None))
    assert kernel_cache.make(made_with(1), ARGUMENTS, "90") == MADE
    assert kernel_cache.load(made_with(1), ARGUMENTS, "90") is None


def test_a_place_that_cannot_be_written(place, compiled, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("full")

    monkeypatch.setattr(os, "replace", fail)
    assert kernel_cache.make(made_with(1), ARGUMENTS, "90") == MADE
    assert list(place.iterdir()) == []
    monkeypatch.setattr(kernel_cache.tempfile, "mkstemp", fail)
    assert kernel_cache.make(made_with(1), ARGUMENTS, "90") == MADE


def test_a_compiler_that_is_not_known(monkeypatch):
    """The names of numba-cuda that are used are not public, and may be other ones in a later version."""
    from debruijn_gpu.backends.core.cuda import compiler

    class Dispatcher:
        def compile(self, types):
            return object()

    monkeypatch.setattr(compiler, "dispatcher_of", lambda function: Dispatcher())
    with pytest.raises(
        CudaUnavailableError, match=r"numba-cuda .*does not give access to machine code .*_codelibrary"
    ) as caught:
        compiler.compile_kernel(made_with(1), [])
    assert "--backend cpu" in caught.value.fix
