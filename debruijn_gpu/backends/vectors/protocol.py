"""Protocol of the family `vectors`: best matching units, batch updates of maps, and word counts of sequences.

Vectors and weights are fixed-point integers of at most `most_bits` bits with sign. Products and sums of these are whole
numbers below 2^53, which float64 holds: any order of summation, and fused multiplication and addition, give the same.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from debruijn_gpu.backends.core.array_types import Array

Distance: TypeAlias = Literal["euclidean", "taxicab"]

#: Bits of the magnitude of a component, at most
MOST_BITS = 19
#: log2 of the greatest sum of products: twice and three times as much are still below 2^53
_SUM_BITS = 51
#: Fractional bits of the weights of a neighbourhood
NEIGHBOUR_BITS = 16
#: Bits of a smoothed sum, at most
SMOOTHED_BITS = 61
#: Words of four bases
N_WORDS = 256


def most_bits(n_components: int) -> int:
    """Return the bits of the magnitude of a component for which squared distances of vectors are exact."""
    return min(MOST_BITS, (_SUM_BITS - (n_components - 1).bit_length()) // 2)


class VectorOperations(Protocol):
    """Find best matching units, update maps by batches, and count words of sequences."""

    def best_matching_units(self, vectors: Array, weights: Array, distance: Distance) -> tuple[Array, Array]:
        """Find the nearest unit (int32) of each vector, the first of equally near ones, and its distance (int64).

        The Euclidean distance is squared. Distances are computed in blocks of vectors and units, as |w|^2 - 2 x w.

        Parameters
        ----------
        vectors : int32 (n, d)
        weights : int32 (n_units, d)
            At least one unit.
        """

    def sum_by_unit(self, vectors: Array, units: Array, n_units: int, one: int) -> Array:
        """Sum the vectors of each unit, int64 (n_units, d + 1); the last column is ``one`` times their number.

        Parameters
        ----------
        vectors : int32 (n, d)
        units : int32 (n,)
        """

    def smooth(self, sums: Array, shape: tuple[int, int, int], table: Array, is_torus: bool, shift: int) -> Array:
        """Convolve sums along the middle axis, and divide by 2^shift, rounded to the nearest integer (half up).

        Parameters
        ----------
        sums : int64, contiguous, of as many items as the shape has
        shape : tuple of int
            Outer, middle and inner length.
        table : int64 (n_distances,)
            Weight by distance along the axis; 0 beyond. At least one.
        is_torus : bool
            Whether the first position of the axis is next to the last one.

        Returns
        -------
        int64, of the shape of sums
        """

    def move_weights(self, sums: Array, weights: Array, one_bits: int, least: int) -> Array:
        """Divide the sums of each unit by their number, rounded to the nearest integer (half up).

        Parameters
        ----------
        sums : int64 (n_units, d + 1)
            See `sum_by_unit`; ``one`` is 2^one_bits.
        weights : int32 (n_units, d)
            Kept where the number is below ``least``.
        one_bits, least : int

        Returns
        -------
        int32 (n_units, d)
        """

    def count_words(self, codes: Array, starts: Array, ends: Array) -> Array:
        """Count the words of four bases in windows of sequences (int32, (n_windows, N_WORDS)).

        A word is the column of its codes read as a number to base 4.

        Parameters
        ----------
        codes : uint8 (n_bases,)
            0 to 3, or 4 for ambiguous bases, which no word contains.
        starts, ends : int64 (n_windows,)
            Words are inside of these positions.
        """
