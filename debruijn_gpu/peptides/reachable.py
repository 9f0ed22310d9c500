"""Masses that prefixes of peptides of a given mass may have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.run.tuning import tuning


@dataclass(frozen=True, eq=False)
class PossibleMasses:
    """Masses of prefixes that residues, one at least, can bring to the mass of the peptide.

    Attributes
    ----------
    table : ndarray, dtype=uint8, shape=(n,)
        Whether a mass from i * 2^shift on, and below (i + 1) * 2^shift, may be one.
    shift : int
        Above 0 for large masses; then the table may say so of masses that are none, but not the other way round.
    """

    table: NDArray[np.uint8]
    shift: int

    @property
    def has_empty(self) -> bool:
        """Whether a peptide may exist."""
        return bool(self.table[0])


def possible_masses(residues: NDArray[np.int64], low: int, high: int) -> PossibleMasses:
    """Prefixes of peptides of ``low`` to ``high``.

    The masses are the bits of an integer: shifting it by a residue takes the residue off all of them at once.

    Parameters
    ----------
    residues : ndarray, dtype=int64, shape=(n,)
    low, high : int
        0 or more.
    """
    shift = max(0, high.bit_length() - tuning().reachable_places.bit_length() + 1)
    steps = set()
    for residue in residues.tolist():
        steps.add(residue >> shift)
        if residue & ((1 << shift) - 1):  # the sum with what a mass is beyond its place may come to the next one
            steps.add((residue >> shift) + 1)
    n_places = (high >> shift) + 1
    ends = (1 << n_places) - (1 << (low >> shift))
    reached = ends
    for step in sorted(steps - {0}):
        multiple = step
        while multiple < n_places:
            reached |= reached >> multiple
            multiple *= 2
    prefixes = 0
    for step in steps:
        prefixes |= reached >> step
    packed = np.frombuffer(prefixes.to_bytes((n_places + 7) // 8, "little"), np.uint8)
    return PossibleMasses(np.unpackbits(packed, bitorder="little", count=n_places), shift)
