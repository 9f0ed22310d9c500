"""Run the examples of README and docs as a reader would, in a directory with the data and with `dbg` on the path."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.docs.pages import ROOT, Example


def prepare(place: Path, program: str) -> None:
    """Link the data into a directory, and write a program ``dbg`` that runs a command of the shell."""
    (place / "data").symlink_to(ROOT / "data")
    (place / "bin").mkdir()
    dbg = place / "bin" / "dbg"
    dbg.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
    dbg.chmod(0o755)


def run(example: Example, place: Path, python: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run an example in a prepared directory."""
    runners = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [python, "-c"]}
    path = f"{place / 'bin'}{os.pathsep}{environment['PATH']}"
    return subprocess.run(
        [*runners[example.language], example.script],
        cwd=place,
        env={**environment, "PATH": path, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
