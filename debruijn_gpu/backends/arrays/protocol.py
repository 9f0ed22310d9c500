"""What a backend does with plain arrays: sorting, distinct, compaction and what is made of them.

Every operation takes and gives arrays of the backend (`to_device`, `to_host`; on the CPU these are NumPy arrays and
nothing is copied), of dtype uint32, int32, uint64, int64, float32 or float64 unless it says otherwise, of one dimension
unless it says otherwise, of any length from 0 to beyond 2^31, and leaves its arguments as they are. Floats are ordered
with NaN last; NaN is equal to NaN, and -0.0 to 0.0, and where values are ordered, made distinct or taken for their
runs, -0.0 comes out as 0.0 and every NaN as the same one (`numpy.nan`). Positions are int64. `cpu` and `cuda` give the
same bytes, sums of floats excepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: an array of the backend
Array: TypeAlias = Any
Reduction: TypeAlias = Literal["sum", "min", "max"]
Comparison: TypeAlias = Literal["nonzero", ">", "<", "==", "!="]


class ArrayBackend(Protocol):
    """A module with these names."""

    # moving

    def to_device(self, array: Array) -> Array:
        """A NumPy array as an array of the backend."""

    def to_host(self, array: Array) -> Array:
        """An array of the backend as a NumPy array."""

    def fits(self, n_bytes: int) -> bool:
        """Whether there is room to sort so many bytes at once; if not, operations on host arrays can."""

    def synchronize(self) -> None:
        """Wait until all that was asked for is done: for timing."""

    # order

    def sort(self, keys: Array) -> Array:
        """The keys in ascending order."""

    def sort_pairs(self, keys: Array, values: Array) -> tuple[Array, Array]:
        """Keys in ascending order and the values that belong to them; equal keys stay in order (stable)."""

    def order_by(self, columns: Sequence[Array]) -> Array:
        """Positions (int64) that sort a structure of arrays by its columns, the first the most significant; stable."""

    def split_by_bit(self, keys: Array, bit: int) -> tuple[Array, int]:
        """Integer keys with those first in which a bit is 0, in order within both parts (stable), and how many these
        are. One pass of a radix sort. (Blelloch 1990.)"""

    # NumPy arrays of any size, in runs that fit and are merged

    def sort_host(self, keys: NDArray[Any]) -> NDArray[Any]:
        """`sort` of a NumPy array."""

    def distinct_host(self, values: NDArray[Any]) -> NDArray[Any]:
        """`distinct` of a NumPy array."""

    def distinct_counts_host(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """`distinct_counts` of a NumPy array."""

    # scans

    def inclusive_scan(self, values: Array) -> Array:
        """Sums of the values up to and including each: int64, uint64 or float64."""

    def exclusive_scan(self, values: Array) -> Array:
        """Sums of the values before each, one element longer than they are: the last is the sum of all."""

    def reduce(self, values: Array, reduction: Reduction) -> int | float:
        """Sum (0 of none), least or greatest; ValueError for the least or greatest of none. Integer sums are exact to
        64 bits; the sum of a mask (bool) is how often it is set."""

    # selection

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

    # counting

    def histogram(self, values: Array, low: float, high: float, n_bins: int) -> Array:
        """Values (int64 per bin) in ``n_bins`` even bins from low to high; the last bin includes high, what is outside
        (and NaN) is left out. The definition is numpy.histogram's."""

    def count_integers(self, values: Array, n: int) -> Array:
        """How often (int64) each of 0..n-1 occurs; ValueError if a value is outside."""

    # graphs; vertices are integers, row_ptr is int64 (n_vertices + 1,)

    def csr_from_edges(self, tails: Array, heads: Array, n_vertices: int) -> tuple[Array, Array]:
        """CSR (row_ptr, col) of an edge list; edges of a row in the order of the list (stable)."""

    def csr_tails(self, row_ptr: Array, col: Array) -> Array:
        """Tail of each edge of a CSR, dtype of col: the first column of its edge list."""

    def csr_reverse(self, row_ptr: Array, col: Array) -> tuple[Array, Array]:
        """CSR of the reversed graph with as many vertices; the tails in each row ascend."""

    def out_degrees(self, row_ptr: Array) -> Array:
        """Number of edges (int64) out of each vertex."""

    def in_degrees(self, col: Array, n_vertices: int) -> Array:
        """Number of edges (int64) into each vertex."""

    # layout

    def transpose(self, matrix: Array) -> Array:
        """A matrix (n, m) in C order, copied to (m, n) in C order: rows to columns (structure of arrays) and back."""
