"""The container of walks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Walks:
    """Paths and circuits through a `Graph`.

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
