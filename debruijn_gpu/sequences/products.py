"""De Bruijn sequences over any alphabet from those over prime powers: method crt.

Where k = q_1 q_2 ... with coprime q_j, the symbol at place i is the one x that leaves the remainder s_j[i mod q_j^n]
modulo q_j for each j, s_j being a sequence over q_j symbols. By the Chinese remainder theorem, each of the k^n places
has another combination of places in the s_j, hence of their windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.arithmetic.integers import chinese_remainder, prime_powers
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.sequences.fields import MOST_ELEMENTS
from debruijn_gpu.sequences.registers import RegisterSequence
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS, RankedSequence, check_order
from debruijn_gpu.sequences.symbols import code_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend


class ProductSequence(RankedSequence):
    """The de Bruijn sequence of several shift registers.

    Parameters
    ----------
    n_symbols : int
        Its prime powers are at most `fields.MOST_ELEMENTS`.
    order : int
        As far as there is a `RegisterSequence` for each prime power.

    Raises
    ------
    OptionValueError
        If there are no such registers, or they cannot be found.
    """

    def __init__(self, n_symbols: int, order: int) -> None:
        check_order(order)
        sizes = prime_powers(n_symbols)
        if sizes[-1] > MOST_ELEMENTS:
            raise OptionValueError(
                f"crt: {n_symbols:,} symbols have the prime power {sizes[-1]:,}, and above {MOST_ELEMENTS:,} there are "
                "no registers",
                "take --method lyndon",
            )
        self.parts = [RegisterSequence(size, order) for size in sizes]
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
        """See `CyclicSequence.blocks`: short parts are made once, long ones block by block."""
        if len(self.parts) == 1:
            yield from self.parts[0].blocks(start, stop, backend, letters, block)
            return
        factors = [_Factor(part, block, backend) for part in self.parts]
        tables = [*(_table(sizes) for sizes in self._sizes[:-1]), self._letters(letters)]
        for begin in range(start, stop, block):
            n = min(block, stop - begin)
            codes, at = factors[0].range(begin, n)
            for factor, table in zip(factors[1:], tables, strict=True):
                symbols, place = factor.range(begin, n)
                codes = backend.sequences.combine_symbols(codes, at, symbols, place, n, factor.n_symbols, table)
                at = 0
            yield codes

    def bit_blocks(
        self, start: int, stop: int, backend: SequenceBackend, block: int = BLOCK_SYMBOLS
    ) -> Iterator[Array]:
        """See `CyclicSequence.bit_blocks`: two symbols have one part."""
        yield from self.parts[0].bit_blocks(start, stop, backend, block)

    @property
    def _sizes(self) -> list[list[int]]:
        """The sizes of the first two parts, three and so on."""
        return [[part.n_symbols for part in self.parts[: i + 1]] for i in range(1, len(self.parts))]

    def _letters(self, letters: NDArray[np.uint8] | None) -> NDArray[Any]:
        """Combine the letters of the last two parts."""
        table = _table(self._sizes[-1])
        return table if letters is None else letters[table]

    def windows_at(self, positions: Sequence[int]) -> NDArray[Any]:
        """See `RankedSequence.windows_at`."""
        windows = self.parts[0].windows_at([position % self.parts[0].length for position in positions])
        for part, sizes in zip(self.parts[1:], self._sizes, strict=True):
            others = part.windows_at([position % part.length for position in positions])
            windows = _table(sizes)[windows.astype(np.int64) * part.n_symbols + others]
        return windows.astype(code_dtype(self.n_symbols))

    def positions_of(self, windows: NDArray[Any]) -> list[int]:
        """See `RankedSequence.positions_of`: in each part, and then in all.

        Raises
        ------
        OptionValueError
            If that is too hard for a part.
        """
        codes = windows.astype(np.int64)
        places = [part.positions_of(codes % part.n_symbols) for part in self.parts]
        lengths = [part.length for part in self.parts]
        return [chinese_remainder(list(found), lengths) for found in zip(*places, strict=True)]


def _table(sizes: list[int]) -> NDArray[Any]:
    """The number for the remainder a modulo the product of all sizes but the last, and b modulo the last, at
    ``a * sizes[-1] + b``."""
    last, others = sizes[-1], int(np.prod(sizes[:-1]))
    numbers = np.arange(others * last)
    table = np.empty(others * last, code_dtype(others * last))
    table[numbers % others * last + numbers % last] = numbers
    return table


class _Factor:
    """A part, as `SequenceBackend.combine_symbols` takes it."""

    def __init__(self, part: RegisterSequence, block: int, backend: SequenceBackend) -> None:
        self._part, self._backend, self.n_symbols = part, backend, part.n_symbols
        self._whole = self._segment(0, part.length) if part.length <= block else None

    def _segment(self, start: int, stop: int) -> Array:
        return next(self._part.blocks(start, stop, self._backend, block=stop - start))

    def range(self, start: int, n: int) -> tuple[Array, int]:
        """An array and a place in it from which on, going round, it has the n symbols at start and behind."""
        length = self._part.length
        start %= length
        if self._whole is not None:
            return self._whole, start
        if start + n <= length:
            return self._segment(start, start + n), 0
        return self._backend.sequences.concatenate_symbols(
            self._segment(start, length), self._segment(0, start + n - length)
        ), 0
