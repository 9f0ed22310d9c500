"""Backends of operations: `choose` returns a backend for a run.

A backend is an object with one attribute for each family of operations.
"""

from debruijn_gpu.backends.choose import (
    host as host,
    load as load,
    load_arrays as load_arrays,
    load_cuda as load_cuda,
    of as of,
)
