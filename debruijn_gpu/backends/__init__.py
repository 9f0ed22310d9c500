"""Where operations run: `choose` returns a backend, an object with one attribute for each family of operations."""

from debruijn_gpu.backends.choose import (
    host as host,
    load as load,
    load_arrays as load_arrays,
    load_cuda as load_cuda,
    of as of,
)
