"""Machine code of kernels: loaded without numba, for levels of processors, and needing nothing but the C library."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.backends.core import kernel_names, kernel_store, manifest
from debruijn_gpu.backends.core.cpu import levels, store
from debruijn_gpu.backends.core.cpu.arguments import signature_of
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel
from tests.packaging.elf import undefined_symbols

ROOT = Path(__file__).parents[3]
on_x86 = pytest.mark.skipif(levels.architecture() != "x86-64", reason="levels of x86-64")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads ELF files")

#: What a process has without numba: the C library, and its mathematical functions.
ALLOWED = {"malloc", "free", "memcpy", "memmove", "memset", "bcmp"}
MATHEMATICS = {"acos", "asin", "atan", "atan2", "ceil", "cos", "exp", "floor", "fmod", "log", "log10", "log2", "pow"}
MATHEMATICS |= {"round", "sin", "sqrt", "tan", "trunc"}


@inlined_kernel
def mix(x):
    return (x ^ (x >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)


@kernel
def mix_all(values, factor):
    """Allocates, calls, multiplies floats, and fails for an empty array."""
    if not values.size:
        raise ValueError("no values", 7)
    mixed = np.empty(values.size, np.uint64)
    total = 0.0
    for i in range(values.size):
        mixed[i] = mix(values[i])
        total += factor * values[i] + 0.1
    return mixed, total, np.log(total)


VALUES = np.arange(1, 1000, dtype=np.uint64)
SIGNATURE = signature_of([VALUES, 0.3])
CALL = """
import sys
import numpy as np
from tests.backends.core.test_machine_code import mix_all
mixed, total, logarithm = mix_all(np.arange(1, 1000, dtype=np.uint64), 0.3)
print(int(mixed.sum()), total, logarithm, mixed.dtype)
try:
    mix_all(np.empty(0, np.uint64), 0.3)
except ValueError as error:
    print(error.args)
print("numba" in sys.modules)
"""


def run_call(tmp_path) -> list[str]:
    """Run `CALL` in another process, which finds the store; return the lines that it prints."""
    (tmp_path / "call.py").write_text(CALL)
    done = subprocess.run(
        [sys.executable, tmp_path / "call.py"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def expected_lines() -> list[str]:
    mixed, total, logarithm = kernel(mix_all.py_func)(VALUES, 0.3)
    with np.errstate(over="ignore"):
        assert mixed.tolist() == [int(mix.py_func(value)) for value in VALUES]
    return [f"{int(mixed.sum())} {total} {logarithm} uint64", "('no values', 7)"]


@pytest.mark.process
def test_a_stored_kernel_runs_without_numba(module_store, tmp_path):
    expected = expected_lines()
    assert list((module_store / levels.level()).glob("mix_all-*"))
    assert run_call(tmp_path) == [*expected, "False"]


@pytest.mark.process
def test_a_kernel_that_is_missing_is_compiled(store_place, tmp_path):
    first, second = run_call(tmp_path), run_call(tmp_path)
    assert first[:-1] == second[:-1]
    assert (first[-1], second[-1]) == ("True", "False")


def test_levels_are_ordered_by_their_instructions():
    found = list(levels.X86_LEVELS.values())
    assert all(higher > lower for higher, lower in pairwise(found))
    assert list(levels.X86_LEVELS) == ["x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"]


@on_x86
def test_this_processor_runs_code_of_its_level_and_below():
    assert levels.level() in levels.X86_LEVELS
    assert store.targets()[-1] == levels.level()
    assert levels.native().startswith("native-")


@pytest.mark.parametrize(
    ("machine", "name"),
    [("x86_64", "x86-64"), ("AMD64", "x86-64"), ("arm64", "aarch64"), ("aarch64", "aarch64"), ("riscv64", "riscv64")],
)
def test_architectures_have_one_name_on_all_systems(monkeypatch, machine, name):
    monkeypatch.setattr(levels.platform, "machine", lambda: machine)
    assert levels.architecture() == name
    if name != "x86-64":
        assert levels.level.__wrapped__() == name


def result_of_level(level):
    """What `mix_all` returns when it is compiled for a level."""
    name = f"level-{level}"
    with pytest.MonkeyPatch.context() as changed:
        content = store.content_of(mix_all, SIGNATURE, name, level)
        changed.setattr(store, "find_or_compile", lambda function, signature: store._load(content, name))
        changed.setattr("debruijn_gpu.backends.core.cpu.decorators.find_or_compile", store.find_or_compile)
        return kernel(mix_all.py_func)(VALUES, 0.3), content


def runnable():
    """Levels of this processor, and itself."""
    names = list(levels.X86_LEVELS)
    return [*names[names.index(levels.level()) :], levels.native()] if levels.level() in names else [levels.native()]


def test_all_levels_give_the_same(module_store):
    expected = kernel(mix_all.py_func)(VALUES, 0.3)
    for level in runnable():
        (mixed, total, logarithm), _ = result_of_level(level)
        assert np.array_equal(mixed, expected[0])
        assert (total, logarithm) == expected[1:]


@on_x86
def test_levels_have_other_code(module_store):
    contents = [store.content_of(mix_all, SIGNATURE, "same-1", level) for level in ("x86-64", "x86-64-v2", "x86-64-v3")]
    assert len(set(contents)) > 1


def test_code_for_this_very_processor_comes_first(store_place, forget):
    assert store.targets() == (levels.level(),)
    (store_place / levels.native()).mkdir()
    forget()
    assert store.targets() == (levels.native(), levels.level())


@on_linux
def test_the_reader_finds_undefined_symbols(module_store):
    _, content = result_of_level(levels.level())
    assert undefined_symbols(content.partition(b"\n")[2]) >= {"malloc", "log"}


@on_linux
@pytest.mark.slow
def test_stored_kernels_need_nothing_but_the_c_library(tmp_path):
    """Of all kernels that commands of some families take."""
    kernel(mix_all.py_func)(VALUES, 0.3)
    (tmp_path / "numbers.txt").write_text("3\n1\n2.5\n")
    (tmp_path / "reads.fa").write_text(">a\nACGTTGCATGCCATGACTTGACACGTTGAC\n")
    for arguments in (["histogram", "numbers.txt"], ["count", "-k", "5", "reads.fa", "-o", "counts.tsv"]):
        command = [sys.executable, "-m", "debruijn_gpu", *arguments, "-q", "--backend", "cpu"]
        subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, check=True
        )
    rows = manifest.read()
    taken = [row for name in ("histogram", "count 1w") for row in manifest.for_scenario(rows, name, "cpu")]
    names = {kernel_store.name_of(kernel_names.find(row.module, row.path), row.signature) for row in taken}
    kept = {name: kernel_store.find(levels.level(), name) for name in names}  # None: for other options of theirs
    stored = {name: content for name, content in kept.items() if content is not None}
    assert len(stored) > 10
    for name, content in stored.items():
        needed = undefined_symbols(content.partition(b"\n")[2])
        assert needed <= ALLOWED | MATHEMATICS | {f"{name}f" for name in MATHEMATICS}, name
