"""Transfer arrays of the CPU backend: they are NumPy arrays and are not copied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cpu import threads
from debruijn_gpu.run import resources
from debruijn_gpu.run.buffers import aligned_array
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map

Item = TypeVar("Item")
Result = TypeVar("Result")


def to_device(array: Array) -> Array:
    """See `CoreOperations.to_device`."""
    return array


def to_host(array: Array) -> Array:
    """See `CoreOperations.to_host`."""
    return array


def synchronize() -> None:
    """See `CoreOperations.synchronize`; every operation is done when it returns."""


def fits(n_bytes: int) -> bool:
    """See `CoreOperations.fits`: the input is in memory already."""
    return True


def memory_left(run: RunOptions) -> int:
    """See `CoreOperations.memory_left`."""
    return resources.memory_left(run.memory)


def memory_limit(n_bytes: int) -> int | None:
    """See `CoreOperations.memory_limit`."""
    return n_bytes


def host_buffer(n_bytes: int) -> NDArray[np.uint8]:
    """See `CoreOperations.host_buffer`."""
    return aligned_array(n_bytes)


def spread(function: Callable[[Item], Result], items: Iterable[Item], at_once: int = 1) -> Iterator[Result]:
    """See `CoreOperations.spread`."""
    if at_once == 1:
        return map(function, items)

    def call(item: Item) -> Result:
        with threads.shared(at_once):
            return function(item)

    return ordered_map(call, items, at_once)


def current_device() -> int:
    """See `CoreOperations.current_device`: there is one."""
    return 0


def here(array: Array) -> Array:
    """See `CoreOperations.here`."""
    return array
