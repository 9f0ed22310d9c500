"""De Bruijn sequences by a walk that takes the exits of each word in an order: at random, or prefer-same.

Both are made as a whole, step after step, on the CPU; see `ExitBackend` for how.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.parallel import interruptible
from debruijn_gpu.run.resources import available_memory, format_bytes
from debruijn_gpu.sequences.sequence import StoredSequence, check_order
from debruijn_gpu.sequences.symbols import code_dtype

_MOST_BITS = 62  # of a length that is computed


class PreferSameSequence(StoredSequence):
    """The sequence in which each symbol s is followed by the first of s, s + 1, ... (mod k) that makes a new window.

    Parameters
    ----------
    n_symbols, order : int
    n_bytes_allowed : int, optional
        Memory that it may take; by default all that there is.

    Raises
    ------
    OutOfMemoryError
        If it takes more.
    """

    def __init__(self, n_symbols: int, order: int, n_bytes_allowed: int | None = None) -> None:
        codes = _room("prefer-same", n_symbols, order, code_dtype(n_symbols).itemsize, n_bytes_allowed)
        interruptible(lambda: backends.host().sequences.walk_prefer_same(n_symbols, order, codes))
        super().__init__(codes, n_symbols, order)


class RandomSequence(StoredSequence):
    """One of all de Bruijn sequences, each with the same probability.

    Parameters
    ----------
    n_symbols, order : int
    seed : int
        Any integer; the same one gives the same sequence everywhere.
    n_bytes_allowed : int, optional
        Memory that it may take; by default all that there is.

    Raises
    ------
    OutOfMemoryError
        If it takes more.
    """

    def __init__(self, n_symbols: int, order: int, seed: int, n_bytes_allowed: int | None = None) -> None:
        for_vertex = n_symbols / 8 + 16 if n_symbols > 57 else n_symbols / 4 + 1
        codes = _room("random", n_symbols, order, for_vertex, n_bytes_allowed)
        interruptible(lambda: backends.host().sequences.walk_at_random(n_symbols, order, seed, codes))
        super().__init__(codes, n_symbols, order)


def _room(
    method: str, n_symbols: int, order: int, bytes_for_vertex: float, n_bytes_allowed: int | None
) -> NDArray[Any]:
    """An array for the codes, if they and the tables of vertices fit into memory."""
    check_order(order)
    allowed = available_memory() if n_bytes_allowed is None else n_bytes_allowed
    dtype = code_dtype(n_symbols)
    is_huge = order * (n_symbols.bit_length() - 1) > _MOST_BITS
    needed = 0 if is_huge else (dtype.itemsize * n_symbols + bytes_for_vertex) * n_symbols ** (order - 1)
    if is_huge or needed > allowed:
        amount = "more than 2^60 bytes" if is_huge else format_bytes(needed)
        raise OutOfMemoryError(
            f"Out of memory: {n_symbols}^{order} symbols by --method {method} need {amount}, "
            f"{format_bytes(allowed)} are allowed",
            "choose a smaller -n, allow more (-m), or use --method lyndon, lfsr or crt, which keep nothing",
        )
    return np.empty(n_symbols**order, dtype)
