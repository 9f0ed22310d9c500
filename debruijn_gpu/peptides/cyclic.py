"""Find the canonical form of cyclic peptides, whatever their first residue and direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_GREATEST = np.iinfo(np.int64).max


def least_rotations(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lexicographically least rotation of each row; (n_rows, n), n at least 1."""
    n = rows.shape[1]
    places = np.arange(n)
    is_least = np.ones(rows.shape, np.bool_)  # whether the rotation that begins there may be
    for step in range(n):
        ahead = rows[:, (places + step) % n]
        least = np.where(is_least, ahead, _GREATEST).min(axis=1, keepdims=True)
        is_least &= ahead == least
    starts = is_least.argmax(axis=1)
    return np.take_along_axis(rows, (starts[:, None] + places) % n, axis=1)


def canonical(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The least of the rotations of each row and of its reversal; (n_rows, n), n at least 1."""
    forward, backward = least_rotations(rows), least_rotations(rows[:, ::-1])
    first = (forward != backward).argmax(axis=1)[:, None]
    is_less = np.take_along_axis(backward, first, axis=1) < np.take_along_axis(forward, first, axis=1)
    return np.where(is_less, backward, forward)


def distinct_rows(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct rows in lexicographic order."""
    ordered = rows[np.lexsort(rows.T[::-1])]
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[is_new]
