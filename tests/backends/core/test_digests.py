"""Digests of kernels: everything that machine code is made of changes them, and nothing else."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import types
from functools import partial
from itertools import count
from textwrap import dedent

import numpy as np
import pytest

from debruijn_gpu.backends.core import digests
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel, lean_kernel
from debruijn_gpu.backends.core.deferred import Deferred, Function
from debruijn_gpu.backends.core.digests import digest_of

_LONG_AGO = 1_000_000_000

TEXT = '''
from collections import namedtuple
from math import sqrt
import numpy as np
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel, lean_kernel

SIZE = np.uint64(5)
TABLE = np.arange(4)
Pair = namedtuple("Pair", "first second")
PAIR = Pair(1, 2)

def plain(x):
    return x + 1

@lean_kernel
def leaf(x, step=1):
    """A docstring."""
    return plain(x) * SIZE + step

def closing(value):
    @kernel
    def inner(x):
        return x + value
    return inner

add = closing(3)

@kernel
def middle(x):
    return leaf(x) + add(x)

@kernel
def top(x):
    return middle(x) + Pair(x, PAIR.second).first

@kernel
def table(x):
    return TABLE[x] + sqrt(x)
'''
KERNELS = ("leaf", "add", "middle", "top", "table")


@pytest.fixture
def load(tmp_path):
    """A function that makes a module of a text: one of the name ``kernels``, in a file of its own."""
    numbers = count()

    def load(text):
        path = tmp_path / f"{next(numbers)}.py"
        path.write_text(dedent(text))
        os.utime(path, (_LONG_AGO, _LONG_AGO))
        spec = importlib.util.spec_from_file_location("kernels", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("return x + 1", "return x + 2", "leaf middle top"),
        ("+ step", "- step", "leaf middle top"),
        ("uint64(5)", "uint64(6)", "leaf middle top"),
        ("uint64(5)", "int64(5)", "leaf middle top"),
        ("@lean_kernel", "@kernel", "leaf middle top"),
        ("@lean_kernel", "@inlined_kernel", "leaf middle top"),
        ("closing(3)", "closing(4)", "add middle top"),
        ("closing(3)", "closing(3.0)", "add middle top"),
        ("arange(4)", "arange(5)", "table"),
        ("arange(4)", "arange(4).astype('u8')", "table"),
        ("arange(4)", "arange(4).reshape(2, 2)", "table"),
        ("from math", "from cmath", "table"),
        ("return leaf(x) + add(x)", "return add(x) + leaf(x)", "middle top"),
        ('"first second"', '"first second third", defaults=[0]', "top"),
        ('"first second"', '"second first"', "top"),
        ("Pair(1, 2)", "Pair(1, 3)", "top"),
    ],
)
def test_a_change_changes_the_digests_of_all_that_depend_on_it(load, old, new, changed):
    before, after = load(TEXT), load(TEXT.replace(old, new, 1))
    found = {name for name in KERNELS if digest_of(getattr(before, name)) != digest_of(getattr(after, name))}
    assert found == set(changed.split())


@pytest.mark.parametrize("name", ["N", "n"])
def test_a_default_of_a_name_changes_the_digest(load, name):
    text = "from debruijn_gpu.backends.core.cpu.decorators import kernel\n{name} = {value}\n"
    text += "@kernel\ndef f(x, {star}y={name}): return x + y\n"
    for star in ("", "*, "):
        a, b, c = (load(text.format(name=name, value=value, star=star)).f for value in (1, 1, 2))
        assert digest_of(a) == digest_of(b) != digest_of(c)


def test_text_elsewhere_does_not_matter(load):
    """Neither the lines above and below a function, nor comments between functions, nor its file."""
    other = '"""What this is."""\n\n# a comment\n' + TEXT.replace("\n@kernel", "\n# a comment\n\n\n@kernel")
    before, after = load(TEXT), load(other + "\nUNUSED = [1]\ndef another(x):\n    return UNUSED\n")
    for name in KERNELS:
        assert digest_of(getattr(before, name)) == digest_of(getattr(after, name))


def test_the_order_of_questions_does_not_matter(load):
    a, b = load(TEXT), load(TEXT)
    found = {name: digest_of(getattr(a, name)) for name in KERNELS}
    assert {name: digest_of(getattr(b, name)) for name in reversed(KERNELS)} == found
    assert len(set(found.values())) == len(KERNELS)


def test_bytecode_does_not_matter(load):
    """Another Python has other bytecode for the same source."""
    module, other = load(TEXT), load(TEXT)
    for name in KERNELS:
        function = getattr(other, name)
        code = function.py_func.__code__
        function.py_func.__code__ = code.replace(co_code=code.co_code + code.co_code[-2:], co_stacksize=99)
        assert digest_of(function) == digest_of(getattr(module, name))


@pytest.mark.process
def test_processes_agree(tmp_path):
    (tmp_path / "kernels.py").write_text(TEXT)
    code = f"import kernels; from debruijn_gpu.backends.core.digests import digest_of; names = {KERNELS}\n"
    code += "print(*(digest_of(getattr(kernels, name)) for name in names))"
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1
    assert len(set(found.pop().split())) == len(KERNELS)


RECURSIVE = """
from debruijn_gpu.backends.core.cpu.decorators import kernel

