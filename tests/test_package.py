"""The package as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import debruijn_gpu


def test_public_names_are_where_they_are_said_to_be():
    assert sorted(debruijn_gpu._HOMES) == [name for name in debruijn_gpu.__all__ if name != "__version__"]
    for name in debruijn_gpu._HOMES:
        assert getattr(debruijn_gpu, name).__name__ == name


@pytest.mark.parametrize("arguments", [["--help"], ["assemble", "--help"], ["assemble", "--help-all"]])
def test_help_imports_neither_numpy_nor_numba(arguments: list[str]) -> None:
    slow = ("numpy", "numba", "rich", "xopen", "debruijn_gpu.run.log")
    code = (
        "import sys; from debruijn_gpu.cli import group; "
        f"group.main({arguments}, standalone_mode=False); "
        f"print([m for m in {slow} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "Assemble" in done.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    ("warning", "code"), [("Benchmarks are automatically disabled because xdist plugin is active.", 0), ("Else", 1)]
)
def test_suite_starts_beside_pytest_benchmark(tmp_path: Path, warning: str, code: int) -> None:
    """Its plugin, where it is installed, warns when tests run in parallel; any other warning is an error."""
    (tmp_path / "warning_plugin.py").write_text(
        f"import warnings\n\ndef pytest_configure(config):\n    warnings.warn({warning!r})\n"
    )
    arguments = ["-p", "warning_plugin", "--collect-only", "-q", __file__]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        check=False,
    )
    assert (done.returncode != 0) == code, done.stderr
