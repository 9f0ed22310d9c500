"""What a k-mer by sample matrix is, beside its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.kmers.containers import JointCounts

MATRIX_FORMATS = ("tsv", "npz", "zarr")


@dataclass(frozen=True)
class MatrixHead:
    """Columns and values of a matrix.

    Attributes
    ----------
    names : tuple of str
        Samples, in the order of the columns.
    k : int
    canonical : bool
    is_presence : bool
        Whether values are 0 and 1, rather than counts.
    """

    names: tuple[str, ...]
    k: int
    canonical: bool
    is_presence: bool

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger]:
        """Type of the values in files of arrays: uint8 or uint32."""
        return np.dtype("u1" if self.is_presence else "<u4")

    def values(self, joint: JointCounts, entries: slice) -> NDArray[np.unsignedinteger]:
        """Return the values of some entries of a part."""
        return np.ones(entries.stop - entries.start, self.dtype) if self.is_presence else joint.counts[entries]
