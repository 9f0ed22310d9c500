"""The protocol of cyclic sequences: symbols in blocks, from any position.

Symbols are codes 0..k-1 (see `symbols.Symbols`). A de Bruijn sequence of order n over k symbols has k^n of them, and
each word of n symbols is one of its windows once, going round. All methods begin with the window of n zeros.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import CudaUnavailableError, OptionValueError
from debruijn_gpu.sequences.options import MOST_ORDER

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend

#: Symbols of a block on the CPU: it stays in the cache of a few cores and is large enough for threads; a multiple of 64
BLOCK_SYMBOLS = 1 << 24


class CyclicSequence(ABC):
    """A cyclic sequence over ``n_symbols`` symbols whose windows of ``order`` symbols differ.

    Attributes
    ----------
    n_symbols : int
        k, at least 2.
    order : int
        n, at least 1.
    length : int
        Symbols of a round: k^n of a de Bruijn sequence. May be beyond 2^64.
    """

    n_symbols: int
    order: int
    length: int

    @abstractmethod
    def blocks(
        self,
        start: int,
        stop: int,
        backend: SequenceBackend,
        letters: NDArray[np.uint8] | None = None,
        block: int = BLOCK_SYMBOLS,
    ) -> Iterator[Array]:
        """The symbols at start..stop, block after block.

        Parameters
        ----------
        start, stop : int
            0 <= start <= stop <= length.
        backend : SequenceBackend
            Where blocks are made.
        letters : ndarray, dtype=uint8, shape=(n_symbols,), optional
            What to write for each code; by default the code.
        block : int
            Symbols of each block but the last; a multiple of 64.

        Yields
        ------
        array of the backend, shape=(block,)
            uint8 with ``letters``, else `symbols.code_dtype`. The caller may keep it.
        """

    def bit_blocks(
        self, start: int, stop: int, backend: SequenceBackend, block: int = BLOCK_SYMBOLS
    ) -> Iterator[Array]:
        """The symbols of an alphabet of two, packed (uint8), the first in the highest bit of the first byte; unused
        bits of the last byte are 0. Otherwise as `blocks`."""
        for symbols in self.blocks(start, stop, backend, block=block):
            yield backend.sequences.pack_symbols(symbols, 1)


class RankedSequence(CyclicSequence):
    """A sequence in which places are found without walking there."""

    @abstractmethod
    def windows_at(self, positions: Sequence[int]) -> NDArray[Any]:
        """The windows that begin at some positions (each in 0..length-1): codes (len(positions), order)."""

    @abstractmethod
    def positions_of(self, windows: NDArray[Any]) -> list[int]:
        """Where windows begin: the inverse of `windows_at`. Windows are codes (m, order)."""


class StoredSequence(CyclicSequence):
    """A sequence that is made as a whole and kept.

    Parameters
    ----------
    codes : array of a backend, shape=(length,)
        `symbols.code_dtype`.
    n_symbols, order : int
    """

    def __init__(self, codes: Array, n_symbols: int, order: int) -> None:
        self.codes = codes
        self.n_symbols = n_symbols
        self.order = order
        self.length = len(codes)

    def blocks(
        self,
        start: int,
        stop: int,
        backend: SequenceBackend,
        letters: NDArray[np.uint8] | None = None,
        block: int = BLOCK_SYMBOLS,
    ) -> Iterator[Array]:
        """See `CyclicSequence.blocks`. The backend is the one whose array the codes are."""
        for begin in range(start, stop, block):
            codes = self.codes[begin : min(begin + block, stop)]
            yield codes if letters is None else backend.sequences.translate_symbols(codes, letters)


def sequential_only(method: str) -> CudaUnavailableError:
    """The error for ``--backend cuda`` with a method whose every step waits for the one before."""
    return CudaUnavailableError(
        f"CUDA cannot be used: --method {method} is sequential",
        "use --backend cpu, or --method lyndon, euler, lfsr or crt",
    )


def check_order(order: int) -> None:
    """Raise OptionValueError unless the window length is valid."""
    if not 1 <= order <= MOST_ORDER:
        raise OptionValueError(f"-n is {order}", f"give a length from 1 to {MOST_ORDER}")
