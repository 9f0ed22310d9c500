"""The container of walks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import ArrayBackend


@dataclass(frozen=True)
class Walks:
    """Paths and circuits through a `Graph`, in NumPy arrays by default, or in those of a backend.

    Attributes
    ----------
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Walk i is ``steps[offsets[i]:offsets[i + 1]]``.
    steps : ndarray, dtype=uint32 or uint64
        Vertices of a unitig, or edge ids of an Euler walk, in order.
    circular : ndarray, dtype=bool, shape=(n,)
        Whether the last step leads to the first.
    """

    offsets: NDArray[np.int64]
    steps: NDArray[np.uint32] | NDArray[np.uint64]
    circular: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.circular)

    def moved(self, move: Callable[[Array], Array]) -> Walks:
        """The same with every array moved, by `to_device` or `to_host` of a backend."""
        return Walks(move(self.offsets), move(self.steps), move(self.circular))

    def on_device(self, backend: ArrayBackend) -> Walks:
        """The same in arrays of a backend; NumPy's are moved."""
        return self.moved(backend.to_device) if isinstance(self.steps, np.ndarray) else self
