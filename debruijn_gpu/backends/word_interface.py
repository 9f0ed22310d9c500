"""What a backend does with words of one length over an alphabet of k symbols 0..k-1, each as its number in base k.

Words are arrays of uint32 or uint64, and so are results where it is not said otherwise, of the same dtype; k^n - 1, n
being the length, is in the range of it. Results are the same bytes on `cpu` and `cuda`.
"""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.arrays.protocol import Array


class WordBackend(Protocol):
    """A module with these names."""

    def extend_words(self, words: Array, n_symbols: int) -> Array:
        """Each word with each symbol behind it (n_words * n_symbols,), in order if the words are."""

    def quotients(self, words: Array, divisor: int) -> Array:
        """Words divided by a number, rounded down: of k^m, the words without their last m symbols."""

    def remainders(self, words: Array, divisor: int) -> Array:
        """What is left of words divided by a number: of k^m, their last m symbols."""

    def digit_sums(self, words: Array, n_symbols: int) -> Array:
        """Sum of the symbols of each word."""

    def least_rotations(self, words: Array, n_symbols: int, order: int) -> Array:
        """The least rotation of each word, of ``order`` symbols: its necklace."""
