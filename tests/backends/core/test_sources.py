"""Source of functions as digests take it: whole, and nothing else."""

from __future__ import annotations

import os
import types
from textwrap import dedent

import pytest

from debruijn_gpu.backends.core.digests import source_of

_LONG_AGO = 1_000_000_000
FUNCTIONS = {
    "last line": "def f(x):\n    return x",
    "one line": "def f(x): return x",
    "docstring only": 'def f(x):\n    """Nothing."""',
    "decorated, docstring only": '@same\ndef f(x):\n    """Nothing."""',
    "decorators": "@same\n@same\ndef f(x):\n    return x",
    "a decorator of several lines": "@make(\n    1,\n)\n# a comment\n@same\ndef f(x):\n    return x",
    "a head of several lines": "def f(\n    x,\n    y=(\n        1\n    ),\n) -> int:\n    y = 1\n    return x",
    "a nested function": "def f(x):\n    def g(y):\n        return y\n    return g(x)",
    "a nested function at the end": "def f(x):\n    def g(y):\n        return y\n    x = (\n        1\n    )",
    "a comment at the margin": "def f(x):\n    y = x\n# why\n    return y",
    "a text at the margin": 'def f(x):\n    y = """\nmargin\n"""\n    return y',
    "blank lines": "def f(x):\n\n    y = x\n\n\n    return y",
    "a form feed": "def f(x):\n    y = x\n    '\x0c'\n    return y",
    "branches": "def f(x):\n    if x:\n        return 1\n    else:\n        return 2",
}
BEFORE = "def same(f): return f\ndef make(n): return same\nBEFORE = 1\n"
AFTERS = ["", "\n", "\nAFTER = (\n    1\n)\n", "\n@same\ndef g(x):\n    return x\n", "\n# a comment\nclass C: pass\n"]


def code_of(function: str, name: str) -> types.CodeType:
    namespace = {}
    exec(compile(function, name, "exec"), namespace)
    return namespace["f"].__code__


@pytest.mark.parametrize("after", AFTERS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_source_is_that_of_the_function_alone(tmp_path, name, after):
    path = tmp_path / "kernels.py"
    path.write_text(BEFORE + FUNCTIONS[name] + after)
    os.utime(path, (_LONG_AGO, _LONG_AGO))
    expected = [line for line in FUNCTIONS[name].split("\n") if line]
    assert source_of(code_of(path.read_text(), str(path))).split("\n") == expected


def test_methods_and_nested_functions_have_their_own_source(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(
        dedent(
            """
            def outer(n):
                def one(x):
                    return x + n

                def two(x):
                    return x - n
                return one, two
            f = outer(1)[0]
            """
        )
    )
    os.utime(path, (_LONG_AGO, _LONG_AGO))
    assert source_of(code_of(path.read_text(), str(path))) == "    def one(x):\n        return x + n"


@pytest.mark.parametrize("content", [None, "", "\n", "def f(x):\n"])
def test_a_missing_or_shorter_file_has_no_source(tmp_path, content):
    path = tmp_path / "kernels.py"
    if content is not None:
        path.write_text(content)
        os.utime(path, (_LONG_AGO, _LONG_AGO))
    code = code_of("\ndef f(x):\n    return x\n\n", str(path))
    with pytest.raises(OSError, match=r"No such file|has changed"):
        source_of(code)
