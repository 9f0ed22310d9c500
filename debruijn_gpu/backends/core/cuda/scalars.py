"""Compile the scalar functions of `core.scalars` and `core.kmer_scalars` for the GPU."""

from __future__ import annotations

from typing import Any

from debruijn_gpu.backends.core import kmer_scalars, scalars
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.deferred import device_function, with_word

_compiled = compile_module(device_function, kmer_scalars, scalars, with_word=with_word)


def __getattr__(name: str) -> Any:
    """Return the compiled function of a name."""
    return getattr(_compiled, name)
