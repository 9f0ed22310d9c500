"""Spectra as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.peptides.peaks import Charges, Peaks, measured, neutral_spectrum
from debruijn_gpu.peptides.spectrum import MAX_DECIMALS, MAX_UNITS, PLAIN_NUMBER, Measured, of_units, to_units
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import shorten

_BETWEEN = re.compile(r"[\s,]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MASS, _MZ = ("mass", "masses"), ("m/z", "mz")
_INTENSITY, _COUNT = ("intensity", "intensities"), ("count", "counts", "multiplicity")
_MASSES = "give masses, 0 or above, with blanks, commas or newlines between"
_LONGEST = 400  # characters of a number
_LARGEST_COUNT = 1 << 53
_LONG = Context(prec=_LONGEST)


@dataclass
class _Columns:
    """Masses as written, their line numbers, and the values of a second column."""

    names: tuple[str, ...] = ()
    masses: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)


def read_mass_numbers(source: str, lines: Iterable[tuple[int, str]], charges: Charges) -> Measured:
    """Read a spectrum from non-empty lines: masses separated by blanks, commas or newlines, each counted.

    Two columns have a header, ``mass`` or ``m/z`` and ``intensity`` or ``count``; masses are neutral, m/z becomes so.
    Masses keep their decimals, rounded to at most 9.

    Parameters
    ----------
    source : str
        Name of the file in messages.
    lines : iterable of (int, str)
        With their numbers; empty ones and comments are left out.
    charges : Charges
        Of m/z.

    Raises
    ------
    FormatError
        If something is no mass; says the line.
    """
    columns = _Columns()
    for number, line in lines:
        words = [word for word in _BETWEEN.split(line) if word]
        if not columns.masses and not columns.names:
            columns.names = _header(source, number, words)
            if columns.names:
                continue
        try:
            _add(columns, number, words)
        except ValueError as error:
            raise FormatError(f"{source}: line {number}: {error}", _MASSES) from None
    if not columns.masses:
        raise FormatError(f"{source}: holds no masses", _MASSES)
    if not columns.names and _look_like_columns(columns.lines):
        log.logger.warning(
            "%s: each line has two numbers, and each is taken for a mass; a header (mass intensity) makes them columns",
            source,
        )
    return _spectrum(source, columns, charges)


def _look_like_columns(lines: list[int]) -> bool:
    """Whether there are some lines, of two numbers each."""
    return len(lines) >= 6 and lines[::2] == lines[1::2] and len(set(lines)) == len(lines) // 2


def read_float(text: str) -> float | None:
    """A finite number; None if it is none."""
    value = float(text) if _FLOAT.fullmatch(text) else float("inf")
    return value if abs(value) != float("inf") else None


def _header(source: str, number: int, words: list[str]) -> tuple[str, ...]:
    """Parse a header of columns: mass or m/z, and intensity or count; () if the line is no header."""
    names = tuple(word.lower() for word in words)
    if names[:1] == () or names[0] not in _MASS + _MZ:
        return ()
    if len(names) > 2 or (len(names) == 2 and names[1] not in _INTENSITY + _COUNT):
        fix = "name the columns mass or m/z, and intensity or count"
        raise FormatError(f"{source}: line {number}: '{shorten(' '.join(words), 60)}' is no header that is known", fix)
    return names


def _add(columns: _Columns, number: int, words: list[str]) -> None:
    """Take the words of a line."""
    if columns.names:
        if len(words) != len(columns.names):
            raise ValueError(f"{len(words)} words, but columns are {', '.join(columns.names)}")
        if len(words) == 2:
            columns.weights.append(_weight(words.pop(), columns.names[1]))
    for word in words:
        if not (word.isascii() and word.isdigit()) and not PLAIN_NUMBER.fullmatch(word):
            raise ValueError(f"'{shorten(word)}' is no mass")
        if len(word) > _LONGEST:
            raise ValueError(f"a number of {len(word):,} digits")
    columns.masses += words
    columns.lines += [number] * len(words)


def _weight(word: str, name: str) -> float:
    value = read_float(word)
    if value is None or value < 0 or (name in _COUNT and not (word.isdigit() and 1 <= value <= _LARGEST_COUNT)):
        raise ValueError(f"'{shorten(word)}' is no {name}")
    return value


def _spectrum(source: str, columns: _Columns, charges: Charges) -> Measured:
    second = columns.names[1] if len(columns.names) == 2 else ""
    weights = np.array(columns.weights) if second else None
    counts = weights.astype(np.int64) if weights is not None and second in _COUNT else None
    intensities = weights if second in _INTENSITY else None
    if not columns.names or columns.names[0] in _MASS:
        masses, decimals = _units(source, columns)
        return measured(masses, decimals, counts, intensities)
    mz = [float(word) for word in columns.masses]
    seen = np.ones(len(mz)) if intensities is None else intensities
    try:
        return neutral_spectrum(Peaks(mz, seen, np.zeros(len(mz), np.int64), counts), charges)
    except ValueError as error:
        raise FormatError(f"{source}: {error}", "check the m/z, or give masses") from None


def _units(source: str, columns: _Columns) -> tuple[NDArray[np.int64], int]:
    """Masses in units of 10^-decimals, and decimals."""
    written = [len(word) - word.find(".") - 1 if "." in word else 0 for word in columns.masses]
    decimals = min(MAX_DECIMALS, max(written))
    factors = [10 ** (decimals - n) for n in range(decimals + 1)]
    units = [
        int(word.replace(".", "")) * factors[n] if n <= decimals else _rounded(word)
        for word, n in zip(columns.masses, written, strict=True)
    ]
    largest = max(units)
    if largest >= MAX_UNITS:
        line = columns.lines[units.index(largest)]
        what = f"{source}: line {line}: a mass beyond {of_units('2^62', decimals)}"
        raise FormatError(what, "check the masses, or write fewer decimals")
    return np.array(units, np.int64), decimals


def _rounded(word: str) -> int:
    """A mass of more decimals than are kept, in units of the last one that is."""
    return to_units(Decimal(word).quantize(Decimal(1).scaleb(-MAX_DECIMALS), ROUND_HALF_EVEN, _LONG), MAX_DECIMALS)
