"""Options of mass spectra, and of sequencing peptides from them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from debruijn_gpu.errors import OptionValueError, UsageError
from debruijn_gpu.run.checks import Checked, at_least, check_choice, ensure, excludes, one_of
from debruijn_gpu.run.quantities import split_range

#: Formats in which spectra are written
SPECTRUM_FORMATS = ("text", "tsv", "npy")
#: How peptides are found
SEQUENCING_METHODS = ("auto", "ideal", "leaderboard")
#: Millions of steps after which an exhaustive search gives up: 5 s for a cyclic peptide, 30 s for a linear one
IDEAL_STEPS = 100
#: Residues that an alphabet may have
MOST_RESIDUES = 100_000

_TOLERANCE = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*(da|ppm|)", re.ASCII | re.IGNORECASE)
_MASS = re.compile(r"\d{1,9}", re.ASCII)
_BOUND = re.compile(r"\d{1,18}", re.ASCII)
_OLD_SEPARATOR = ".."  # of ranges, in version 0.1
_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class SpectrumOptions(Checked):
    """Options of the written masses of a peptide."""

    linear: bool = False
    unique: bool = False  # each mass once
    count: bool = False  # each mass once, and how often it occurs
    top: int | None = None  # the masses that occur most often
    to: str = "text"

    option_names: ClassVar = {"to": "--format"}
    checks = (
        one_of("to", SPECTRUM_FORMATS, "format"),
        excludes("unique", "count", remedy="leave --unique out: --count writes each mass once, too"),
        at_least("top", 1),
    )


def check_method(name: str) -> str:
    """Return the name of a method of `SEQUENCING_METHODS`."""
    return check_choice("--method", name, SEQUENCING_METHODS, "method")


@dataclass(frozen=True)
class Tolerance:
    """Maximum difference between a mass and the mass of a matching peak.

    Attributes
    ----------
    value : Fraction
        0 or more.
    ppm : bool
        Whether in millionths of the mass of the peak, then below 1,000,000, or else in Da.
    """

    value: Fraction = Fraction(0)
    ppm: bool = False

    def units(self, mass: int, decimals: int) -> int:
        """The same for a peak of a mass, in units of 10^-decimals, rounded down."""
        return int(self.value * mass // _MILLION if self.ppm else self.value * 10**decimals)


EXACT = Tolerance()


def parse_tolerance(text: str) -> Tolerance:
    """``0.3``, ``0.02Da`` and ``20ppm``."""
    found = _TOLERANCE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--tolerance {text}: not a tolerance", "give it in Da or ppm, such as 0.3, 0.02Da or 20ppm")
    tolerance = Tolerance(Fraction(found[1]), found[2].lower() == "ppm")
    if tolerance.ppm and tolerance.value >= _MILLION:
        raise OptionValueError(f"--tolerance {text} is all of the mass", "give less, 20ppm say")
    return tolerance


def parse_mass_range(text: str) -> tuple[int, int] | None:
    """``57:200`` gives (57, 200); None if the text is no range."""
    ends = split_range(text, _OLD_SEPARATOR)
    if ends is None or not all(map(_MASS.fullmatch, ends)):
        return None
    low, high = map(int, ends)
    if not 1 <= low <= high:
        raise OptionValueError(f"{text}: no range of masses above 0", "give LOW:HIGH with 1 <= LOW <= HIGH")
    if high - low >= MOST_RESIDUES:
        raise OptionValueError(f"{text}: {high - low + 1:,} masses", f"give up to {MOST_RESIDUES:,}, 57:200 say")
    return low, high


def parse_bounds(text: str) -> tuple[int, int | None]:
    """``57:200`` gives (57, 200), ``57:`` gives (57, None) and ``:200`` gives (0, 200)."""
    ends = split_range(text, _OLD_SEPARATOR)
    if ends is None or not all(not end or _BOUND.fullmatch(end) for end in ends):
        raise UsageError(f"--between {text}: no bounds", "give 57:200, or 57: for no upper bound")
    return int(ends[0] or 0), int(ends[1]) if ends[1] else None


@dataclass(frozen=True, kw_only=True)
class LeaderboardOptions(Checked):
    """Options of leaderboard sequencing."""

    keep: int = 1000  # candidates that are made longer, and those that score as much as the last of them
    top: int = 10  # peptides that are given
    linear: bool = False  # linear peptides, not cyclic ones
    tolerance: Tolerance = field(default=EXACT)

    checks = (at_least("keep", 1, "give 1 or more, such as 1000"), at_least("top", 1))


@dataclass(frozen=True, kw_only=True)
class ConvolutionOptions(Checked):
    """Options of the differences of masses that become residues; masses in Da."""

    low: int = 57
    high: int | None = 200  # None: no bound
    top: int = 20  # the most frequent ones, and those as frequent as the last of them
    tolerance: Tolerance = field(default=EXACT)

    checks = (
        ensure(
            lambda options: options.low >= 0 and (options.high is None or options.low <= options.high),
            lambda options: f"no difference is from {options.low} to {options.high}",
            "give 0 <= LOW <= HIGH",
        ),
        at_least("top", 1),
    )
