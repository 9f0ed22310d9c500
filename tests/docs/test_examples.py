"""The examples of README and docs run, and every command is in one of them.

A fenced block marked ``sh`` or ``python`` is run; a block marked ``text`` right behind it is its expected output.
Blocks marked ``console`` are not run: they need a GPU, a network, an installer or other programs.
"""

from __future__ import annotations

import os
import re
import sys

import click
import pytest

from debruijn_gpu import errors
from debruijn_gpu.cli import COMMANDS, group
from debruijn_gpu.run import signals
from tests.docs import running
from tests.docs.pages import PAGES, ROOT, parts, scripts

README = PAGES["README.md"]
PARTS = parts()


@pytest.mark.process
@pytest.mark.parametrize("part", PARTS)
def test_examples_print_what_the_page_shows(tmp_path, part):
    """In the order of the page, because later examples read the output of earlier ones."""
    running.prepare(tmp_path, f'"{sys.executable}" -m debruijn_gpu')
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    for example in PARTS[part]:
        done = running.run(example, tmp_path, sys.executable, os.environ | {"PYTHONPATH": path})
        assert done.returncode == 0, example.script + done.stderr
        assert "error:" not in done.stderr, example.script
        if example.output is not None:
            assert done.stdout == example.output, example.script


def test_every_command_is_in_an_example():
    text = "".join(scripts())
    assert [name for name in COMMANDS if not re.search(rf"\bdbg {name}\b", text)] == []


def test_every_command_is_in_the_readme():
    assert [name for name in COMMANDS if not re.search(rf"\bdbg {name}\b", README)] == []


def test_the_readme_is_short():
    assert README.count("\n") <= 250


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name, capsys):
    command = group.get_command(None, name)
    assert command.name == name
    assert group.main([name, "--help"], prog_name="dbg", standalone_mode=False) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: dbg {name} ")
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help] == []


def test_every_exit_code_is_in_the_table():
    page = PAGES["docs/reference/exit-codes.md"]
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.DbgError)]
    assert documented == {0, *map(signals.exit_code, signals.ENDING), *(kind.exit_code for kind in kinds)}
