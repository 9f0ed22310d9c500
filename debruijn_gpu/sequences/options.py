"""What a user can set of sequences of symbols, as `options`, for `dbg debruijn` and `dbg lookandsay`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from debruijn_gpu.errors import ParameterError, UsageError

#: How de Bruijn sequences are made
METHODS = ("lyndon", "grandmama", "euler", "lfsr", "crt", "random", "prefer-same")
#: Methods in which places are found without walking there
RANKED_METHODS = ("lyndon", "lfsr", "crt")
#: Forms in which symbols are written; all but the last two can be read
SYMBOL_FORMS = ("text", "bytes", "2bit", "bits", "npy", "checksum")
#: Forms in which symbols are read
READ_FORMS = ("text", "bytes", "2bit", "bits")

#: The longest window, so that lengths can be written
MOST_ORDER = 100_000

_NUMBER = re.compile(r"(\d+)(?:(?:\^|\*\*)(\d{1,6})|([kKmMgGtT]))?")
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}
_MOST_DIGITS = 5000
_MOST_BITS = 1 << 22  # of a power: no sequence of `MOST_ORDER` is longer
_SHOWN = 40  # characters of what is not a number


def parse_position(text: str, name: str) -> int:
    """``1500``, ``1,500``, ``10k`` and ``2^40`` as integers of any size, not negative."""
    found = _NUMBER.fullmatch(text.strip().replace(",", "").replace("_", ""))
    if found is None:
        raise UsageError(
            f"{name} {text[:_SHOWN]}: not a number", "give an integer from 0 on, such as 1500, 10k or 2^40"
        )
    base = int(Decimal(found[1])) if len(found[1]) <= _MOST_DIGITS else 0  # `int` of Python 3.11 stops at 4,300 digits
    exponent = int(found[2] or 1)
    if len(found[1]) > _MOST_DIGITS or base.bit_length() * exponent > _MOST_BITS:
        raise ParameterError(f"{name} {text[:_SHOWN]} is beyond all sequences", "give a smaller one")
    power: int = base**exponent
    return power * 1000 ** _POWERS[found[3].lower()] if found[3] else power


def parse_span(text: str) -> tuple[int, int | None]:
    """``5:10``, ``5:`` and ``:10`` as a start and a stop; None is the end."""
    start, colon, stop = text.partition(":")
    if not colon:
        raise UsageError(f"--range {text}: not a range", "give START:STOP, such as 0:1000, 5000: or :2^30")
    first = parse_position(start, "--range") if start.strip() else 0
    last = parse_position(stop, "--range") if stop.strip() else None
    if last is not None and last < first:
        raise ParameterError(f"--range {text} ends before it starts", "give START:STOP with START <= STOP")
    return first, last


@dataclass(frozen=True, kw_only=True)
class SequenceOptions:
    """Which cyclic sequence is made. The variations from ``cut_down`` to ``max_run`` go without a method."""

    order: int | None = None  # symbols of a window; None: the length of the words that are given
    method: str | None = None  # one of METHODS; None: lyndon
    seed: int = 1  # of method random
    cut_down: int | None = None  # a cycle of so many symbols, in which windows differ
    both_strands: bool = False  # DNA: a word or its reverse complement
    words: str | None = None  # a file of the words that are to be its windows
    multiplicity: bool = False  # each of these words as often as it is listed, not once
    forbidden: tuple[str, ...] = ()  # words that may not be in it
    max_run: int | None = None  # equal symbols in a row at most
    linear: bool = False  # in a row, not on a circle

    def __post_init__(self) -> None:
        if self.method is not None and self.method not in METHODS:
            raise UsageError(f"--method {self.method}: no such method", f"choose one of {', '.join(METHODS)}")
        variations = self.variations
        if len(variations) > 1 and variations != ["--forbid", "--max-run"]:
            raise UsageError(f"{' and '.join(variations)} exclude each other", "give one of them")
        if variations and self.method is not None:
            raise UsageError(f"--method is for whole de Bruijn sequences, not for {variations[0]}", "leave it out")
        if self.order is None and self.words is None:
            raise UsageError("-n is missing", "give the length of a window: dbg debruijn --alphabet 10 -n 4")
        if self.order is not None and not 1 <= self.order <= MOST_ORDER:
            raise ParameterError(f"-n is {self.order}", f"give a length from 1 to {MOST_ORDER}")
        if self.cut_down is not None and self.cut_down < 1:
            raise ParameterError(f"--cut-down is {self.cut_down}", "give 1 symbol or more")
        if self.max_run is not None and self.max_run < 1:
            raise ParameterError(f"--max-run is {self.max_run}", "give 1 or more")
        if self.seed < 0:
            raise ParameterError(f"--seed is {self.seed}", "give 0 or more")

    @property
    def variations(self) -> list[str]:
        """The options of those that are asked for."""
        asked = {
            "--cut-down": self.cut_down is not None,
            "--both-strands": self.both_strands,
            "--words": self.words is not None,
            "--forbid": bool(self.forbidden),
            "--max-run": self.max_run is not None,
        }
        return [option for option, is_asked in asked.items() if is_asked]


@dataclass(frozen=True, kw_only=True)
class SymbolOutputOptions:
    """Which part of a sequence is written, and how."""

    start: int = 0
    stop: int | None = None  # None: the end
    offset: int = 0  # where the circle is opened
    form: str = "text"

    def __post_init__(self) -> None:
        if self.form not in SYMBOL_FORMS:
            raise UsageError(f"--to {self.form}: no such form", f"choose one of {', '.join(SYMBOL_FORMS)}")


@dataclass(frozen=True, kw_only=True)
class LookAndSayOptions:
    """Which look-and-say term is wanted."""

    n_steps: int
    only_length: bool = False  # how many digits it has, not the term

    def __post_init__(self) -> None:
        if self.n_steps < 0:
            raise ParameterError(f"-n is {self.n_steps}", "give 0 steps or more")
