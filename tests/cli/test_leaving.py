"""How a process of the command ends: at once, with all that it wrote."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

AT_EXIT = """
import atexit, sys
atexit.register(print, "taken down")
sys.argv = ["dbg", "sort", "-"]
{}
from debruijn_gpu.__main__ import main
main()
"""


def end_of(before: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT.format(before)], input="2\n1\n", capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.split("\n")[:-1]


def test_output_is_complete_and_the_interpreter_is_not_taken_down():
    assert end_of("") == (0, ["1", "2"])


def test_debuggers_and_profilers_see_the_end():
    assert end_of("sys.setprofile(lambda *_: None)") == (0, ["1", "2", "taken down"])


def test_exit_code_is_that_of_the_error():
    done = subprocess.run([sys.executable, "-m", "debruijn_gpu", "sort", "/nowhere"], capture_output=True, check=False)
    assert done.returncode == 65
    assert b"/nowhere" in done.stderr
