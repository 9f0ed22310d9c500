"""De Bruijn sequences of Lyndon words: lexicographic, colexicographic, and ranks of windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.sequences import scalars
from debruijn_gpu.backends.sequences.containers import RootPlace
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS, CyclicSequence, RankedSequence, check_order, sequential_only
from debruijn_gpu.sequences.symbols import code_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend


class LyndonSequence(RankedSequence):
    """The Lyndon words whose length divides n, in lexicographic order (Fredricksen and Maiorana 1978). Windows are
    found by counting necklaces; see `backends.necklaces`.

    Parameters
    ----------
    n_symbols : int
        k, 2 to 2^24.
    order : int
        n, any.

    Attributes
    ----------
    is_compiled : bool
        Whether compiled code counts, in 64 bits, or Python does.
    """

    def __init__(self, n_symbols: int, order: int) -> None:
        check_order(order)
        self.n_symbols = n_symbols
        self.order = order
        self.length = n_symbols**order
        self.is_compiled = self.length <= 1 << 64

    def blocks(
        self,
        start: int,
        stop: int,
        backend: SequenceBackend,
        letters: NDArray[np.uint8] | None = None,
        block: int = BLOCK_SYMBOLS,
    ) -> Iterator[Array]:
        """See `CyclicSequence.blocks`. On the CPU, the place in a sequence of more than 2^64 symbols is found once, and
        its symbols follow from there in one thread.

        Raises
        ------
        OptionValueError
            If the sequence has more than 2^64 symbols and the backend is not the CPU.
        """
        if not self.is_compiled:
            yield from self._follow(start, stop, backend, letters, block)
            return
        for begin in range(start, stop, block):
            end = min(begin + block, stop)
            yield backend.sequences.lyndon_symbols(self.n_symbols, self.order, begin, end, letters)

    def _follow(
        self, start: int, stop: int, backend: SequenceBackend, letters: NDArray[np.uint8] | None, block: int
    ) -> Iterator[NDArray[Any]]:
        host = backends.host()
        if not backend.is_sequential:
            raise OptionValueError(
                f"on a GPU, --method lyndon holds 2^64 symbols, and {self.n_symbols}^{self.order} are more",
                "use --backend cpu, or give a smaller -n",
            )
        if start == stop:
            return
        place = RootPlace(np.zeros(self.order, np.uint32), 1, 0)
        if start:
            place = LongRanks(self.n_symbols, self.order).place(start)
        for begin in range(start, stop, block):
            yield host.sequences.follow_lyndon(place, self.n_symbols, min(block, stop - begin), letters)

    def windows_at(self, positions: Sequence[int]) -> NDArray[Any]:
        """See `RankedSequence.windows_at`."""
        dtype = code_dtype(self.n_symbols)
        if self.is_compiled:
            found = backends.host().sequences.lyndon_windows(self.n_symbols, self.order, np.array(positions, np.uint64))
            return found.astype(dtype)
        ranks = LongRanks(self.n_symbols, self.order)
        windows = np.empty((len(positions), self.order), dtype)
        for i, position in enumerate(positions):
            windows[i] = ranks.window(position)
        return windows

    def positions_of(self, windows: NDArray[Any]) -> list[int]:
        """See `RankedSequence.positions_of`."""
        if self.is_compiled:
            found = backends.host().sequences.lyndon_positions(self.n_symbols, self.order, windows.astype(np.uint32))
            return [int(position) for position in found]
        ranks = LongRanks(self.n_symbols, self.order)
        return [ranks.position(window.tolist()) for window in windows]


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
    OptionValueError
        If the sums would take too much memory and time.
    """

    def __init__(self, n_symbols: int, order: int) -> None:
        if order * (n_symbols - 1).bit_length() > _MOST_BITS:
            raise OptionValueError(
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
        OptionValueError
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
            raise OptionValueError(
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


_SKIPPED_AT_ONCE = 1 << 28  # symbols; in between, an interrupt is heard


class GrandmamaSequence(CyclicSequence):
    """The roots of all necklaces of n letters, in colexicographic order of the necklaces (Dragon, Hernandez, Sawada,
    Williams and Wong 2018). A place is reached by walking there.

    Parameters
    ----------
    n_symbols : int
        k, 2 to 2^24.
    order : int
        n, any.
    """

    def __init__(self, n_symbols: int, order: int) -> None:
        check_order(order)
        self.n_symbols = n_symbols
        self.order = order
        self.length = n_symbols**order

    def blocks(
        self,
        start: int,
        stop: int,
        backend: SequenceBackend,
        letters: NDArray[np.uint8] | None = None,
        block: int = BLOCK_SYMBOLS,
    ) -> Iterator[Array]:
        """See `CyclicSequence.blocks`.

        Raises
        ------
        CudaUnavailableError
            If the backend is not the CPU.
        """
        if not backend.is_sequential:
            raise sequential_only("grandmama")
        host = backends.host()
        if start == stop:
            return
        place = RootPlace(np.zeros(self.order, np.uint32), 1, 0)
        for begin in range(0, start, _SKIPPED_AT_ONCE):
            host.sequences.skip_colex(place, self.n_symbols, min(_SKIPPED_AT_ONCE, start - begin))
        for begin in range(start, stop, block):
            yield host.sequences.follow_colex(place, self.n_symbols, min(block, stop - begin), letters)
