"""Protocol of the family `core`: transfer arrays between host and device, and budget memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array

if TYPE_CHECKING:
    from debruijn_gpu.run.options import RunOptions


class CoreOperations(Protocol):
    """Transfer arrays between host and device, and budget memory."""

    @property
    def is_sequential(self) -> bool:
        """Whether arrays are NumPy arrays of the host, on which sequential algorithms run."""

    @property
    def block_items(self) -> int:
        """Number of items that a block of a long result should hold."""

    def memory_limit(self, n_bytes: int) -> int | None:
        """Return how many of ``n_bytes`` of the host a result may take; None where the device checks its own."""

    def to_device(self, array: Array) -> Array:
        """A NumPy array as an array of the backend."""

    def to_host(self, array: Array) -> Array:
        """An array of the backend as a NumPy array."""

    def fits(self, n_bytes: int) -> bool:
        """Whether there is room to sort so many bytes at once; if not, operations on host arrays can."""

    def synchronize(self) -> None:
        """Wait until all that was asked for is done: for timing."""

    def host_buffer(self, n_bytes: int) -> NDArray[np.uint8]:
        """Memory of the host, uninitialised, from which `parse_reads` takes text fastest."""

    def memory_left(self, run: RunOptions) -> int:
        """Bytes that a run may still take where the arrays of this backend are."""
