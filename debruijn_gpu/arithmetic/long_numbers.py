"""Exact numbers of millions of digits, and terms of linear recurrences."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact, InvalidOperation, Overflow, localcontext

#: Context of exact arithmetic on integers
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact, InvalidOperation, Overflow])

_FEW_BITS = 1 << 11  # that are converted directly
_FEW_DIGITS = 600


def to_decimal(number: int) -> Decimal:
    """Convert an integer of any size."""
    powers: dict[int, Decimal] = {}

    def power_of_two(n_bits: int) -> Decimal:
        if n_bits not in powers:
            half = n_bits >> 1
            few = n_bits <= _FEW_BITS
            powers[n_bits] = (
                Decimal(1 << n_bits) if few else EXACT.multiply(power_of_two(half), power_of_two(n_bits - half))
            )
        return powers[n_bits]

    def convert(part: int, n_bits: int) -> Decimal:
        if n_bits <= _FEW_BITS:
            return Decimal(part)
        low_bits = n_bits >> 1
        high = part >> low_bits
        low = convert(part - (high << low_bits), low_bits)
        return EXACT.fma(convert(high, n_bits - low_bits), power_of_two(low_bits), low)

    converted = convert(abs(number), abs(number).bit_length())
    return converted if number >= 0 else converted.copy_negate()


def to_int(number: Decimal) -> int:
    """Convert a decimal integer of any size."""
    digits = format(number.copy_abs(), "f")
    powers: dict[int, int] = {}

    def power_of_ten(n: int) -> int:
        if n not in powers:
            half = n >> 1
            powers[n] = 10**n if n <= _FEW_DIGITS else power_of_ten(half) * power_of_ten(n - half)
        return powers[n]

    def convert(start: int, stop: int) -> int:
        if stop - start <= _FEW_DIGITS:
            return int(digits[start:stop])
        low = (stop - start) >> 1
        return convert(start, stop - low) * power_of_ten(low) + convert(stop - low, stop)

    converted = convert(0, len(digits))
    return -converted if number.is_signed() else converted


def digits_of(number: int) -> str:
    """Write an integer of any size in decimal digits."""
    return format(to_decimal(number), "f")


_PRIME = (1 << 61) - 1  # modulo which a recurrence is found


def nth_term(first: Sequence[int], coefficients: Sequence[int], n: int) -> int:
    """Compute a term of a linear recurrence.

    Parameters
    ----------
    first : sequence of int
        Terms 0, 1, ..., as many as there are coefficients or more.
    coefficients : sequence of int, length d
        Term i is the sum of ``coefficients[j - 1]`` times term i - j, from i = d on.
    n : int
        0 or more. Takes time in proportion to the d-fold of the digits of the term.
    """
    d = len(coefficients)
    terms = list(first[:d])
    while len(terms) <= min(n, 2 * d):
        terms.append(sum(c * terms[-j] for j, c in enumerate(coefficients, 1) if c))
    if n < len(terms):
        return terms[n]
    with localcontext(EXACT):
        half = _power_of_x(coefficients, n // 2)
        later = _shifted(half, terms, coefficients, n % 2)
        return to_int(sum((a * b for a, b in zip(half, later, strict=True)), Decimal(0)))


def _shifted(power: list[Decimal], terms: list[int], coefficients: Sequence[int], shift: int) -> list[Decimal]:
    """Terms m + shift, m + shift + 1, ..., as many as there are coefficients, from x^m."""
    d = len(coefficients)
    return [
        sum((u * terms[i + j] for j, u in enumerate(power) if u and terms[i + j]), Decimal(0))
        for i in range(shift, shift + d)
    ]


def _power_of_x(coefficients: Sequence[int], n: int) -> list[Decimal]:
    """Coefficients of x^n modulo the characteristic polynomial, the lowest first."""
    d = len(coefficients)
    power = [Decimal(int(i == 0)) for i in range(d)]
    for bit in bin(n)[2:]:
        square = _square(power) if len(power) > 1 else [power[0] * power[0]]
        if bit == "1":
            square.insert(0, Decimal(0))
        power = _reduced(square, coefficients)
    return power


def _reduced(polynomial: list[Decimal], coefficients: Sequence[int]) -> list[Decimal]:
    """The remainder modulo the characteristic polynomial."""
    d = len(coefficients)
    taps = [(j, Decimal(c)) for j, c in enumerate(coefficients, 1) if c]
    for i in range(len(polynomial) - 1, d - 1, -1):
        top = polynomial.pop()
        if top:
            for j, c in taps:
                polynomial[i - j] += top if c == 1 else c * top
    return polynomial


def _square(polynomial: list[Decimal]) -> list[Decimal]:
    """The square of a polynomial, as a square of one long number with a slot of digits for each coefficient."""
    n = len(polynomial)
    width = 2 * max(1 + c.adjusted() for c in polynomial) + len(str(n)) + 1
    packed = _packed([max(c, Decimal(0)) for c in polynomial], width)
    if any(c.is_signed() for c in polynomial):
        packed -= _packed([max(-c, Decimal(0)) for c in polynomial], width)
    n_slots = 2 * n - 1
    middle = "5" + "0" * (width - 1)  # added to each slot, so that none is negative
    product = format(packed * packed + Decimal(middle * n_slots), "f").zfill(n_slots * width)
    slots = [Decimal(product[at : at + width]) - Decimal(middle) for at in range(0, len(product), width)]
    return slots[::-1]


def _packed(polynomial: list[Decimal], width: int) -> Decimal:
    """Coefficients, 0 or more, as one number of slots of some digits."""
    return Decimal("".join(format(c, "f").zfill(width) for c in reversed(polynomial)))


def find_recurrence(terms: Sequence[int], order: int) -> list[int]:
    """Find the shortest linear recurrence with small integer coefficients of a sequence that has one.

    It is found modulo a prime (Berlekamp 1968, Massey 1969) and then checked on `order` more terms, which is a proof:
    the residual has a recurrence of that order too, so it is 0 everywhere if it is 0 on as many terms in a row.

    Parameters
    ----------
    terms : sequence of int
        At least ``3 * order``.
    order : int
        The sequence has a recurrence of this order or less.

    Returns
    -------
    list of int
        As `nth_term` takes them.

    Raises
    ------
    ValueError
        If there is none.
    """
    found = [c if 2 * c < _PRIME else c - _PRIME for c in _recurrence_modulo(terms[: 2 * order])]
    d = len(found)
    for i in range(d, len(terms)):
        if terms[i] != sum(c * terms[i - j] for j, c in enumerate(found, 1)):
            raise ValueError("no recurrence with small integer coefficients")
    return found


def _recurrence_modulo(terms: Sequence[int]) -> list[int]:
    """The shortest linear recurrence modulo a prime (Massey's algorithm)."""
    current, before, shift, last = list[int](), list[int](), 0, 1
    for i, term in enumerate(terms):
        expected = sum(c * terms[i - j] for j, c in enumerate(current, 1))
        discrepancy = (term - expected) % _PRIME
        if not current:
            if discrepancy:
                current, before, shift, last = [0] * (i + 1), [], i, discrepancy
            continue
        if not discrepancy:
            continue
        factor = discrepancy * pow(last, -1, _PRIME) % _PRIME
        change = [0] * (i - shift - 1) + [factor] + [-factor * c % _PRIME for c in before]
        longer = [0] * max(len(current), len(change))
        for j in range(len(longer)):
            value = (current[j] if j < len(current) else 0) + (change[j] if j < len(change) else 0)
            longer[j] = value % _PRIME
        if i - len(current) > shift - len(before):
            before, shift, last = current, i, discrepancy
        current = longer
    return current
