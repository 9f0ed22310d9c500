"""Protocol of the family `arrays`: sort, scan, select, count and look up values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array

Reduction: TypeAlias = Literal["sum", "min", "max"]
Comparison: TypeAlias = Literal["nonzero", ">", "<", ">=", "<=", "==", "!="]


class ArrayOperations(Protocol):
    """Sort, scan, select, count and look up values of arrays; gather ragged rows."""

    def sort(self, keys: Array) -> Array:
        """Sort keys in ascending order."""

    def sort_pairs(self, keys: Array, values: Array) -> tuple[Array, Array]:
        """Sort keys in ascending order, with their values; equal keys keep their order (stable)."""

    def order_by(self, columns: Sequence[Array]) -> Array:
        """Compute the positions (int64) that sort a structure of arrays by its columns.

        The first column is the most significant; the sort is stable.
        """

    def split_by_bit(self, keys: Array, bit: int) -> tuple[Array, int]:
        """Partition integer keys by one bit, and count those in which it is 0.

        Keys with a 0 come first; both parts keep their order (stable). One pass of a radix sort. (Blelloch 1990.)
        """

    def sort_host(self, keys: NDArray[Any]) -> NDArray[Any]:
        """Sort a NumPy array; see `sort`."""

    def distinct_host(self, values: NDArray[Any]) -> NDArray[Any]:
        """Compute the distinct values of a NumPy array; see `distinct`."""

    def distinct_counts_host(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Count the distinct values of a NumPy array; see `distinct_counts`."""

    def inclusive_scan(self, values: Array) -> Array:
        """Compute inclusive prefix sums: int64, uint64 or float64."""

    def exclusive_scan(self, values: Array) -> Array:
        """Compute exclusive prefix sums, and the total as one more element at the end."""

    def reduce(self, values: Array, reduction: Reduction) -> int | float:
        """Compute the sum, minimum or maximum of values.

        The sum of no values is 0; their minimum or maximum raises ValueError. Integer sums are exact to 64 bits; the
        sum of a mask (bool) is the number of set elements.
        """

    def matches(self, values: Array, comparison: Comparison, threshold: float) -> Array:
        """Compare each value with a threshold (bool).

        An integer threshold is compared exactly. NaN matches ``!=`` and ``nonzero`` only.
        """

    def compact(self, values: Array, mask: Array) -> tuple[Array, Array]:
        """Filter values by a mask (bool); return them in order with their positions (int64)."""

    def distinct(self, values: Array) -> Array:
        """Compute the distinct values, ascending."""

    def distinct_counts(self, values: Array) -> tuple[Array, Array]:
        """Compute the distinct values, ascending, and the number of occurrences (int64) of each."""

    def distinct_first(self, values: Array) -> tuple[Array, Array]:
        """Compute the distinct values, ascending, and the first position (int64) of each."""

    def distinct_rows(self, offsets: Array, items: Array) -> tuple[Array, Array]:
        """Number the distinct ones of ragged rows in order of their first occurrence.

        Rows are given by offsets (int64 (n + 1,)) and items (uint32). Returns the number of each row (uint32 (n,)), and
        the first row (int64) of each number. Hashes find candidates; items decide.
        """

    def run_lengths(self, values: Array) -> tuple[Array, Array]:
        """Compute the value and length (int64) of each run of equal neighbours."""

    def semi_join(self, keys: Array, wanted: Array) -> Array:
        """Compute which keys (bool) are among the wanted ones.

        Both have one dtype; wanted keys are in any order, with or without repeats.
        """

    def lookup(self, table: Array, keys: Array) -> Array:
        """Find the first position (int64) of each key in a sorted table; -1 if absent."""

    def histogram(self, values: Array, low: float, high: float, n_bins: int) -> Array:
        """Count values (int64 per bin) in ``n_bins`` even bins from low to high.

        The last bin includes high; values outside and NaN are skipped. The definition is numpy.histogram's.
        """

    def count_integers(self, values: Array, n: int) -> Array:
        """Count the occurrences (int64) of each of 0..n-1; ValueError for a value outside."""

    def transpose(self, matrix: Array) -> Array:
        """Transpose a matrix (n, m) in C order into (m, n) in C order.

        This converts between rows and columns (a structure of arrays).
        """

    def gather_rows(self, offsets: Array, items: Array, chosen: Array) -> tuple[Array, Array]:
        """Gather the chosen rows (int64) of ragged rows: their offsets and items.

        Items are uint8, uint32 or uint64.
        """

    def segmented_sum(self, weights: Array, offsets: Array, steps: Array) -> Array:
        """Sum (int64) vertex weights over the steps of each walk (segmented sum).

        Each walk has at least one step; vertices 2i and 2i + 1 weigh ``weights[i]`` (uint32 or int64).
        """
