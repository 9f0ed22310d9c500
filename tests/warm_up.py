"""Kernels that many tests need, compiled once before the processes of pytest-xdist start.

Each process would compile them by itself at the same time: the cache serves only those that come later. The parts
share few kernels, so that processes of their own compile them side by side.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from debruijn_gpu.backends.core.cache_place import version_directory

_ROOT = Path(__file__).parents[1]
_ARRAYS = """
import numpy as np
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.generate import eulerian_graph, cactus_graph
from debruijn_gpu.sequences.products import ProductSequence
from debruijn_gpu.run.tuning import tuned
threads.configure(2)
with tuned(least_work=1):
    for dtype in ("u4", "i4", "u8", "i8", "f4", "f8"):
        keys = np.arange(9)[::-1].astype(dtype)
        CPU.arrays.sort(keys)
        CPU.arrays.sort_pairs(keys, keys.astype("i8"))
    de_bruijn_graph(3, 3)
    eulerian_graph(60, 4, 1, CPU)
    cactus_graph(300, 6, 1, CPU)
    ProductSequence(6, 24)
"""
_ASSEMBLE = "debruijn_gpu assemble data/phix174_R1.fastq.gz -k 31 -t 2 -q --backend cpu --force -o"
#: Arguments of Python for each part; the parts take about as long as each other
PARTS = (["-c", _ARRAYS], ["-m", *_ASSEMBLE.split(), "{out}"])


def fill_cache(n_processes: int) -> None:
    """Compile the kernels of all parts, some processes at a time, unless the cache holds kernels already."""
    place = version_directory("cpu")
    if place is None or next(place.rglob("*.nbi"), None) is not None:
        return
    with ThreadPoolExecutor(n_processes) as pool:
        list(pool.map(_run, PARTS))


def _run(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        command = [argument.replace("{out}", directory) for argument in arguments]
        subprocess.run([sys.executable, *command], cwd=_ROOT, check=False)  # what fails here fails in a test
