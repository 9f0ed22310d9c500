"""Types of arrays, for annotations, and of ids."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: an array of the backend
Array: TypeAlias = Any
Bytes: TypeAlias = NDArray[np.uint8]
Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Vertices: TypeAlias = NDArray[np.uint32] | NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.uint64]
Counts: TypeAlias = NDArray[np.uint32]


def id_dtype(n: int) -> np.dtype[Any]:
    """The smallest dtype for the numbers of n vertices or edges."""
    return np.dtype(np.uint32 if n <= 1 << 32 else np.uint64)
