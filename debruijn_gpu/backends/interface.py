"""What a backend does: each operation once, with shapes, dtypes and source. `cpu` implements it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Backend(Protocol):
    """A module with these names."""

    # Sequences and text

    def smallest_rotation(self, text: NDArray[np.uint8]) -> int:
        """Start of the lexicographically smallest rotation of a circle, the first of several; 0 if empty.

        O(n) without extra memory: two candidates are compared, and a mismatch rules out all starts from the
        loser's to where it was found (Shiloach 1981, J. Algorithms 2:107; cf. Booth 1980).
        """
        ...

    def kmer_lines(
        self, codes: NDArray[np.uint64], counts: NDArray[np.uint32], k: int, start: int, stop: int
    ) -> NDArray[np.uint8]:
        r"""Text ``kmer<TAB>count\n`` of k-mers ``start:stop`` of a table: codes (words, n), counts (n,)."""
        ...
