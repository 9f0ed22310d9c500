"""Types of ids."""

from __future__ import annotations

from typing import Any

import numpy as np


def id_dtype(n: int) -> np.dtype[Any]:
    """The smallest dtype for the numbers of n vertices or edges."""
    return np.dtype(np.uint32 if n <= 1 << 32 else np.uint64)
