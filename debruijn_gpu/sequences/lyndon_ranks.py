"""Windows of the least de Bruijn sequence and their positions, one by one, for sequences of any length."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.sequences import scalars
from debruijn_gpu.backends.sequences.containers import RootPlace
from debruijn_gpu.errors import ParameterError

#: Compiled code counts where the sum of all weights is below this, Python alone elsewhere.
_WEIGHT_LIMIT = 1 << 31
_MOST_BITS = 1 << 14  # of a length: sums then take 64 MiB, and finding a window a minute or two
_MOST_STEPS = 1 << 44  # of finding a place, which is a minute: see `LongRanks.place`


class LongRanks:
    """Finds places in a sequence. It has its own room: one thread at a time.

    Parameters
    ----------
    n_symbols, order : int

    Raises
    ------
    ParameterError
        If the sums would take too much memory and time.
    """

    def __init__(self, n_symbols: int, order: int) -> None:
        if order * (n_symbols - 1).bit_length() > _MOST_BITS:
            raise ParameterError(
                f"--method lyndon counts up to 2^{_MOST_BITS} symbols, and {n_symbols}^{order} are more",
                "give a smaller -n, or begin at 0",
            )
        self._n, self._last, self._length = order, n_symbols - 1, n_symbols**order
        self._n_steps = order**4 * (n_symbols - 1).bit_length() ** 2
        self._word = [0] * order
        self._functions: SimpleNamespace | ModuleType
        self._weights: Any
        self._sums: Any
        if n_symbols * order < _WEIGHT_LIMIT:
            self._functions = _functions()
            self._weights, self._sums = np.zeros(order + 1, np.uint64), _LongSums(self._length, order)
        else:
            self._functions = scalars
            self._weights, self._sums = [0] * (order + 1), [0] * (order + 1)

    def place(self, position: int) -> RootPlace:
        """The root at a position. Half of the letters take a search each, of log2(k) sums of n p products of numbers
        of n log2(k) bits.

        Raises
        ------
        ParameterError
            If that would take too long.
        """
        self._check_time()
        period, offset = self._functions.place_root(
            self._length, position, self._n, self._last, self._word, self._weights, self._sums
        )
        return RootPlace(np.array(self._word, np.uint32), period, offset)

    def window(self, position: int) -> list[int]:
        """The codes of the window at a position, which is found as by `place`."""
        self._check_time()
        window = [0] * self._n
        self._functions.find_window(
            self._length, position, self._n, self._last, window, self._word, self._weights, self._sums
        )
        return window

    def position(self, window: Sequence[int]) -> int:
        """Where a window (codes) begins."""
        position: int = self._functions.find_position(
            self._length, window, self._n, self._last, self._word, self._weights, self._sums
        )
        return position

    def _check_time(self) -> None:
        if self._n_steps > _MOST_STEPS:
            raise ParameterError(
                f"--method lyndon would take too long to find a place in {self._last + 1}^{self._n} symbols",
                "give a smaller -n, or begin at 0",
            )


class _LongSums:
    """The items of `necklaces`' ``sums``, which compiled code sets.

    Attributes
    ----------
    limbs : ndarray, dtype=uint64, shape=(n_limbs, order + 1)
        See `HostNecklaceBackend.extend_long_sums`.
    """

    def __init__(self, most: int, order: int) -> None:
        self.limbs = np.zeros((most.bit_length() // 32 + 1, order + 1), np.uint64)

    def __getitem__(self, j: int) -> int:
        return int.from_bytes(self.limbs[:, j].astype("<u4").tobytes(), "little")


@cache
def _functions() -> SimpleNamespace:
    """Return the functions of `sequences.scalars`, with compiled loops in the place of slow ones."""
    host = backends.host()

    def extend_sums(first: int, stop: int, period: int, weights: Any, sums: _LongSums) -> None:
        host.sequences.extend_long_sums(first, stop, period, weights, sums.limbs)

    def set_series(stop: int, period: int, weights: Any, sums: _LongSums) -> None:
        host.sequences.set_long_series(stop, period, weights, sums.limbs)

    return compile_module(lambda function: function, scalars, extend_sums=extend_sums, set_series=set_series)
