"""Shift registers of de Bruijn sequences as lists of taps, C and Verilog.

A linear feedback shift register of n symbols over GF(q) passes all windows but the one of zeros (Golomb 1967). With one
change it passes all q^n: the window of zeros is entered where a one would follow n - 1 zeros, and left with that one.
For two symbols this is the feedback, exclusive or a NOR of all symbols but the first: a nonlinear register.

For other alphabets, a register for each prime power that divides their size runs, and the symbol is the one that leaves
their symbols as remainders (see `products`). Symbols of GF(p^m) are m digits to the base p, and multiplication by an
element is linear in them, so that the feedback is a sum modulo p.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from debruijn_gpu.arithmetic.integers import chinese_remainder, prime_powers
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.sequences.fields import Field, Polynomial, field, primitive_polynomial


@dataclass(frozen=True)
class Term:
    """A summand of a digit of the feedback: a factor times a digit of a symbol of the window."""

    place: int
    digit: int
    factor: int


@dataclass(frozen=True, eq=False)
class RegisterForm:
    """A shift register.

    Attributes
    ----------
    base : Field
        GF(q); q = p^m.
    polynomial : Polynomial
        x^n = c_0 + c_a x^a + ..., by which symbol i + n is the sum of c_a times symbol i + a.
    weight : int
        What the symbol of the alphabet is: the sum of weight times symbol over all registers, modulo their product.
    """

    base: Field
    polynomial: Polynomial
    weight: int

    @property
    def order(self) -> int:
        """Symbols of the window."""
        return self.polynomial.degree

    @cached_property
    def last(self) -> int:
        """The symbol that is followed by n zeros: linear feedback would be 1 behind it."""
        return self.base.invert(self.polynomial.coefficients[0])

    def digits(self, symbol: int) -> list[int]:
        """Digits of a symbol to the base p, the lowest first."""
        return [symbol // self.base.p**t % self.base.p for t in range(self.base.m)]

    @cached_property
    def terms(self) -> list[list[Term]]:
        """Terms of each digit of the linear feedback; their sum is taken modulo p."""
        found: list[list[Term]] = [[] for _ in range(self.base.m)]
        for tap, coefficient in zip(self.polynomial.taps, self.polynomial.coefficients, strict=True):
            for u in range(self.base.m):
                product = self.base.multiply(coefficient, self.base.p**u)
                for terms, factor in zip(found, self.digits(product), strict=True):
                    if factor:
                        terms.append(Term(tap, u, factor))
        return found

    def describe(self) -> str:
        """Describe the recurrence in one line."""
        parts = []
        for tap, coefficient in zip(self.polynomial.taps, self.polynomial.coefficients, strict=True):
            power = "" if tap == 0 else "x" if tap == 1 else f"x^{tap}"
            parts.append(
                " ".join(part for part in ("" if coefficient == 1 and power else str(coefficient), power) if part)
            )
        power = "x" if self.order == 1 else f"x^{self.order}"
        text = f"{power} = {' + '.join(parts)} over GF({self.base.q})"
        if self.base.m == 1:
            return text
        modulus = primitive_polynomial(self.base.p, self.base.m)
        tail = " + ".join(f"{c} y^{a}" for a, c in zip(modulus.taps, modulus.coefficients, strict=True))
        return f"{text}, elements as digits to the base {self.base.p}, y^{self.base.m} = {tail}"


def register_forms(n_symbols: int, order: int) -> list[RegisterForm]:
    """Find the shift registers of the de Bruijn sequence of methods lfsr and crt.

    Raises
    ------
    OptionValueError
        If there are none: one symbol, or fields or orders that are too large.
    """
    if n_symbols == 1:
        raise OptionValueError("--export: one symbol needs no register", "give two symbols or more (--alphabet)")
    sizes = prime_powers(n_symbols)
    return [
        RegisterForm(
            field(size),
            primitive_polynomial(size, order),
            chinese_remainder([int(other == size) for other in sizes], sizes),
        )
        for size in sizes
    ]


def export_taps(registers: list[RegisterForm]) -> str:
    """Write the registers as a table: a row for each tap."""
    lines = [f"# register {number}: {form.describe()}" for number, form in enumerate(registers, 1)]
    lines += [
        "# symbol i + order of a register is the sum of coefficient * symbol i + tap, but for two windows:",
        "# zeros are followed by 1; the symbol in column last and then zeros are followed by 0",
        "register\tsymbols\torder\ttap\tcoefficient\tlast\tweight",
    ]
    for number, form in enumerate(registers, 1):
        for tap, coefficient in zip(form.polynomial.taps, form.polynomial.coefficients, strict=True):
            lines.append(f"{number}\t{form.base.q}\t{form.order}\t{tap}\t{coefficient}\t{form.last}\t{form.weight}")
    return "\n".join(lines) + "\n"


def heading(registers: list[RegisterForm], n_symbols: int, order: int) -> list[str]:
    """Describe a sequence and its registers, for comments."""
    lines = [f"De Bruijn sequence B({n_symbols}, {order}): each window of {order} symbols occurs once."]
    return lines + [f"Register {number}: {form.describe()}" for number, form in enumerate(registers, 1)]
