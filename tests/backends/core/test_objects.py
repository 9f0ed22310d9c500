"""Object files that are loaded without LLVM's loader."""

from __future__ import annotations

import ctypes
import platform
import sys

import pytest

from debruijn_gpu.backends.core.cpu import levels
from debruijn_gpu.backends.core.cpu.objects import NotLoadableError, load_object

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="object files of x86-64 Linux"
)

ADDS = """
@table = internal constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
define i64 @add(i64 %i, i64 %more) {
  %place = getelementptr [4 x i64], ptr @table, i64 0, i64 %i
  %found = load i64, ptr %place
  %sum = add i64 %found, %more
  ret i64 %sum
}
"""
CALLS = """
declare i64 @labs(i64)
define i64 @size(i64 %x) {
  %found = call i64 @labs(i64 %x)
  ret i64 %found
}
"""
UNKNOWN = CALLS.replace("labs", "no_such_function")
WRITES = "@state = global i64 3\n" + ADDS


def compiled(text: str) -> bytes:
    import llvmlite.binding as llvm

    machine = levels.target_machine("x86-64")
    module = llvm.parse_assembly(text)
    return bytes(machine.emit_object(module))


def test_constants_of_an_object_are_found():
    add = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(load_object(compiled(ADDS), "add"))
    assert [add(i, 1) for i in range(4)] == [11, 21, 31, 41]


def test_functions_of_the_c_library_are_found():
    size = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(load_object(compiled(CALLS), "size"))
    assert size(-5) == 5


@pytest.mark.parametrize("text", [UNKNOWN, WRITES])
def test_objects_that_need_a_linker_are_refused(text):
    with pytest.raises(NotLoadableError):
        load_object(compiled(text), "size" if text == UNKNOWN else "add")


@pytest.mark.parametrize("content", [b"", b"\xcf\xfa\xed\xfe" + bytes(100), b"\x7fELF\x02\x01\x01" + bytes(100)])
def test_other_files_are_refused(content):
    with pytest.raises(NotLoadableError):
        load_object(content, "add")


def test_numpy_and_llvm_agree_on_the_level_of_the_processor(monkeypatch):
    by_numpy = levels.level()
    levels.level.cache_clear()
    monkeypatch.setattr(levels, "__cpu_features__", {})
    assert levels.level() == by_numpy
    levels.level.cache_clear()
