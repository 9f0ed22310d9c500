"""De Bruijn sequences by linear feedback shift registers: method lfsr.

A register with a primitive polynomial of degree n over GF(q) runs through all states but 0: a sequence of period
q^n - 1, here the one that begins with n - 1 zeros and a one. One more zero before them makes a de Bruijn sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.sequences.containers import Elements, Recurrence, bits_of
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences.fields import Field, Polynomial, field, make_ring, prime_factors, primitive_polynomial
from debruijn_gpu.sequences.integers import prime_power
from debruijn_gpu.sequences.logarithms import Logarithms
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS, RankedSequence, check_order
from debruijn_gpu.sequences.symbols import code_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend

_TABLE_ELEMENTS = 1 << 8


def _make_recurrence(base: Field, polynomial: Polynomial) -> Recurrence:
    """The recurrence of the sequences that belong to a polynomial."""
    lags = [polynomial.degree - tap for tap in polynomial.taps]
    coefficients = list(polynomial.coefficients)
    if len(lags) == 1:
        lags, coefficients = lags * 2, [*coefficients, 0]
    products = np.array([base.multiples(c) for c in coefficients], np.uint16)
    steps = np.empty((0, 0), np.uint8)
    if base.q <= _TABLE_ELEMENTS:
        elements = np.arange(base.q)
        pairs = [(products[0], products[1]), *((elements, row) for row in products[2:])]
        steps = np.array([base.sums(a[:, np.newaxis], b).ravel() for a, b in pairs], np.uint8)
    return Recurrence(base.p, base.q, tuple(lags), products, steps)


class Register:
    """A linear feedback shift register with a primitive polynomial.

    Parameters
    ----------
    q : int
        Symbols; a power of a prime.
    order : int

    Attributes
    ----------
    period : int
        q^order - 1.
    """

    def __init__(self, q: int, order: int) -> None:
        check_order(order)
        self.polynomial = primitive_polynomial(q, order)
        self._field = field(q)
        self.ring = make_ring(self._field, self.polynomial)
        self.recurrence = _make_recurrence(self._field, self.polynomial)
        self.period: int = q**order - 1

    def powers_of_x(self, exponents: Sequence[int]) -> Elements:
        """x to some powers, modulo the period."""
        reduced = (exponent % self.period for exponent in exponents)
        return backends.host().sequences.ring_powers_of_x(self.ring, bits_of(reduced, self.period.bit_length()))

    def multiply(self, a: Elements, b: Elements) -> Elements:
        """The product of two elements (n,)."""
        product: Elements = backends.host().sequences.ring_product(self.ring, a, b)
        return product

    def invert(self, element: Elements) -> Elements:
        """1 over an element (n,), which is not 0: its power of the period less 1."""
        exponent = bits_of([self.period - 1], self.period.bit_length())[0]
        inverse: Elements = backends.host().sequences.ring_powers(self.ring, element[np.newaxis], exponent)[0]
        return inverse

    def subtract(self, a: Elements, b: Elements) -> Elements:
        """The difference of two elements (n,)."""
        minus_one = self._field.multiples(self._field.negate(1))
        return self._field.sums(a, minus_one[b]).astype(np.uint32)

    def windows(self, elements: Elements) -> Elements:
        """The first symbols of the sequences that belong to some elements: see `Ring`."""
        return backends.host().sequences.ring_windows(self.ring, elements)

    def logarithms(self, windows: Elements) -> list[int]:
        """Where windows, not of zeros alone, are in the sequence that begins with zeros and a one."""
        negated = np.array([self._field.negate(c) for c in self.polynomial.coefficients], np.int64)
        return self._logarithms.find(backends.host().sequences.ring_elements(self.ring, windows, negated))

    @cached_property
    def _logarithms(self) -> Logarithms:
        return Logarithms(self.ring, prime_factors(self.recurrence.q, self.recurrence.n))

    def write(
        self, element: Elements, n: int, is_cleared: bool, backend: SequenceBackend, letters: NDArray[np.uint8] | None
    ) -> Array:
        """n symbols of the sequence of an element (n,), as `CyclicSequence.blocks` gives them; the first is 0 if
        ``is_cleared``."""
        if self.recurrence.q == 2:
            packed = self.write_bits(element, n, is_cleared, backend)
            return backend.sequences.unpack_symbols(
                packed, 1, n, np.arange(2, dtype=np.uint8) if letters is None else letters
            )
        state = self.windows(element[np.newaxis])[0]
        codes = backend.sequences.register_symbols(self.recurrence, state, n, is_cleared)
        return codes if letters is None else backend.sequences.translate_symbols(codes, letters)

    def write_bits(self, element: Elements, n: int, is_cleared: bool, backend: SequenceBackend) -> Array:
        """`write` over two symbols, packed."""
        return backend.sequences.register_bits(self.recurrence, self.windows(element[np.newaxis])[0], n, is_cleared)


class RegisterSequence(RankedSequence):
    """The de Bruijn sequence of a shift register.

    Parameters
    ----------
    n_symbols : int
        A power of a prime, at most `fields.MOST_ELEMENTS`.
    order : int
        As far as the factors of n_symbols^order - 1 are found.

    Raises
    ------
    ParameterError
        If there is no such register, or it cannot be found.
    """

    def __init__(self, n_symbols: int, order: int) -> None:
        if prime_power(n_symbols) is None:
            raise ParameterError(
                f"lfsr: {n_symbols} symbols, which is not a power of a prime", "take --method crt, for any alphabet"
            )
        self.register = Register(n_symbols, order)
        self.n_symbols = n_symbols
        self.order = order
        self.length = self.register.period + 1

    def blocks(
        self,
        start: int,
        stop: int,
        backend: SequenceBackend,
        letters: NDArray[np.uint8] | None = None,
        block: int = BLOCK_SYMBOLS,
    ) -> Iterator[Array]:
        """See `CyclicSequence.blocks`: each block from its own state."""
        for begin in range(start, stop, block):
            element = self.register.powers_of_x([begin - 1])[0]
            yield self.register.write(element, min(block, stop - begin), begin == 0, backend, letters)

    def bit_blocks(
        self, start: int, stop: int, backend: SequenceBackend, block: int = BLOCK_SYMBOLS
    ) -> Iterator[Array]:
        """See `CyclicSequence.bit_blocks`."""
        for begin in range(start, stop, block):
            element = self.register.powers_of_x([begin - 1])[0]
            yield self.register.write_bits(element, min(block, stop - begin), begin == 0, backend)

    def windows_at(self, positions: Sequence[int]) -> NDArray[Any]:
        """See `RankedSequence.windows_at`: powers of x."""
        windows = self.register.windows(self.register.powers_of_x([position - 1 for position in positions]))
        windows[[position == 0 for position in positions]] = 0
        return windows.astype(code_dtype(self.n_symbols))

    def positions_of(self, windows: NDArray[Any]) -> list[int]:
        """See `RankedSequence.positions_of`: discrete logarithms.

        Raises
        ------
        ParameterError
            If these are too hard at this order.
        """
        rows = np.ascontiguousarray(windows, np.uint32)
        is_zero: NDArray[np.bool_] = ~np.any(rows, axis=1)
        places = iter(self.register.logarithms(rows[~is_zero]))
        return [0 if zero else next(places) + 1 for zero in is_zero.tolist()]
