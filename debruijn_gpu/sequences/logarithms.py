"""Discrete logarithms in GF(q^n): which power of x an element is."""

from __future__ import annotations

import math
from functools import cached_property

from debruijn_gpu import backends
from debruijn_gpu.backends.sequences.containers import Elements, Ring, StepTable, bits_of
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences.integers import chinese_remainder

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
    ParameterError
        If one of these is too large.
    """

    def __init__(self, ring: Ring, factors: dict[int, int]) -> None:
        largest = max(factors, default=1)
        if largest > MOST_PRIME:
            raise ParameterError(
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
