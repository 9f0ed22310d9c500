"""The README's examples run, and every command is in it.

A fenced block marked ``sh`` or ``python`` is run; a block marked ``text`` right behind it is what it prints. Blocks
marked ``console`` are for reading only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from debruijn_gpu import errors
from debruijn_gpu.cli import COMMANDS, group
from debruijn_gpu.run import signals

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
EXAMPLE = re.compile(
    r"^```(?P<language>sh|python)\n(?P<script>.*?)^```\n(?:\n^```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
SECTIONS = {
    section.partition("\n")[0]: [found.groups() for found in EXAMPLE.finditer(section)]
    for section in re.split(r"^## ", README, flags=re.MULTILINE)
}
RUNNERS = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}


@pytest.fixture
def place(tmp_path):
    """A directory with the data and with `dbg` in ``bin``, shared by a section's examples as by a reader's shell."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "dbg"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m debruijn_gpu "$@"\n')
    program.chmod(0o755)
    return tmp_path


@pytest.mark.process
@pytest.mark.parametrize("section", [title for title, examples in SECTIONS.items() if examples])
def test_examples_run(place, section):
    """In their order, as later ones read what earlier ones wrote."""
    environment = os.environ | {
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        "LC_ALL": "C",
    }
    for language, script, output in SECTIONS[section]:
        done = subprocess.run(
            [*RUNNERS[language], script], cwd=place, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, script + done.stderr
        assert "error:" not in done.stderr, script
        if output is not None:
            assert done.stdout == output, script


def test_there_are_examples_of_every_command():
    scripts = "".join(
        script for examples in SECTIONS.values() for language, script, _output in examples if language == "sh"
    )
    assert [name for name in COMMANDS if f"dbg {name}" not in scripts] == []
    assert [name for name in COMMANDS if f"### `dbg {name}`" not in README] == []


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
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.DbgError)]
    assert documented == {0, *map(signals.exit_code, signals.ENDING), *(kind.exit_code for kind in kinds)}


def test_links_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
