"""Compiled kernels that cannot be written or read, and kernels that are asked for by many at once."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.backends.core import cache_place, kernel_store
from debruijn_gpu.backends.core.cpu import compiler, levels
from debruijn_gpu.backends.core.cpu.decorators import kernel

ROOT = Path(__file__).parents[3]


def function_of_a_user(x):
    return x + 1


@pytest.fixture
def compiled(monkeypatch):
    """Names of the functions that were compiled."""
    names: list[str] = []
    compile_function = compiler.compile_function

    def note(function, *args):
        names.append(function.py_func.__name__)
        return compile_function(function, *args)

    monkeypatch.setattr(compiler, "compile_function", note)
    return names


def test_a_full_disk_is_no_error(store_place, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "mkstemp", fail)
    assert kernel(function_of_a_user)(1) == 2
    assert not [path for path in store_place.rglob("*") if path.is_file()]


def test_a_kernel_is_compiled_once_for_each_type(store_place, compiled, forget):
    ours, again = kernel(function_of_a_user), kernel(function_of_a_user)
    assert [ours(1), ours(2), again(3), ours(np.int64(4))] == [2, 3, 4, 5]
    assert len(compiled) == 1
    assert ours(1.5) == 2.5
    assert len(compiled) == 2
    forget()
    assert kernel(function_of_a_user)(1) == 2
    assert len(compiled) == 2
    assert len(list((store_place / levels.level()).iterdir())) == 2


def test_functions_without_source_are_compiled_and_not_kept(store_place, compiled):
    add = kernel(lambda x: x + 2)
    assert [add(1), add(2), add(1.5)] == [3, 4, 3.5]
    assert len(compiled) == 2
    assert not list(store_place.iterdir())


DAMAGES = {
    "empty": lambda content: b"",
    "zeros": lambda content: bytes(len(content)),
    "half": lambda content: content[: len(content) // 2],
    "a flipped bit": lambda content: content[:-9] + bytes([content[-9] ^ 4]) + content[-8:],
    "no checksum": lambda content: content[4:],
    "longer": lambda content: content + b"\0",
    "sealed text": lambda content: cache_place.sealed(b"text"),
    "sealed head": lambda content: cache_place.sealed(cache_place.unsealed(content).partition(b"\n")[0] + b"\n"),
    "another head": lambda content: cache_place.sealed(b"[1]\n" + cache_place.unsealed(content).partition(b"\n")[2]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_compiled_again_once(store_place, compiled, forget, damage):
    assert kernel(function_of_a_user)(1) == 2
    (path,) = (store_place / levels.level()).iterdir()
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    for _ in range(2):
        forget()
        assert kernel(function_of_a_user)(1) == 2
        assert len(compiled) == 2


def test_directories_of_compiled_code_cannot_be_written_by_others(store_place):
    old = os.umask(0)
    try:
        kernel(function_of_a_user)(1)
    finally:
        os.umask(old)
    (path,) = (store_place / levels.level()).iterdir()
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o077 == 0


def test_a_directory_that_others_can_write_to_is_not_used(store_place, compiled, forget):
    kernel(function_of_a_user)(1)
    (store_place / levels.level()).chmod(0o777)
    forget()
    assert kernel(function_of_a_user)(1) == 2
    assert len(compiled) == 2


def test_threads_compile_a_kernel_once(store_place, compiled):
    ours = kernel(function_of_a_user)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ours, range(100))) == [*range(1, 101)]
    assert len(compiled) == 1


def test_an_installed_kernel_is_not_compiled(store_place, compiled, forget):
    kernel(function_of_a_user)(1)
    (path,) = (store_place / levels.level()).iterdir()
    kernel_store.INSTALLED.mkdir()
    content = kernel_store.pack({path.name: cache_place.unsealed(path.read_bytes())})
    (kernel_store.INSTALLED / levels.level()).write_bytes(content)
    path.unlink()
    forget()
    assert kernel(function_of_a_user)(1) == 2
    assert len(compiled) == 1
    assert not path.exists()


@pytest.mark.process
def test_processes_that_compile_at_once_leave_whole_files(store_place):
    code = (
        "from debruijn_gpu.backends.core.cpu.decorators import kernel\n"
        "from tests.backends.core.test_decorators import function_of_a_user\n"
        "print(kernel(function_of_a_user)(1))"
    )
    command = [sys.executable, "-c", code]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0] for process in running] == ["2\n"] * 3
    (path,) = (store_place / levels.level()).iterdir()
    assert cache_place.unsealed(path.read_bytes())
