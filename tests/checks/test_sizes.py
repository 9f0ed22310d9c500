"""The check of sizes counts lines of modules and functions, without docstrings."""

from __future__ import annotations

import pytest

from tests.checks import sizes

BODY = "    x = 1\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 1\n" * 300, []),
        ("x = 1\n" * 301, [1]),
        ("def f():\n" + BODY * 39, []),
        ("\n\n@decorated(\n)\ndef f():\n" + BODY * 40, [5]),
        ('def f():\n    """One.\n\n    Two.\n    """\n' + BODY * 39, []),
        ('def f(\n    a,\n):\n    """One."""\n' + BODY * 38, [1]),
        ("class A:\n    def f(self):\n" + "        x = 1\n" * 40, [2]),
        ("async def f():\n" + BODY * 40, [1]),
    ],
)
def test_long_modules_and_functions(text, found):
    assert [line for line, _message in sizes.check_text(text)] == found


def test_findings_are_printed_and_fail(tmp_path, capsys):
    (tmp_path / "debruijn_gpu").mkdir()
    (tmp_path / "debruijn_gpu" / "a.py").write_text("x = 1\n")
    assert sizes.main(tmp_path) == 0
    (tmp_path / "debruijn_gpu" / "b.py").write_text("x = 1\n" * 301)
    assert sizes.main(tmp_path) == 1
    assert capsys.readouterr().out == "debruijn_gpu/b.py:1: module of 301 lines -> split it, 300 at most\n"
