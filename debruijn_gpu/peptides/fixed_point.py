"""Masses as whole numbers of 10^-decimals Da, so that sums and differences are exact."""

from __future__ import annotations

import re
from decimal import Context, Decimal

#: Decimals that a mass may have
MAX_DECIMALS = 9

#: Units that a peptide, or a peak, may have: in a cyclic peptide, sums of nearly twice that occur
MAX_UNITS = 1 << 62

#: A mass without sign: plain decimals, no exponent
PLAIN_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")

_LONGEST = 40  # characters of a number; what is longer has too many decimals, or is too large
_EXACT = Context(prec=2 * _LONGEST)


def read_number(text: str) -> Decimal | None:
    """The value of a plain number without sign; None if the text is none or is beyond all masses."""
    return Decimal(text) if len(text) <= _LONGEST and PLAIN_NUMBER.fullmatch(text) else None


def n_decimals(value: Decimal) -> int:
    """Digits after the point, as written."""
    return max(0, -int(value.as_tuple().exponent))


def to_units(value: Decimal, decimals: int) -> int:
    """A value of at most that many decimals, in units of 10^-decimals."""
    return int(value.scaleb(decimals, _EXACT))


def of_units(number: str, decimals: int) -> str:
    """``2^62 units of 10^-9 Da``, or ``2^62 Da``."""
    return f"{number} units of 10^-{decimals} Da" if decimals else f"{number} Da"


def format_units(units: int, decimals: int) -> str:
    """Units of 10^-decimals as text, all decimals written."""
    if not decimals:
        return str(units)
    whole, part = divmod(abs(units), 10**decimals)
    return f"{'-' if units < 0 else ''}{whole}.{part:0{decimals}d}"
