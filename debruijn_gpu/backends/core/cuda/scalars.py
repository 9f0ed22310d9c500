"""Device functions: scalar code of `core`, and binary search."""

from __future__ import annotations

from typing import Any

from debruijn_gpu.backends.core import kmer_scalars, scalars
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.deferred import device_function, with_word

_compiled = compile_module(device_function, kmer_scalars, scalars, with_word=with_word)


def __getattr__(name: str) -> Any:
    """Return the compiled function of a name."""
    return getattr(_compiled, name)


@device_function
def lower_bound(values, value, low, high):
    """Position in low..high of the first of ascending values that is not less than a value."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@device_function
def row_of(item, offsets, low, high):
    """Row that holds an item: the last one in low..high that starts at the item or before."""
    while low < high:
        middle = (low + high + 1) >> 1
        if offsets[middle] <= item:
            low = middle
        else:
            high = middle - 1
    return low
