"""Numbers and ranges as users write them: ``10k``, ``1.5M``, ``2^40``, ``5:10``."""

from __future__ import annotations

import re
from decimal import Decimal

from debruijn_gpu.errors import OptionValueError, UsageError
from debruijn_gpu.run.plain_text import shorten

_COUNT = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?(?:(?:\^|\*\*)(\d{1,6})|([kKmMgGtT])|[eE]\+?(\d{1,4}))?", re.ASCII)
_POWERS = {"k": 3, "m": 6, "g": 9, "t": 12}
_MOST_DIGITS = 5000
_MOST_BITS = 1 << 22  # of a power


def parse_count(text: str, name: str) -> int:
    """``1500``, ``1,500``, ``1.5k``, ``10M``, ``2e9`` and ``2^40`` as integers of any size; k is 1000.

    Parameters
    ----------
    text : str
    name : str
        The option, for messages.

    Raises
    ------
    UsageError
        If the text is no integer.
    OptionValueError
        If it has more than 5,000 digits, or more than 4 million bits.
    """
    found = _COUNT.fullmatch(text.strip().replace(",", "").replace("_", ""))
    zeros = _POWERS[found[5].lower()] if found and found[5] else int((found and found[6]) or 0)
    decimals = (found[3] or "").rstrip("0") if found else ""
    if found is None or len(decimals) > zeros or (found[3] is not None and found[4]):
        raise UsageError(f"{name} {shorten(text)}: not a number", "give an integer such as 1500, 10k, 1.5M or 2^40")
    digits = found[2] + decimals + "0" * (zeros - len(decimals))
    base = int(Decimal(digits)) if len(digits) <= _MOST_DIGITS else 0  # `int` of Python 3.11 stops at 4,300 digits
    exponent = int(found[4] or 1)
    if len(digits) > _MOST_DIGITS or base.bit_length() * exponent > _MOST_BITS:
        raise OptionValueError(f"{name} {shorten(text)} is beyond all sequences", "give a smaller one")
    number: int = base**exponent
    return -number if found[1] == "-" else number


def split_range(text: str, old: str) -> tuple[str, str] | None:
    """Split ``A:B`` into its ends, which may be empty; None if the text is no range.

    Parameters
    ----------
    text : str
    old : str
        The separator of version 0.1, accepted for one version.
    """
    for separator in (":", old):
        low, found, high = text.partition(separator)
        if found:
            return low.strip(), high.strip()
    return None
