"""What a user can set of spectra, and of the sequencing of peptides, as `options`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from debruijn_gpu.errors import ParameterError, UsageError

#: Forms in which spectra are written
SPECTRUM_FORMS = ("text", "tsv", "npy")
#: How peptides are found
SEQUENCING_METHODS = ("auto", "ideal", "leaderboard")
#: Residues that an alphabet may have
MOST_RESIDUES = 100_000

_TOLERANCE = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*(da|ppm|)", re.ASCII | re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})", re.ASCII)
_BOUNDS = re.compile(r"(\d{1,18})\.\.(\d{1,18}|)", re.ASCII)
_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class SpectrumOptions:
    """Which masses of a peptide are written."""

    linear: bool = False
    unique: bool = False  # each mass once
    count: bool = False  # each mass once, and how often it occurs
    top: int | None = None  # the masses that occur most often
    to: str = "text"

    def __post_init__(self) -> None:
        if self.to not in SPECTRUM_FORMS:
            raise UsageError(f"--to {self.to}: no such form", f"choose one of {', '.join(SPECTRUM_FORMS)}")
        if self.unique and self.count:
            raise UsageError("--unique and --count exclude each other", "--count has each mass once, too")
        if self.top is not None and self.top < 1:
            raise ParameterError(f"--top is {self.top}", "give 1 or more")


def check_method(name: str) -> str:
    """The name of a method, if there is one of that name."""
    if name not in SEQUENCING_METHODS:
        raise UsageError(f"--method {name}: no such method", f"choose one of {', '.join(SEQUENCING_METHODS)}")
    return name


@dataclass(frozen=True)
class Tolerance:
    """How far a mass may be from that of a peak to match it.

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
        raise ParameterError(f"--tolerance {text} is all of the mass", "give less, 20ppm say")
    return tolerance


def parse_mass_range(text: str) -> tuple[int, int] | None:
    """``57..200`` gives (57, 200); None if the text is no range."""
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        return None
    low, high = int(found[1]), int(found[2])
    if not 1 <= low <= high:
        raise ParameterError(f"{text}: no range of masses above 0", "give LOW..HIGH with 1 <= LOW <= HIGH")
    if high - low >= MOST_RESIDUES:
        raise ParameterError(f"{text}: {high - low + 1:,} masses", f"give up to {MOST_RESIDUES:,}, 57..200 say")
    return low, high


def parse_bounds(text: str) -> tuple[int, int | None]:
    """``57..200`` gives (57, 200), ``57..`` gives (57, None)."""
    found = _BOUNDS.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--between {text}: no bounds", "give 57..200, or 57.. for no upper bound")
    return int(found[1]), int(found[2]) if found[2] else None


@dataclass(frozen=True, kw_only=True)
class LeaderboardOptions:
    """How peptides are found for a measured spectrum."""

    keep: int = 1000  # candidates that are made longer, and those that score as much as the last of them
    top: int = 10  # peptides that are given
    tolerance: Tolerance = field(default=EXACT)

    def __post_init__(self) -> None:
        if self.keep < 1:
            raise ParameterError(f"--keep is {self.keep}", "give 1 or more, 1000 say")
        if self.top < 1:
            raise ParameterError(f"--top is {self.top}", "give 1 or more")


@dataclass(frozen=True, kw_only=True)
class ConvolutionOptions:
    """Which differences of masses are taken for residues; masses in Da."""

    low: int = 57
    high: int | None = 200  # None: no bound
    top: int = 20  # the most frequent ones, and those as frequent as the last of them
    tolerance: Tolerance = field(default=EXACT)

    def __post_init__(self) -> None:
        if self.low < 0 or (self.high is not None and self.high < self.low):
            raise ParameterError(f"no difference is from {self.low} to {self.high}", "give 0 <= LOW <= HIGH")
        if self.top < 1:
            raise ParameterError(f"the {self.top} most frequent masses are none", "give 1 or more")
