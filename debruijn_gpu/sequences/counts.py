"""Count de Bruijn sequences, necklaces and Lyndon words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from debruijn_gpu.arithmetic.integers import divisors, moebius, totient
from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.run.checks import check_range

#: Digits of the longest number that is written out.
MOST_DIGITS = 100_000
_SHOWN_DIGITS = 30  # of a number in a message
_MOST_EXPONENT_DIGITS = 20  # of a power of ten that is written out
_CONTEXT = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN)
_FACTORIAL_IN_FULL = 1000  # beyond this, Stirling's series gives the logarithm, to 36 digits behind the point
_STIRLING = (12, -360, 1260, -1680, 1188)
_TWO_PI = Decimal("6.2831853071795864769252867665590057683943387987502")


@dataclass(frozen=True)
class Count:
    """A number that may be too long to be written out.

    Attributes
    ----------
    formula : str
        Where it comes from, with numbers for k and n.
    exact : int or None
        The number, if it has at most `MOST_DIGITS` digits.
    about : str
        ``16`` itself up to 15 digits, then ``about 1.23e157820``, then ``about 10^(1.23e157820)``.
    """

    formula: str
    exact: int | None
    about: str

    def __str__(self) -> str:
        """All digits, if there are not too many."""
        return self.about if self.exact is None else digits_of(self.exact)


def shown(number: int) -> str:
    """A number with commas, for messages; of a very long one how many digits it has."""
    n_digits = int((number.bit_length() - 1) * 0.30103)
    return f"{number:,}" if n_digits < _SHOWN_DIGITS else f"about 10^{n_digits}"


def count_sequences(n_symbols: int, order: int) -> Count:
    """Count de Bruijn sequences, up to rotation: k!^(k^(n-1)) / k^n. (van Aardenne-Ehrenfest and
    de Bruijn, Simon Stevin 28, 1951; for two symbols, Flye Sainte-Marie 1894. OEIS A016031 for k = 2.)"""
    _check_order(order)
    k, n = n_symbols, order
    formula = f"{k}!^({k}^{n - 1}) / {k}^{n}"
    if k == 1:
        return Count(formula, 1, "1")
    log_factorial = _log10_factorial(k)
    exponent_digits = _log10(k) * (n - 1) + _log10(log_factorial)
    if exponent_digits > _MOST_EXPONENT_DIGITS:
        return Count(formula, None, f"about 10^({_scientific(exponent_digits)})")
    log = _CONTEXT.subtract(_CONTEXT.multiply(log_factorial, k ** (n - 1)), _CONTEXT.multiply(_log10(k), n))
    return _count(formula, log, lambda: math.factorial(k) ** (k ** (n - 1)) // k**n)


def count_symbols(n_symbols: int, order: int) -> Count:
    """Count the symbols of a de Bruijn sequence: k^n."""
    _check_order(order)
    log = _CONTEXT.multiply(_log10(n_symbols), order)
    return _count(f"{n_symbols}^{order}", log, lambda: n_symbols**order)


def count_necklaces(n_symbols: int, order: int) -> Count:
    """Count cyclic words of n symbols: 1/n sum over d | n of phi(d) k^(n/d). (OEIS A000031 for k = 2.)"""
    return _over_divisors(n_symbols, order, "phi", totient)


def count_lyndon_words(n_symbols: int, order: int) -> Count:
    """Count words of n symbols that are less than each of their other rotations: 1/n sum over d | n of mu(d) k^(n/d).
    (OEIS A001037 for k = 2.)"""
    return _over_divisors(n_symbols, order, "mu", moebius)


def _check_order(order: int) -> None:
    check_range("-n", order, 1, remedy="give a length of 1 or more")


def _over_divisors(k: int, n: int, name: str, function: Callable[[int], int]) -> Count:
    """1/n sum over d | n of a function of d times k^(n/d). Where that is too long to be written out, d = 1 gives all
    digits that are seen."""
    _check_order(n)
    if k == 1:
        exact = int(name == "phi" or n == 1)
        return Count(f"1/{n} sum over d | {n} of {name}(d) {k}^({n}/d)", exact, str(exact))
    log = _CONTEXT.subtract(_CONTEXT.multiply(_log10(k), n), _log10(n))
    return _count(
        f"1/{n} sum over d | {n} of {name}(d) {k}^({n}/d)",
        log,
        lambda: sum(function(d) * k ** (n // d) for d in divisors(n)) // n,
    )


def _count(formula: str, log: Decimal, compute: Callable[[], int]) -> Count:
    """Build a `Count` from its logarithm (base 10), which may be rough for small numbers."""
    about = f"about {_scientific(log)}"
    if log >= MOST_DIGITS:
        return Count(formula, None, about)
    exact = compute()
    return Count(formula, exact, str(exact) if exact < 10**15 else about)


def _scientific(log: Decimal) -> str:
    """``1.23e157820`` for the logarithm (base 10) of a number; ``10^(1.23e157820)`` if that is a number of more than
    `_MOST_EXPONENT_DIGITS` digits."""
    if log >= 10**_MOST_EXPONENT_DIGITS:
        return f"10^({_scientific(_log10(log))})"
    exponent = math.floor(log)
    mantissa = _CONTEXT.power(10, log - exponent).quantize(Decimal("0.01"))
    return f"{mantissa}e{exponent}" if mantissa < 10 else f"1.00e{exponent + 1}"


def _log10(number: int | Decimal) -> Decimal:
    """Logarithm (base 10) of a positive number."""
    return _CONTEXT.log10(Decimal(number))


def _log10_factorial(k: int) -> Decimal:
    """Logarithm (base 10) of k!."""
    if k <= _FACTORIAL_IN_FULL:
        return _log10(math.factorial(k))
    x, divide, add = Decimal(k), _CONTEXT.divide, _CONTEXT.add
    log = _CONTEXT.subtract(_CONTEXT.multiply(add(x, Decimal("0.5")), _CONTEXT.ln(x)), x)
    log = add(log, divide(_CONTEXT.ln(_TWO_PI), 2))
    for i, divisor in enumerate(_STIRLING):
        log = add(log, divide(1, _CONTEXT.multiply(_CONTEXT.power(x, 2 * i + 1), divisor)))
    return divide(log, _CONTEXT.ln(Decimal(10)))
