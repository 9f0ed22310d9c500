"""What a backend does to write sequences of linear feedback shift registers.

s[i] = c_1 s[i - l_1] + c_2 s[i - l_2] + ... over GF(q), with falling lags l_1 = n > l_2 > ... . Then also
s[i] = c_1 s[i - l_1 u] + c_2 s[i - l_2 u] + ... for each power u of q, because p(x)^u = p(x^u). So a sequence grows
from n u symbols to any length in rows of u that depend on whole rows before them: columns are independent. u grows with
the sequence, up to what the backend finds best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.protocol import Array


@dataclass(frozen=True, eq=False)
class Recurrence:
    """A recurrence over GF(q).

    Attributes
    ----------
    p, q : int
        q is a power of the prime p, at most 65536.
    lags : tuple of int
        Falling, at least two (for n = 1 the second, with coefficient 0, is the first again); for q = 2 two or four.
    products : ndarray, dtype=uint16, shape=(n_lags, q)
        Each element times each coefficient.
    steps : ndarray, dtype=uint8, shape=(n_lags - 1, q * q)
        For q up to 256: ``steps[0][q a + b]`` is c_1 a + c_2 b, ``steps[t][q a + b]`` is a + c_(t + 2) b. Empty else.
    """

    p: int
    q: int
    lags: tuple[int, ...]
    products: NDArray[np.uint16]
    steps: NDArray[np.uint8]

    @property
    def n(self) -> int:
        return self.lags[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of symbols."""
        return np.dtype(np.uint8 if self.q <= 1 << 8 else np.uint16)


def growth(known: int, unit: int, factor: int, most: int, total: int) -> Iterator[tuple[int, int, int]]:
    """Steps in which a sequence grows: the length of a row, and from which item to which.

    Parameters
    ----------
    known, unit : int
        Items that are there, and the length of a row, of which they are n.
    factor : int
        By how much a row may be longer than that before: q.
    most : int
        Length that a row shall not exceed.
    total : int
        Items that there shall be.
    """
    while known < total:
        end = min(total, known * factor) if unit * factor <= most else total
        yield unit, known, end
        known, unit = end, unit * factor


class RegisterBackend(Protocol):
    """A module with these names."""

    def register_bits(self, recurrence: Recurrence, state: NDArray[np.uint8], n: int, is_cleared: bool) -> Array:
        """n symbols (at least 1) of a sequence over GF(2), packed as `SymbolBackend.pack_symbols` does, from its first
        ones on, ``state`` (recurrence.n,). If ``is_cleared``, the first is 0 instead. For a recurrence of n = 1, at
        most 64 symbols."""

    def register_symbols(self, recurrence: Recurrence, state: NDArray[Any], n: int, is_cleared: bool) -> Array:
        """n symbols (recurrence.dtype) of a sequence over GF(q); else as `register_bits`."""

    def combine_symbols(
        self,
        first: Array,
        first_start: int,
        second: Array,
        second_start: int,
        n: int,
        n_second: int,
        table: NDArray[Any],
    ) -> Array:
        """Two circles of symbols made one: ``table[first[i] * n_second + second[i]]`` for n places i, from a place in
        each on, in the dtype of the table.

        Parameters
        ----------
        first, second : uint8, uint16 or uint32
            At least one symbol each.
        first_start, second_start : int
            Where to begin in them: below their lengths.
        n : int
        n_second : int
            Symbols that ``second`` may have.
        table : ndarray, uint8, uint16 or uint32
            NumPy's.
        """

    def join_symbols(self, first: Array, second: Array) -> Array:
        """One array and then the other, of the same dtype."""
