"""Containers of operations on k-mers that do not fit into `protocol`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class EncodedBlock:
    """A block of sorted k-mers, as a file of them holds it.

    Attributes
    ----------
    content : ndarray, dtype=uint8
    count_bytes : int
        Bytes of a count: 0 if all counts are 1, else 1, 2 or 4.
    least, largest : int
        Counts.
    n_occurrences : int
        Sum of the counts.
    """

    content: NDArray[np.uint8]
    count_bytes: int
    least: int
    largest: int
    n_occurrences: int
