"""A plugin of pytest that notes the CUDA kernels of tests in the simulator.

It serves ``python -m tests.kernels.record simulator``. On a machine with a GPU, take ``cuda`` instead: it notes the
kernels of commands.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from debruijn_gpu.backends.core import kernel_names
from debruijn_gpu.backends.core.cuda import runtime, store

FILE = "DBG_TEST_KERNELS"
_noted: set[tuple[str, ...]] = set()


def pytest_configure(config: Any) -> None:
    """Note each launch from now on."""
    run = runtime._run_simulated

    def run_noted(function: Any, grid: int, block: int, shared: int, args: tuple[Any, ...], *more: Any) -> None:
        note(function, args)
        run(function, grid, block, shared, args, *more)

    runtime._run = run_noted


def note(function: Any, args: tuple[Any, ...]) -> None:
    """Append a kernel to the file that the environment names, if it is one of the package's."""
    signature = store.signature_of([(np.asarray(arg).dtype, np.ndim(arg)) for arg in args])
    key = (str(id(function)), signature)
    if key in _noted:
        return
    _noted.add(key)
    found = kernel_names.name(function)
    if found is not None:
        with open(os.environ[FILE], "a") as stream:
            stream.write("\t".join(("cuda", *found, signature)) + "\n")
