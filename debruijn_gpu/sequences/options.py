"""Options of de Bruijn sequences and look-and-say terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.errors import OptionValueError, UsageError
from debruijn_gpu.run.checks import Checked, at_least, between, ensure, excludes, exclusive, one_of
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.quantities import parse_count

#: How de Bruijn sequences are made
METHODS = ("lyndon", "grandmama", "euler", "lfsr", "crt", "random", "prefer-same")
#: Methods in which places are found without walking there
RANKED_METHODS = ("lyndon", "lfsr", "crt")
#: Formats in which symbols are written; all but the last two can be read
SYMBOL_FORMATS = ("text", "bytes", "2bit", "bits", "npy", "checksum")
#: Formats in which symbols are read
READ_FORMATS = ("text", "bytes", "2bit", "bits")

#: The longest window, so that lengths can be written
MOST_ORDER = 100_000


def parse_position(text: str, name: str) -> int:
    """Parse a count (see `parse_count`) that is not negative."""
    position = parse_count(text, name)
    if position < 0:
        raise UsageError(f"{name} {shorten(text)}: below 0", "give an integer from 0 on, such as 1500, 10k or 2^40")
    return position


def parse_span(text: str) -> tuple[int, int | None]:
    """``5:10``, ``5:`` and ``:10`` as a start and a stop; None is the end."""
    start, colon, stop = text.partition(":")
    if not colon:
        raise UsageError(f"--range {text}: not a range", "give START:STOP, such as 0:1000, 5000: or :2^30")
    first = parse_position(start, "--range") if start.strip() else 0
    last = parse_position(stop, "--range") if stop.strip() else None
    if last is not None and last < first:
        raise OptionValueError(f"--range {text} ends before it starts", "give START:STOP with START <= STOP")
    return first, last


@dataclass(frozen=True, kw_only=True)
class SequenceOptions(Checked):
    """Options of a cyclic sequence. The variations from ``cut_down`` to ``max_run`` go without a method."""

    order: int | None = None  # symbols of a window; None: the length of the words that are given
    method: str | None = None  # one of METHODS; None: lyndon
    seed: int = 1  # of method random
    cut_down: int | None = None  # a cycle of so many symbols, in which windows differ
    both_strands: bool = False  # DNA: a word or its reverse complement
    words: str | None = None  # a file of the words that are to be its windows
    multiplicity: bool = False  # each of these words as often as it is listed, not once
    forbidden: tuple[str, ...] = ()  # words that may not be in it
    max_run: int | None = None  # equal symbols in a row at most
    linear: bool = False  # linear instead of cyclic

    option_names: ClassVar = {"order": "-n", "forbidden": "--forbid"}
    checks = (
        one_of("method", METHODS),
        *exclusive("cut_down", "both_strands", "words", "forbidden"),
        excludes("max_run", "cut_down", "both_strands", "words"),
        excludes(
            "method",
            *("cut_down", "both_strands", "words", "forbidden", "max_run"),
            remedy="leave --method out: it is for whole de Bruijn sequences",
        ),
        ensure(
            lambda options: options.order is not None or options.words is not None,
            lambda _options: "-n is missing",
            "give the length of a window: dbg debruijn --alphabet 10 -n 4",
            UsageError,
        ),
        between("order", 1, MOST_ORDER, f"give a length from 1 to {MOST_ORDER:,}"),
        at_least("cut_down", 1, "give 1 symbol or more"),
        at_least("max_run", 1),
        at_least("seed", 0),
    )

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
class SymbolOutputOptions(Checked):
    """Range and format of the written part of a sequence."""

    start: int = 0
    stop: int | None = None  # None: the end
    offset: int = 0  # where the cyclic sequence is opened
    file_format: str = "text"

    option_names: ClassVar = {"file_format": "--format"}
    checks = (one_of("file_format", SYMBOL_FORMATS, "format"),)


@dataclass(frozen=True, kw_only=True)
class LookAndSayOptions(Checked):
    """Options of a look-and-say term."""

    n_steps: int
    only_length: bool = False  # how many digits it has, not the term

    option_names: ClassVar = {"n_steps": "-n"}
    checks = (at_least("n_steps", 0, "give 0 steps or more"),)
