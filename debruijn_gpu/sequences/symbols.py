"""Alphabets: names of the symbols 0..k-1 of a sequence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import OptionValueError, ParameterError
from debruijn_gpu.run.plain_text import shorten

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_SYMBOLS = 1 << 24
_MOST_DIGITS = 20  # of a size that is looked at
_FEW = 8  # symbols in an example
#: A number that is no size: with a sign, a fraction or an exponent
_OTHER_NUMBER = re.compile(r"[+-]\d+|[+-]?(\d+\.\d*|\.\d+)(e[+-]?\d+)?|[+-]?\d+e[+-]?\d+", re.IGNORECASE)


def code_dtype(n_symbols: int) -> np.dtype[Any]:
    """The smallest dtype for the codes of an alphabet."""
    return np.dtype(np.uint8 if n_symbols <= 1 << 8 else np.uint16 if n_symbols <= 1 << 16 else np.uint32)


@dataclass(frozen=True)
class Symbols:
    """An alphabet. The code of a symbol is its place in it.

    Attributes
    ----------
    names : tuple of str
        What each symbol is called: one character or a word, without blanks and commas.
    """

    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def separator(self) -> str:
        """The separator of symbols in text: empty if each is one character, otherwise a blank."""
        return "" if all(len(name) == 1 for name in self.names) else " "

    @cached_property
    def letters(self) -> NDArray[np.uint8] | None:
        """The byte of each symbol (k,), if each is one character of ASCII."""
        if self.separator or not all(name.isascii() for name in self.names):
            return None
        return np.frombuffer("".join(self.names).encode(), np.uint8)

    @cached_property
    def codes(self) -> dict[str, int]:
        """The code of each name."""
        return {name: code for code, name in enumerate(self.names)}

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of arrays of codes."""
        return code_dtype(len(self))

    def split(self, text: str) -> list[str]:
        """The names that a text is made of, whether they are in the alphabet or not. Words may be parted by blanks or
        commas."""
        return list("".join(text.split())) if not self.separator else text.replace(",", " ").split()

    def encode(self, text: str) -> NDArray[Any]:
        """The codes of a text.

        Raises
        ------
        ParameterError
            If it has a symbol that is not in the alphabet.
        """
        names = self.split(text)
        for place, name in enumerate(names):
            if name not in self.codes:
                raise ParameterError(
                    f"{shorten(text)}: symbol {place + 1}, {name!r}, is not in the alphabet {self}",
                    "give --alphabet, or another window",
                )
        return np.array([self.codes[name] for name in names], self.dtype)

    def spell(self, codes: Any) -> str:
        """The text of some codes."""
        return self.separator.join(self.names[int(code)] for code in codes)

    def __str__(self) -> str:
        return shorten(self.separator.join(self.names))


def parse_symbols(text: str) -> Symbols:
    """The alphabet that ``--alphabet`` names.

    A number without leading zeros is a size: then symbols are the digits, up to 10 of them, 0-9a-z, up to 36, and else
    the numbers from 0 on. A list with commas names each symbol. Anything else is a symbol a character.

    Raises
    ------
    OptionValueError
        If there are not at least two symbols, or one is there twice.
    """
    if text.isascii() and text.isdigit() and (text == "0" or text[0] != "0"):
        if len(text) > _MOST_DIGITS:
            raise OptionValueError(f"an alphabet of {shorten(text)} symbols", f"give {MOST_SYMBOLS:,} at most")
        return numbered_symbols(int(text))
    refuse_other_numbers(text, f"--alphabet {shorten(text)}")
    names = tuple(name.strip() for name in text.split(",")) if "," in text else tuple(text)
    if any(not name or any(character.isspace() for character in name) for name in names):
        raise OptionValueError(f"--alphabet '{shorten(text)}': a symbol is empty or has a blank", "name each symbol")
    if any("\ud800" <= character <= "\udfff" for character in text):  # as Python keeps what it cannot decode
        raise OptionValueError("--alphabet is not text in UTF-8", "set the locale to UTF-8, or name other symbols")
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None) if len(names) < 300 else None
    if len(set(names)) < len(names):
        raise OptionValueError(
            f"--alphabet {shorten(text)}: {twice or 'a symbol'} is there twice", "name each symbol once"
        )
    _check_size(len(names))
    return Symbols(names)


def refuse_other_numbers(text: str, name: str) -> None:
    """Raise OptionValueError for a number that is no size, such as ``-2``, whose characters are hardly symbols."""
    if _OTHER_NUMBER.fullmatch(text):
        symbols = ",".join(dict.fromkeys(text[:_FEW]))
        raise OptionValueError(
            f"{name}: {shorten(text)} is not a number of symbols",
            f"give a number from 2 on, or symbols that are no number (--alphabet takes commas between them: {symbols})",
        )


def numbered_symbols(size: int) -> Symbols:
    """The alphabet of a size."""
    _check_size(size)
    return Symbols(tuple(_DIGITS[:size]) if size <= len(_DIGITS) else tuple(str(i) for i in range(size)))


def _check_size(size: int) -> None:
    if size < 2:
        raise OptionValueError(
            f"an alphabet of {size} symbols" if size != 1 else "an alphabet of one symbol",
            "give two or more: their number (--alphabet 10) or themselves (--alphabet ACGT)",
        )
    if size > MOST_SYMBOLS:
        raise OptionValueError(f"an alphabet of {size:,} symbols", f"give {MOST_SYMBOLS:,} at most")
