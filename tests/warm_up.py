"""Kernels that commands use, compiled once before the processes of pytest-xdist start.

Otherwise each process would compile the same kernels: the store holds a kernel only after it was compiled once.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from debruijn_gpu.backends.core.cache_place import version_directory

_ROOT = Path(__file__).parents[1]


def fill_cache(n_processes: int) -> None:
    """Compile the kernels of all commands, some processes at a time, unless the store holds kernels already."""
    place = version_directory()
    if place is None or next(place.rglob("*-*"), None) is not None:
        return
    command = [sys.executable, "-m", "debruijn_gpu", "warmup", "-q", "--backend", "cpu", "-t", str(n_processes)]
    subprocess.run(command, cwd=_ROOT, check=False)  # what fails here fails in a test
