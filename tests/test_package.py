"""The package as a whole."""

from __future__ import annotations

import subprocess
import sys

import debruijn_gpu


def test_public_names_are_where_they_are_said_to_be():
    assert sorted(debruijn_gpu._HOMES) == debruijn_gpu.__all__
    for name in debruijn_gpu.__all__:
        assert getattr(debruijn_gpu, name).__name__ == name


def test_help_imports_neither_numpy_nor_numba():
    code = (
        "import sys; from debruijn_gpu.cli import group; "
        "group.main(['--help'], standalone_mode=False); "
        "print([m for m in ('numpy', 'numba', 'rich') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "assemble" in done.stdout
