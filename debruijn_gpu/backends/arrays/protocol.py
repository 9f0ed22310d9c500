"""Protocol of the family `arrays`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array

Reduction: TypeAlias = Literal["sum", "min", "max"]
Comparison: TypeAlias = Literal["nonzero", ">", "<", "==", "!="]


class ArrayOperations(Protocol):
    """Sort, scan, select, count and look up values of plain arrays, and gather rows of ragged ones."""

    def sort(self, keys: Array) -> Array:
        """The keys in ascending order."""

    def sort_pairs(self, keys: Array, values: Array) -> tuple[Array, Array]:
        """Keys in ascending order and the values that belong to them; equal keys stay in order (stable)."""

    def order_by(self, columns: Sequence[Array]) -> Array:
        """Positions (int64) that sort a structure of arrays by its columns, the first the most significant; stable."""

    def split_by_bit(self, keys: Array, bit: int) -> tuple[Array, int]:
        """Integer keys with those first in which a bit is 0, in order within both parts (stable), and how many these
        are. One pass of a radix sort. (Blelloch 1990.)"""

    def sort_host(self, keys: NDArray[Any]) -> NDArray[Any]:
        """`sort` of a NumPy array."""

    def distinct_host(self, values: NDArray[Any]) -> NDArray[Any]:
        """`distinct` of a NumPy array."""

    def distinct_counts_host(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """`distinct_counts` of a NumPy array."""

    def inclusive_scan(self, values: Array) -> Array:
        """Sums of the values up to and including each: int64, uint64 or float64."""

    def exclusive_scan(self, values: Array) -> Array:
        """Sums of the values before each, one element longer than they are: the last is the sum of all."""

    def reduce(self, values: Array, reduction: Reduction) -> int | float:
        """Sum (0 of none), least or greatest; ValueError for the least or greatest of none. Integer sums are exact to
        64 bits; the sum of a mask (bool) is how often it is set."""

    def matches(self, values: Array, comparison: Comparison, threshold: float) -> Array:
        """Which values compare so with a threshold (bool); an integer threshold is compared exactly. NaN matches
        ``!=`` and ``nonzero`` only."""

    def compact(self, values: Array, mask: Array) -> tuple[Array, Array]:
        """The values where a mask (bool) is set, in order, and the position (int64) that each comes from."""

    def distinct(self, values: Array) -> Array:
        """Distinct values, ascending."""

    def distinct_counts(self, values: Array) -> tuple[Array, Array]:
        """Distinct values, ascending, and how often (int64) each occurs."""

    def distinct_first(self, values: Array) -> tuple[Array, Array]:
        """Distinct values, ascending, and the first position (int64) of each."""

    def run_lengths(self, values: Array) -> tuple[Array, Array]:
        """Value and length (int64) of each run of equal neighbours."""

    def semi_join(self, keys: Array, wanted: Array) -> Array:
        """Which keys (bool) are among the wanted ones; same dtype, wanted in any order, with or without repeats."""

    def lookup(self, table: Array, keys: Array) -> Array:
        """Position (int64) of the first of each key in a sorted table, -1 where there is none."""

    def histogram(self, values: Array, low: float, high: float, n_bins: int) -> Array:
        """Values (int64 per bin) in ``n_bins`` even bins from low to high; the last bin includes high, what is outside
        (and NaN) is left out. The definition is numpy.histogram's."""

    def count_integers(self, values: Array, n: int) -> Array:
        """How often (int64) each of 0..n-1 occurs; ValueError if a value is outside."""

    def transpose(self, matrix: Array) -> Array:
        """A matrix (n, m) in C order, copied to (m, n) in C order: rows to columns (structure of arrays) and back."""

    def take_lists(self, offsets: Array, items: Array, chosen: Array) -> tuple[Array, Array]:
        """Copy the chosen (int64) ones of ragged lists (items of uint8, uint32 or uint64): their offsets and items."""

    def sum_lists(self, weights: Array, offsets: Array, steps: Array) -> Array:
        """Sum (int64) of the weights of each walk's steps, of which it has one or more; vertices 2i and 2i + 1 weigh
        ``weights[i]`` (uint32 or int64)."""