@kernel
def alone(n):
    return alone(n - 1) if n else 0

@kernel
def even(n):
    return odd(n - 1) if n else True

@kernel
def odd(n):
    return even(n - 1) if n else False

@kernel
def caller(n):
    return even(n) or odd(n) or alone(n)
"""


def test_recursion_ends_and_does_not_depend_on_where_it_is_entered(load):
    names = ("alone", "even", "odd", "caller")
    a, b, c, d = (load(RECURSIVE), load(RECURSIVE), *(load(RECURSIVE.replace("False", x)) for x in ("True", "False ")))
    found = [digest_of(getattr(a, name)) for name in names]
    assert [digest_of(getattr(b, name)) for name in reversed(names)] == found[::-1]
    assert [digest_of(getattr(c, name)) == digest for name, digest in zip(names, found, strict=True)] == [
        True, False, False, False
    ]  # fmt: skip
    assert digest_of(d.alone) == found[0]
    assert len(set(found)) == len(found)


def test_functions_of_one_text_differ_by_what_they_close_over():
    def wrap(inner):
        def outer(x):
            return inner(x)

        return Function(outer)

    def one(x):
        return x + 1

    def two(x):
        return x + 2

    chains = [wrap(Function(one)), wrap(Function(two)), wrap(wrap(Function(one))), wrap(wrap(Function(two)))]
    assert len(set(map(digest_of, chains))) == len(chains)


def test_options_change_the_digest():
    def one(x):
        return x

    made = [kernel, lean_kernel, inlined_kernel, partial(kernel, forceinline=True)]
    assert len({digest_of(decorate(one)) for decorate in made}) == len(made)


def closing_over(*values):
    def inner():
        return values

    return Function(inner)


def test_values_of_other_types_are_others():
    values = [0, 1, True, 1.0, -0.0, 0.0, None, "1", b"1", np.uint64(1), np.int64(1), (1,), ((1,),), np.add, len]
    values += [np.dtype("i4"), np.int32, Deferred("a", "b"), Deferred("a", "c"), np.zeros(1), np.zeros((1, 1)), np]
    found = [digest_of(closing_over(value)) for value in values]
    assert len(set(found)) == len(values)
    assert digest_of(closing_over(0, 1)) not in found


@pytest.mark.parametrize(
    "value", [[1], {}, {1}, object(), 1j, np.zeros((1 << 17) + 1), np.array([None]), types.SimpleNamespace(), digests]
)
def test_values_that_no_text_describes_are_refused(value):
    with pytest.raises(TypeError, match="kernels cannot use"):
        digest_of(closing_over(value))


def test_an_array_of_a_mebibyte_is_taken():
    assert digest_of(closing_over(np.zeros(1 << 17)))


def test_functions_without_source_have_no_digest(tmp_path, load):
    namespace = {}
    exec("def typed(x):\n    return x", namespace)
    for function in (namespace["typed"], lambda x: x):
        assert digest_of(Function(function)) is None
        assert digest_of(closing_over(Function(function))) is None
    written_now = load(TEXT)
    os.utime(written_now.__file__)  # the process may run an older text
    assert digest_of(written_now.top) is None


def test_the_text_of_a_deferred_module_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(digests, "_OWN", "own_")
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for name, text in (("own_one", "A = 1\n"), ("own_one", "A = 2\n"), ("foreign_one", "A = 1\n")):
        (tmp_path / f"{name}.py").write_text(text)
        digests._module_digest.cache_clear()
        importlib.invalidate_caches()
        found.append(digest_of(closing_over(Deferred(name, "A"))))
        assert digest_of(closing_over(closing_over(Deferred(name, "A")))) not in found
    assert len(set(found)) == 3
    assert digest_of(closing_over(Deferred("own_missing", "A"))) is None
    assert "own_one" not in sys.modules


def test_functions_of_compiled_modules_take_the_constants_of_their_backend(load):
    text = "STEP = {}\ndef step(x):\n    return x + STEP + extra(x)\ndef extra(x):\n    return x\n"
    made = [compile_module(kernel, load(text.format(1))), compile_module(kernel, load(text.format(2)))]
    made += [compile_module(kernel, load(text.format(1)), STEP=2), compile_module(kernel, load(text.format(1)), STEP=3)]
    steps = [digest_of(functions.step) for functions in made]
    assert steps[0] != steps[1] == steps[2] != steps[3]
    assert len({digest_of(functions.extra) for functions in made}) == 1
