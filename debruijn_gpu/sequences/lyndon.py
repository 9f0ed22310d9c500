"""The lexicographically least de Bruijn sequence, made of Lyndon words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.sequences.containers import RootPlace
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences.lyndon_ranks import LongRanks
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS, RankedSequence, check_order
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
        ParameterError
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
            raise ParameterError(
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
