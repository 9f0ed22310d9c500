"""Compile the scalar functions of `core.scalars` and `core.kmer_scalars` for the CPU."""

from __future__ import annotations

from typing import Any

import numba
from numba.cpython.unsafe.tuple import tuple_setitem

from debruijn_gpu.backends.core import kmer_scalars, scalars
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel

_njit = numba.njit(nogil=True, error_model="numpy")
_compiled = compile_module(_njit, kmer_scalars, scalars, with_word=tuple_setitem)

# these take an array: else they would count references to it
bases_from = inlined_kernel(kmer_scalars.bases_from)
symbol_at = inlined_kernel(scalars.symbol_at)
without_mate = inlined_kernel(scalars.without_mate)


def __getattr__(name: str) -> Any:
    """Return the compiled function of a name."""
    return getattr(_compiled, name)
