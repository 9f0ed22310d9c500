"""What a backend does with arrays of symbols: codes 0..k-1, uint8, uint16 or uint32.

Packed symbols are bytes (uint8): with 1 bit each 8 a byte, with 2 bits 4 a byte, the first in the highest bits; unused
bits of the last byte are 0.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.protocol import Array


def unpacked_bytes(n_bits: int, letters: NDArray[np.uint8]) -> NDArray[Any]:
    """The letters of each packed byte, as one word (256,): of 8 bytes for symbols of 1 bit, of 4 for symbols of 2."""
    shifts = np.arange(8 - n_bits, -1, -n_bits)
    codes = (np.arange(256)[:, None] >> shifts) & ((1 << n_bits) - 1)
    known = np.zeros(1 << n_bits, np.uint8)  # packed symbols beyond the alphabet are nobody's
    known[: len(letters)] = letters[: 1 << n_bits]
    table: NDArray[Any] = known[codes].view(np.uint64 if n_bits == 1 else np.uint32).ravel()
    return table


class SymbolBackend(Protocol):
    """A module with these names."""

    def translate_symbols(self, codes: Array, letters: NDArray[np.uint8]) -> Array:
        """The letter (uint8) of each code; ``letters`` is NumPy's."""

    def pack_symbols(self, codes: Array, n_bits: int) -> Array:
        """Codes (below 2 or 4) packed, ``n_bits`` (1 or 2) each."""

    def unpack_symbols(self, packed: Array, n_bits: int, n_symbols: int, letters: NDArray[np.uint8]) -> Array:
        """The letters (uint8) of the first ``n_symbols`` packed symbols; letters 0, 1... give the codes."""

    def checksum_bytes(self, data: Array, position: int) -> int:
        """A sum over the words (8 bytes, little-endian, the last filled with zeros) of some bytes (uint8), each mixed
        with its number, ``position // 8`` for the first, modulo 2^64: of consecutive pieces it adds up to that of the
        whole. ``position`` is the place of the first byte, a multiple of 8."""
