"""De Bruijn sequences by linear feedback shift registers (method lfsr), and discrete logarithms in GF(q^n)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.arithmetic.integers import chinese_remainder, prime_power
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.sequences.containers import Elements, Recurrence, Ring, StepTable, bits_of
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.sequences.fields import Field, Polynomial, field, make_ring, prime_factors, primitive_polynomial
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS, RankedSequence, check_order
from debruijn_gpu.sequences.symbols import code_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend

#: The largest prime factor of q^n - 1 with which logarithms are found: some seconds, and some tens of megabytes.
MOST_PRIME = 1 << 44
_MOST_STEPS = 1 << 22
#: How many logarithms a table should pay for, at least.
_BATCH = 64


class _Subgroup:
    """The powers of x whose order divides a power of a prime."""

    def __init__(self, ring: Ring, prime: int, exponent: int, n_elements: int) -> None:
        self.prime, self.order = prime, prime**exponent
        self._ring, self._n_elements = ring, n_elements
        cofactor = n_elements // self.order
        n_bits = n_elements.bit_length()
        self.cofactor = bits_of([cofactor], n_bits)[0]
        places = [cofactor * prime**k for k in range(exponent)]
        host = backends.host()
        self.roots = host.sequences.ring_powers_of_x(ring, bits_of([n_elements - place for place in places], n_bits))
        self._base = host.sequences.ring_powers_of_x(ring, bits_of([places[-1]], n_bits))[0]
        self.n_steps = min(prime, _MOST_STEPS, math.isqrt(prime * _BATCH))

    @cached_property
    def steps(self) -> StepTable:
        """The table to the base of order ``prime``."""
        return backends.host().sequences.make_steps(self._ring, self._base, self.roots[-1], self.n_steps)

    def find(self, elements: Elements) -> list[int]:
        """Logarithms modulo the order."""
        host = backends.host()
        values = host.sequences.ring_powers(self._ring, elements, self.cofactor)
        digits = host.sequences.find_logs(self._ring, values, self.roots, self.prime, self.steps, self.n_steps)
        weights = [self.prime**k for k in range(digits.shape[1])]
        return [sum(map(int.__mul__, row, weights)) for row in digits.tolist()]


class Logarithms:
    """Logarithms to the base x, a primitive element.

    Parameters
    ----------
    ring : Ring
    factors : dict of int
        The exponents of the prime factors of q^n - 1.

    Raises
    ------
    OptionValueError
        If one of these is too large.
    """

    def __init__(self, ring: Ring, factors: dict[int, int]) -> None:
        largest = max(factors, default=1)
        if largest > MOST_PRIME:
            raise OptionValueError(
                f"lfsr cannot locate windows of {ring.n} symbols: {ring.q}^{ring.n} - 1 has the prime factor "
                f"{largest:,}, and discrete logarithms are out of reach above {MOST_PRIME:,}",
                "take --method lyndon, which locates windows of any order",
            )
        n_elements = math.prod(prime**exponent for prime, exponent in factors.items())
        self._subgroups = [_Subgroup(ring, prime, exponent, n_elements) for prime, exponent in factors.items()]

    def find(self, elements: Elements) -> list[int]:
        """The logarithms of some elements (m, n), none of them 0."""
        remainders = [subgroup.find(elements) for subgroup in self._subgroups]
        moduli = [subgroup.order for subgroup in self._subgroups]
        return [chinese_remainder([found[i] for found in remainders], moduli) for i in range(len(elements))]


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
    OptionValueError
        If there is no such register, or it cannot be found.
    """

    def __init__(self, n_symbols: int, order: int) -> None:
        if prime_power(n_symbols) is None:
            raise OptionValueError(
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
        OptionValueError
            If these are too hard at this order.
        """
        rows = np.ascontiguousarray(windows, np.uint32)
        is_zero: NDArray[np.bool_] = ~np.any(rows, axis=1)
        places = iter(self.register.logarithms(rows[~is_zero]))
        return [0 if zero else next(places) + 1 for zero in is_zero.tolist()]
