"""Protocol of the family `core`: transfer arrays between host and device, and budget memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array

if TYPE_CHECKING:
    from debruijn_gpu.run.options import RunOptions

Item = TypeVar("Item")
Result = TypeVar("Result")


class CoreOperations(Protocol):
    """Transfer arrays between host and device, and budget memory."""

    @property
    def is_sequential(self) -> bool:
        """Return whether arrays are NumPy arrays of the host, for sequential algorithms."""

    @property
    def block_items(self) -> int:
        """Return the recommended number of items in a block of a long result."""

    def memory_limit(self, n_bytes: int) -> int | None:
        """Return how many of ``n_bytes`` of the host a result may take.

        None where the device checks its own memory.
        """

    def to_device(self, array: Array) -> Array:
        """Transfer a NumPy array to the backend."""

    def to_host(self, array: Array) -> Array:
        """Transfer an array of the backend to a NumPy array."""

    def fits(self, n_bytes: int) -> bool:
        """Return whether the memory suffices to sort ``n_bytes`` at once.

        If not, operations on host arrays can.
        """

    def synchronize(self) -> None:
        """Wait until all operations are complete; for timing."""

    def host_buffer(self, n_bytes: int) -> NDArray[np.uint8]:
        """Allocate uninitialised host memory from which `parse_reads` reads text fastest."""

    def memory_left(self, run: RunOptions) -> int:
        """Return the bytes that a run may still allocate where this backend's arrays are."""

    def spread(self, function: Callable[[Item], Result], items: Iterable[Item], at_once: int = 1) -> Iterator[Result]:
        """Call a function of each item, on each of the run's devices one at a time; yield results in order.

        The CPU works on up to ``at_once`` items, which share its threads. Results are on the host. Several calls may be
        under way on devices, each in a thread with a device of its own: within it, arrays are made on that device, and
        others are moved there by `here`.
        """

    def current_device(self) -> int:
        """Return the number of the calling thread's device."""

    def here(self, array: Array) -> Array:
        """Return an array on the device of the calling thread: itself, or a copy."""
