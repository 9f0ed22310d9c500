"""Filter joint counts by their values in several samples, as kmtricks does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.kmers.options import COUNT_MAX
from debruijn_gpu.run.checks import Check, Checked, at_least, between

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.protocol import CoreOperations


@dataclass(frozen=True, kw_only=True)
class MatrixFilters(Checked):
    """Which counts and k-mers of a matrix to keep (Lemane et al. 2022).

    A count of at least ``soft_min`` is solid. Other counts become 0, unless the k-mer is solid in at least
    ``share_min`` samples. K-mers that are solid in fewer than ``recurrence_min`` samples are dropped.
    """

    soft_min: int = 1
    #: Minimum counts of the samples, in their order, instead of one for all
    soft_mins: tuple[int, ...] | None = None
    recurrence_min: int = 1
    share_min: int = 0  # 0: no count below soft_min is kept

    checks: ClassVar[Sequence[Check]] = (
        between("soft_min", 1, COUNT_MAX),
        at_least("recurrence_min", 1),
        at_least("share_min", 0),
    )

    @property
    def compares_counts(self) -> bool:
        """Whether a count may not be solid."""
        return self.soft_mins is not None or self.soft_min > 1

    @property
    def keeps_all(self) -> bool:
        """Whether every count is kept."""
        return not self.compares_counts and self.recurrence_min <= 1

    def check_samples(self, n_samples: int) -> None:
        """Raise ParameterError if more samples are asked for than there are, or their minimum counts are too few."""
        for name in ("recurrence_min", "share_min"):
            wanted = getattr(self, name)
            if wanted > n_samples:
                what = f"{self.option_name(name)} is {wanted}, and there are {n_samples} samples"
                raise ParameterError(what, f"give at most {n_samples}, or name more samples")
        if self.soft_mins is not None and len(self.soft_mins) != n_samples:
            what = f"--soft-min: {len(self.soft_mins)} minimum counts for {n_samples} samples"
            raise ParameterError(what, "give one number per line, in the order of the samples")


@dataclass(frozen=True)
class FilteredCounts:
    """The rows of a range of k-mers that filters keep, and the number of k-mers before."""

    n_kmers: int
    kept: JointCounts


def filtered_counts(joint: JointCounts, backend: CoreOperations, filters: MatrixFilters) -> FilteredCounts:
    """Filter a part of joint counts, arrays of the backend; see `filter_counts`."""
    return FilteredCounts(len(joint), filter_counts(joint.moved(backend.to_host), filters))


def filter_counts(joint: JointCounts, filters: MatrixFilters) -> JointCounts:
    """Filter a part of joint counts, in memory of the host.

    Parameters
    ----------
    joint : JointCounts
        With counts, unless every count is solid.
    filters : MatrixFilters
    """
    if filters.keeps_all:
        return joint
    if not filters.compares_counts:
        return _kept(joint, None, np.diff(joint.row_ptr) >= filters.recurrence_min)
    least = filters.soft_min if filters.soft_mins is None else np.array(filters.soft_mins, np.uint32)[joint.samples]
    solid: NDArray[np.bool_] = joint.counts >= least
    n_solid = _row_sums(solid, joint.row_ptr)
    if filters.share_min:
        solid = solid | np.repeat(n_solid >= filters.share_min, np.diff(joint.row_ptr))
    return _kept(joint, solid, n_solid >= filters.recurrence_min)


def _kept(joint: JointCounts, entries: NDArray[np.bool_] | None, rows: NDArray[np.bool_]) -> JointCounts:
    """Keep some rows, and of them some entries; all if None."""
    of_rows = np.repeat(rows, np.diff(joint.row_ptr))
    mask = of_rows if entries is None else of_rows & entries
    lengths = _row_sums(mask, joint.row_ptr)[rows]
    row_ptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    counts = joint.counts[mask] if len(joint.counts) else joint.counts
    return JointCounts(joint.kmers[:, rows], row_ptr, joint.samples[mask], counts)


def _row_sums(mask: NDArray[np.bool_], row_ptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the set elements of each row."""
    before = np.concatenate(([0], np.cumsum(mask, dtype=np.int64)))
    sums: NDArray[np.int64] = before[row_ptr[1:]] - before[row_ptr[:-1]]
    return sums
