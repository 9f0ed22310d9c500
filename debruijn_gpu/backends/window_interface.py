"""What a backend does with the windows of a sequence of symbols: which of all words of some length it has.

A word of n symbols 0..k-1 is a number, with the first symbol the most significant: of k^n words, each has a bit in a
bitmap (uint32 words; word w has bit w % 32 of element w // 32).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from debruijn_gpu.backends.arrays.protocol import Array


@dataclass(frozen=True)
class Windows:
    """Consecutive windows of an array of symbols.

    Attributes
    ----------
    symbols : array of the backend
        uint8, uint16 or uint32, each below ``n_symbols``; or packed as `symbol_interface` has it, uint8.
    n_bits : int
        0 for an element a symbol; 1 or 2 for packed symbols, of an alphabet of 2 or 4.
    n_windows : int
        Window i is the symbols i to i + order - 1; as many symbols as the last one needs must be there.
    n_symbols, order : int
        k and n; k^n is at most 2^62.
    """

    symbols: Array
    n_bits: int
    n_windows: int
    n_symbols: int
    order: int

    @property
    def numbers(self) -> tuple[np.int64, np.uint64, np.uint64, np.int64, np.uint64]:
        """What kernels take: n_windows, n_bits, k, n, k^(n - 1)."""
        top = self.n_symbols ** (self.order - 1)
        return (
            np.int64(self.n_windows),
            np.uint64(self.n_bits),
            np.uint64(self.n_symbols),
            np.int64(self.order),
            np.uint64(top),
        )


class WindowBackend(Protocol):
    """A module with these names."""

    def empty_bitmap(self, n_bits: int) -> Array:
        """A bitmap without bits set: uint32 (ceil(n_bits / 32),)."""

    def mark_windows(self, windows: Windows, seen: Array) -> int:
        """Set the bits of windows in a bitmap of k^n bits; how many were set already, by windows before these or by
        others of these."""

    def first_repeat(self, windows: Windows, seen: Array) -> int:
        """The first of the windows whose bit is set already, or that is the same as one of these before it; -1 if
        there is none. May set bits of the windows."""

    def leading_symbols(self, words: Array, n_following: int, dtype: np.dtype[Any]) -> Array:
        """The first symbol of each word (uint32 or uint64) as an array of a dtype; ``n_following`` is k^(n - 1)."""
