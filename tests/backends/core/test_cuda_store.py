"""Keeping compiled kernels: what tells them apart, and what happens to files. In the simulator too, for nothing is
compiled."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from debruijn_gpu.backends.core import cache_place, detection, kernel_store
from debruijn_gpu.backends.core.cache_place import CachePlace
from debruijn_gpu.errors import CudaUnavailableError

pytestmark = pytest.mark.cuda

problems = detection.cuda_problems()
if problems:
    pytest.skip("; ".join(problems), allow_module_level=True)

from debruijn_gpu.backends.core.cuda import store  # noqa: E402
from debruijn_gpu.backends.core.cuda.deferred import Kernel  # noqa: E402
from debruijn_gpu.backends.core.cuda.store import MachineCode  # noqa: E402
from debruijn_gpu.backends.core.deferred import Deferred, Function  # noqa: E402

MADE = MachineCode("the_name", b"code\0 and more\0")
ARGUMENTS = [(np.dtype(np.uint64), 1), (np.dtype(np.int64), 0)]


def made_with(*values):
    """A kernel that closes over values."""

    def closing(x):
        return x, values

    return Kernel(closing)


def path_of(place, capability="90"):
    """The only file of a capability."""
    (path,) = (place / f"sm_{capability}").iterdir()
    return path


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


def test_kernels_of_other_values_are_others(store_place, compiled):
    values = [0, 1, np.uint64(1), (1,), Deferred("a", "b"), Function(path_of), Function(path_of, inline=True)]
    names = {kernel_store.name_of(made_with(value), "u8") for value in values}
    assert len(names) == len(values)
    assert kernel_store.name_of(made_with(1), "u8") in names


def test_what_does_not_load_is_compiled_in_this_process(store_place, compiled, monkeypatch):
    function, asked = made_with(1), []
    store.make(function, ARGUMENTS, "90")
    monkeypatch.setattr(store.ahead, "compile_elsewhere", lambda *args: bool(asked.append(args)))
    assert store.make(function, ARGUMENTS, "90", is_missing=False) == MADE
    assert (len(compiled), asked) == (2, [])
    store.make(function, ARGUMENTS, "90")
    assert (len(compiled), len(asked)) == (3, 1)


def test_what_was_compiled_here_comes_before_what_is_installed(store_place, compiled, forget):
    name = kernel_store.name_of(made_with(1), store.signature_of(ARGUMENTS))
    kernel_store.INSTALLED.mkdir()
    other = MachineCode("installed", b"code")
    (kernel_store.INSTALLED / "sm_90").write_bytes(kernel_store.pack({name: store.packed(other)}))
    forget()
    assert store.load(made_with(1), ARGUMENTS, "90") == other
    store.make(made_with(1), ARGUMENTS, "90", is_missing=False)
    assert store.load(made_with(1), ARGUMENTS, "90") == MADE


@pytest.mark.parametrize("value", [np.zeros((1 << 17) + 1), [1], {}, object()])
def test_kernels_of_what_no_text_describes_are_refused(store_place, compiled, value):
    for ask in (store.load, store.make):
        with pytest.raises(TypeError, match="kernels cannot use"):
            ask(made_with(value), ARGUMENTS, "90")


def test_what_is_kept_is_found(store_place, compiled):
    function = made_with(1)
    assert store.load(function, ARGUMENTS, "90") is None
    assert store.make(function, ARGUMENTS, "90") == MADE
    assert store.load(function, ARGUMENTS, "90") == MADE
    assert compiled == [(function, ARGUMENTS)]
    assert path_of(store_place).name.startswith("closing-")
    assert store.load(made_with(2), ARGUMENTS, "90") is None
    assert store.load(function, ARGUMENTS[:1], "90") is None
    assert store.load(function, ARGUMENTS, "80") is None


@pytest.mark.parametrize(
    ("made", "taken", "refused"),
    [
        ("80", ["80", "86", "89"], ["75", "90", "100"]),
        ("86", ["86", "89"], ["80", "90"]),
        ("100", ["100", "103"], ["90", "110", "120"]),
        ("120", ["120", "121"], ["100", "90"]),
    ],
)
def test_code_of_a_smaller_minor_number_is_taken(store_place, compiled, made, taken, refused):
    function = made_with(1)
    store.make(function, ARGUMENTS, made)
    assert [store.load(function, ARGUMENTS, capability) for capability in taken] == [MADE] * len(taken)
    assert [store.load(function, ARGUMENTS, capability) for capability in refused] == [None] * len(refused)


def test_code_of_the_device_itself_comes_first(store_place, compiled):
    function = made_with(1)
    name = kernel_store.name_of(function, store.signature_of(ARGUMENTS))
    for capability in ("80", "86"):
        kernel_store.keep(f"sm_{capability}", name, store.packed(MachineCode(capability, b"code")))
    assert store.load(function, ARGUMENTS, "86").name == "86"
    assert store.load(function, ARGUMENTS, "89").name == "86"
    path_of(store_place, "86").write_bytes(b"damaged")
    assert store.load(function, ARGUMENTS, "89").name == "80"


def test_code_that_is_installed_is_taken(store_place, compiled):
    function = made_with(1)
    name = kernel_store.name_of(function, store.signature_of(ARGUMENTS))
    kernel_store.INSTALLED.mkdir()
    (kernel_store.INSTALLED / "sm_80").write_bytes(kernel_store.pack({name: store.packed(MADE)}))
    assert store.load(function, ARGUMENTS, "86") == MADE
    assert not compiled


@pytest.mark.parametrize("keep", [0, 1, 4, 5, 12, -1])
def test_cut_files_are_none(store_place, compiled, keep):
    store.make(made_with(1), ARGUMENTS, "90")
    path = path_of(store_place)
    path.write_bytes(path.read_bytes()[:keep])
    assert store.load(made_with(1), ARGUMENTS, "90") is None
    store.make(made_with(1), ARGUMENTS, "90")
    assert store.load(made_with(1), ARGUMENTS, "90") == MADE


def test_damaged_files_are_none(store_place, compiled):
    store.make(made_with(1), ARGUMENTS, "90")
    path = path_of(store_place)
    content = bytearray(path.read_bytes())
    for at in range(len(content)):
        content[at] ^= 4
        path.write_bytes(content)
        assert store.load(made_with(1), ARGUMENTS, "90") is None
        content[at] ^= 4


def test_without_a_place(monkeypatch, store_place, compiled):
    monkeypatch.setattr(kernel_store, "place", lambda: CachePlace(None, None))
    assert store.make(made_with(1), ARGUMENTS, "90") == MADE
    assert store.load(made_with(1), ARGUMENTS, "90") is None


def test_kernels_without_source_are_compiled_and_not_kept(store_place, compiled):
    function = Kernel(lambda x: x)
    assert store.make(function, ARGUMENTS, "90") == MADE
    assert store.load(function, ARGUMENTS, "90") is None
    assert not list(store_place.iterdir())


def test_a_place_that_cannot_be_written(store_place, compiled, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("full")

    monkeypatch.setattr(os, "replace", fail)
    assert store.make(made_with(1), ARGUMENTS, "90") == MADE
    assert list((store_place / "sm_90").iterdir()) == []
    monkeypatch.setattr(kernel_store.tempfile, "mkstemp", fail)
    assert store.make(made_with(1), ARGUMENTS, "90") == MADE


def test_a_signature_names_all_arguments():
    arguments = [(np.dtype(dtype), n) for dtype in ("?", "i1", "u2", "i4", "u8", "f4", "f8") for n in range(4)]
    text = store.signature_of(arguments)
    assert text.startswith("b1,b1:1C,b1:2C,b1:3C,i1,")
    assert store.arguments_of(text) == arguments
    assert store.arguments_of(store.signature_of([])) == []


def test_packed_code_is_unpacked():
    assert store.unpacked(store.packed(MADE)) == MADE


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
