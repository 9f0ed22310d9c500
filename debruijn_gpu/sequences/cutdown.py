"""Cyclic sequences of any length whose windows all differ, by shift registers.

Let s be the sequence of a register, of period N = q^n - 1, and L < N. The sequence s[i] - s[i + L] obeys the same
recurrence, so somewhere it has n - 1 zeros in a row. There s agrees in n - 1 symbols with itself L places on: these
L symbols close to a cyclic sequence, whose windows of n symbols are windows of s, and all different. The place is found
by one inversion: if s belongs to the element v (see `Ring`), the difference belongs to v (1 - x^L), and this is 1,
whose window is n - 1 zeros and a one, for v = 1 / (1 - x^L).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.sequences.containers import Elements
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences.integers import prime_power
from debruijn_gpu.sequences.registers import Register, RegisterSequence
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS, CyclicSequence, check_order

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend


def largest_prime_power(most: int) -> int:
    """The largest power of a prime that is at most ``most`` (2 or more)."""
    return next(q for q in range(most, 1, -1) if prime_power(q))


class CutDownRegister(CyclicSequence):
    """A cyclic sequence of any length whose windows of ``order`` symbols all differ.

    Over an alphabet whose size is not a power of a prime it uses the first q symbols, q being the largest one below. It
    need not begin with zeros.

    Parameters
    ----------
    n_symbols, order : int
        As those of `RegisterSequence`, or any ``n_symbols``.
    length : int
        1 to q^order.

    Raises
    ------
    ParameterError
        If the length is out of range, or the register cannot be found.
    """

    def __init__(self, n_symbols: int, order: int, length: int) -> None:
        check_order(order)
        q = largest_prime_power(n_symbols)
        self._whole = RegisterSequence(q, order)
        self.register = self._whole.register
        most = self._whole.length
        if not 1 <= length <= most:
            raise ParameterError(
                f"a cyclic sequence of {length:,} symbols with different windows of {order} over {q} symbols",
                f"give a length from 1 to {most:,}",
            )
        self.n_symbols, self.order, self.length = n_symbols, order, length
        self._start = _closing_element(self.register, length)

    def blocks(
        self,
        start: int,
        stop: int,
        backend: SequenceBackend,
        letters: NDArray[np.uint8] | None = None,
        block: int = BLOCK_SYMBOLS,
    ) -> Iterator[Array]:
        """See `CyclicSequence.blocks`."""
        if self.length == self._whole.length:
            yield from self._whole.blocks(start, stop, backend, letters, block)
            return
        for begin in range(start, stop, block):
            element = self._element_at(begin)
            yield self.register.write(element, min(block, stop - begin), False, backend, letters)

    def bit_blocks(
        self, start: int, stop: int, backend: SequenceBackend, block: int = BLOCK_SYMBOLS
    ) -> Iterator[Array]:
        """See `CyclicSequence.bit_blocks`."""
        if self.length == self._whole.length:
            yield from self._whole.bit_blocks(start, stop, backend, block)
            return
        for begin in range(start, stop, block):
            yield self.register.write_bits(self._element_at(begin), min(block, stop - begin), False, backend)

    def _element_at(self, position: int) -> Elements:
        """The element to which the sequence from a place on belongs."""
        register = self.register
        return register.multiply(self._start, register.powers_of_x([position])[0])


def _closing_element(register: Register, length: int) -> Elements:
    """1 / (1 - x^length), or 1 where the length is at least the period."""
    one = np.zeros(register.recurrence.n, np.uint32)
    one[0] = 1
    if length >= register.period:
        return one
    return register.invert(register.subtract(one, register.powers_of_x([length])[0]))
