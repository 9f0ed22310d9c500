"""Forty commands write the bytes that they always wrote, on each backend; ``make golden`` stores new ones."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.cli.forty_commands import COMMANDS, ON_CPU_ALONE, TEXTS
from tests.golden_files import GOLDEN, STORES, check_golden

ROOT = Path(__file__).parents[2]
#: Files that tell times or how pages look
FREE = {"dbg.log", "report.html", "run.json"}


def outputs_of(name: str, stdout: str) -> dict[str, str]:
    """SHA-256 of what a command wrote: standard output, its files, and those in its directory."""
    found = {"stdout": stdout.encode()}
    for path in [*Path().glob(f"{name}[._]*"), *Path(name).glob("*")]:
        if path.is_file() and path.name not in FREE and path.suffix != ".out":
            found[str(path)] = path.read_bytes()
    return {key: hashlib.sha256(content).hexdigest() for key, content in sorted(found.items()) if content}


@pytest.mark.golden
@pytest.mark.parametrize("backend_name", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_forty_commands_write_the_same_bytes_as_ever(backend_name, dbg, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data").symlink_to(ROOT / "data")
    for file_name, text in TEXTS.items():
        Path(file_name).write_text(text)
    digests = {}
    for name, command in COMMANDS.items():
        run_options = ["-q"] if name in ON_CPU_ALONE else ["-q", "--backend", backend_name]
        code, stdout, stderr = dbg(*command.replace("{out}", name).split(), *run_options)
        assert (code, stderr) == (0, ""), name
        Path(f"{name}.out").write_text(stdout)
        digests[name] = outputs_of(name, stdout)
    assert len(digests) == 40
    stored = {} if STORES else json.loads((GOLDEN / "forty_commands.json").read_text())
    assert STORES or [name for name in COMMANDS if digests[name] != stored[name]] == []
    check_golden("forty_commands.json", (json.dumps(digests, indent=1) + "\n").encode())
