"""Checks of distributions notice what they are for."""

from __future__ import annotations

import json

import numpy as np
import pytest

from debruijn_gpu.backends.core import build, kernel_store
from debruijn_gpu.backends.core.cpu import levels
from debruijn_gpu.backends.core.cpu.compiler import compile_function
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.manifest import Row
from debruijn_gpu.version import __version__
from tests.packaging import checking
from tests.packaging.building import ROOT
from tests.packaging.elf import undefined_symbols


@kernel
def _copy(numbers, n):
    if n < 0:
        raise ValueError("negative")
    found = np.empty(n, np.int64)
    for i in range(n):
        found[i] = numbers[i]
    np.negative(numbers, found)  # with a check of lengths, whose message names a file of numba's
    return found


@pytest.fixture(scope="module")
def code():
    """Machine code of a kernel that allocates and raises, as do functions of numba in it."""
    return compile_function(_copy, "i8:1C,i8", "copy", levels.level()).code


def test_kernels_need_the_c_library_alone(code):
    kept = json.dumps({}).encode() + b"\n" + code
    assert list(checking.problems_of_kernel(levels.level(), kept)) == []
    assert "malloc" in undefined_symbols(code)


def test_undefined_symbol_is_a_problem(code):
    renamed = code.replace(b"\0malloc\0", b"\0xalloc\0")
    problems = list(checking.problems_of_kernel(levels.level(), b"{}\n" + renamed))
    assert problems == ["needs xalloc"]


def test_machine_code_names_no_directory(code):
    assert list(checking.problems_of_paths({"code": code})) == []
    assert b"numba" not in code
    assert list(checking.problems_of_paths({"code": f"{ROOT}/setup.py".encode()})) != []


def test_symbols_are_read_from_elf_files_alone():
    with pytest.raises(ValueError, match="no ELF file"):
        undefined_symbols(b"!<arch>\n")


def test_damaged_machine_code_is_refused():
    packed = kernel_store.pack({"a": b"code"})
    assert checking.kernels_in(packed) == {"a": b"code"}
    with pytest.raises(ValueError, match="damaged"):
        checking.kernels_in(packed[:-1] + b"?")


def test_missing_metadata_is_a_problem():
    problems = list(checking.problems_of_metadata("Name: debruijn_gpu\n\nText"))
    assert "Version is missing in the metadata" in problems
    assert "Homepage is no project URL" in problems
    assert "Python 3.10 is no classifier" in problems


def test_targets_that_cannot_be_compiled_are_left_out_unless_named(monkeypatch, tmp_path):
    row = Row("cpu", "sequences.cpu.look_and_say", "no_such_kernel", "i8")

    def refuse(target, directory):
        if build.backend_of(target) == "cuda":
            raise build.NotCompiledError("no compiler")
        directory.mkdir(exist_ok=True)
        return (directory / target).write_bytes(b"1")

    monkeypatch.setattr(build, "build", refuse)
    left_out = build.build_all(tmp_path / "kernels", ())
    assert set(left_out.values()) == {"no compiler"}
    assert {*left_out, *(path.name for path in (tmp_path / "kernels").iterdir())} == set(build.default_targets())
    with pytest.raises(build.NotCompiledError, match="sm_90: no compiler"):
        build.build_all(tmp_path, ["sm_90"])
    monkeypatch.undo()
    with pytest.raises((build.NotCompiledError, AttributeError)):
        build.build(levels.level(), tmp_path, [row])
    with pytest.raises(build.NotCompiledError, match="the manifest has no kernels"):
        build.build(levels.level(), tmp_path, [])


def test_citation_names_this_version():
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    fields = dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith(" "))
    assert fields["cff-version"] == "1.2.0"
    assert fields["version"] == __version__
    assert fields["license"] == "MIT"
    assert fields["type"] == "software"
    project = (ROOT / "pyproject.toml").read_text()
    author = next(line.partition("name: ")[2] for line in lines if line.startswith("  - name: "))
    assert f'name = "{author}"' in project
    keywords = [line[4:] for line in lines[lines.index("keywords:") + 1 :]]
    assert "keywords = [" + ", ".join(f'"{keyword}"' for keyword in keywords) + "]" in project
