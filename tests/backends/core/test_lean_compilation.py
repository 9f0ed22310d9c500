"""Compilation without machine code for this process: numba is as before afterwards, and for other threads."""

from __future__ import annotations

import contextlib
import threading

import numba
import numpy as np
import pytest
from numba.core import codegen, cpu

from debruijn_gpu.backends.core.cpu import compiler, lean_compilation, levels
from debruijn_gpu.backends.core.cpu.arguments import signature_of
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.deferred import NotKeptError

VALUES = np.arange(1, 100, dtype=np.int64)


@kernel
def checked(value, most):
    if value > most:
        raise ValueError("too large")
    return value


@kernel
def total(values, most):
    found = np.int64(0)
    for value in values:
        found += checked(value, most)
    return found


@kernel
def doubled(values, most):
    return 2 * total(values, most)


def compiled(function):
    return compiler.compile_function(function, signature_of([VALUES, np.int64(99)]), "kernel", levels.level())


def test_numba_calls_functions_that_were_compiled_without_machine_code():
    assert compiled(total).code
    for function, factor in ((total, 1), (doubled, 2)):
        in_its_own_way = compiler.callable_of(function)
        assert in_its_own_way(VALUES, 99) == factor * VALUES.sum()
        with pytest.raises(ValueError, match="too large"):
            in_its_own_way(VALUES, 98)


def test_what_is_replaced_is_put_back():
    def replaced():
        return [getattr(*each) for each in lean_compilation._NAMES]

    before = replaced()
    compiled(total)
    assert replaced() == before
    with contextlib.suppress(InterruptedError), lean_compilation.functions_once():
        assert replaced() != before
        raise InterruptedError
    assert replaced() == before
    assert {codegen.CPUCodeLibrary, cpu.CPUContext} == {owner for owner, _ in lean_compilation._NAMES}


def test_other_threads_compile_as_ever():
    failures = []

    def compile_and_call():
        for i in range(5):
            function = numba.njit(lambda x, i=i: x + i)
            if function(1) != 1 + i:
                failures.append(i)

    thread = threading.Thread(target=compile_and_call)
    thread.start()
    for function in (checked, total, doubled) * 3:
        arguments = [np.int64(1)] if function is checked else [VALUES]
        compiler.compile_function(function, signature_of([*arguments, np.int64(99)]), "kernel", levels.level())
    thread.join()
    assert not failures


def test_a_numba_with_other_names_compiles_in_its_own_way(monkeypatch):
    expected = compiled(doubled)
    monkeypatch.setattr(lean_compilation, "_IS_KNOWN", False)
    assert compiled(doubled).result == expected.result


def test_a_numba_without_the_names_that_are_needed_keeps_nothing(monkeypatch):
    def without(library):
        raise AttributeError("_final_module")

    monkeypatch.setattr(compiler, "optimised", without)
    with pytest.raises(NotKeptError):
        compiled(total)
